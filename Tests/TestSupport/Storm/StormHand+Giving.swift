import LinuxSystem
import PortKit

extension StormHand {
  private func mail(_ cargo: StormCargo) -> Message {
    var writer = MessageWriter()
    cargo.write(to: &writer)
    return Message(id: StormMail.cargo, writer)
  }

  /// Moves a right to a peer; it stays here when that one is gone or has no room.
  func give(_ name: StormName, _ right: consuming SendRight, by door: RightBox?) {
    guard let door else { return keep(HeldRight(name, right)) }
    var message = mail(.right(name))
    message.attach(right)
    deliver(message, .right(name), by: door)
  }

  func give(_ number: UInt32, _ once: consuming SendOnceRight, by door: RightBox?) {
    guard let door else { return keep(HeldOnce(number, once)) }
    var message = mail(.once(number))
    message.attach(once)
    deliver(message, .once(number), by: door)
  }

  private func deliver(_ message: consuming Message, _ cargo: StormCargo, by door: RightBox) {
    // Waiting would cost a door, which lives long, a descriptor of its own for ever.
    switch door.right.send(message, timeout: .zero) {
    case .sent: noteGiven(cargo)
    case .returned(var back, let error):
      if error != .deadName && error != .timedOut { fault("giving: \(error)") }
      unload(&back, cargo)
    }
  }

  /// Takes what a message brought or brings back.
  func unload(_ message: inout Message, _ cargo: StormCargo) {
    do throws(PortError) {
      switch cargo {
      case .nothing: return
      case .right(let name): keep(HeldRight(name, try message.takeSendRight(at: 0)))
      case .once(let number): keep(HeldOnce(number, try message.takeSendOnceRight(at: 0)))
      }
    } catch {
      fault("\(cargo) in a message: \(error)")
    }
  }
}
