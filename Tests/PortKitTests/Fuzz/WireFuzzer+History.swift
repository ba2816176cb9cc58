import LinuxSystem

@testable import PortKit

extension WireFuzzer {
  /// A port with wires whose holders do as the input says, and a right whose owner does.
  final class History {
    private let port: ReceiveRight
    private let good: SendRight
    private var holders: [Holder?] = []
    private let right: SendRight
    private let owner: PacketSocket

    private final class Holder {
      let socket: PacketSocket
      init(_ socket: consuming PacketSocket) { self.socket = socket }
    }

    static func play(_ bytes: inout Bytes) {
      guard let history = try? History() else { preconditionFailure("out of descriptors") }
      var left = 60
      while !bytes.isAtEnd, left > 0 {
        history.step(&bytes)
        left -= 1
      }
      history.end()
    }

    private init() throws {
      port = try ReceiveRight()
      try port.setCopyLimit(3)
      good = try port.makeSendRight()
      let pair = try PacketSocket.pair()
      right = SendRight(adopting: PacketSocket(try pair.first.descriptor.duplicate()))
      owner = PacketSocket(try pair.second.descriptor.duplicate())
      // Both ends of a pair that may be brought to the port.
      let ends = try PacketSocket.pair()
      holders = [
        Holder(try port.mailbox.makeWire(isSendOnce: false)),
        Holder(PacketSocket(try ends.first.descriptor.duplicate())),
        Holder(PacketSocket(try ends.second.descriptor.duplicate())),
      ]
    }

    private func step(_ bytes: inout Bytes) {
      switch bytes.next(below: 12) {
      case 0...3: if let holder = holder(&bytes) { send(on: holder.socket, &bytes) }
      case 4: send(on: owner, &bytes)
      case 5: receive()
      case 6: addWire(isSendOnce: bytes.next() % 2 == 0)
      case 7: if !holders.isEmpty { holders[bytes.next(below: holders.count)] = nil }
      case 8: _ = right.call(Message(id: 1), timeout: .zero)
      case 9: _ = try? right.copy(timeout: .zero)
      case 10: try? port.setCopyLimit(bytes.next(below: 6))
      default: if let holder = holder(&bytes) { holder.socket.shutDown() }
      }
    }

    private func holder(_ bytes: inout Bytes) -> Holder? {
      holders.isEmpty ? nil : holders[bytes.next(below: holders.count)]
    }

    private func send(on socket: borrowing PacketSocket, _ bytes: inout Bytes) {
      let packet = bytes.packet()
      var numbers: [CInt] = []
      for _ in 0..<bytes.next(below: 4) {
        if let holder = holder(&bytes) { numbers.append(holder.socket.descriptor.number) }
      }
      if packet.isEmpty { return }
      _ = try? socket.send(head: packet, tail: nil, 0..<0, descriptors: numbers)
    }

    private func addWire(isSendOnce: Bool) {
      if holders.count > 20 { return }
      if let socket = try? port.mailbox.makeWire(isSendOnce: isSendOnce) { holders.append(Holder(socket)) }
    }

    private func receive() {
      guard var message = try? port.receive(timeout: .zero) else { return }
      for index in 0..<message.rightsCount {
        if let right = try? message.takeSendRight(at: index) { _ = right.send(Message(id: 6), timeout: .zero) }
        if let once = try? message.takeSendOnceRight(at: index) { _ = once.send(Message(id: 7), timeout: .zero) }
      }
      if message.id % 2 == 0, let reply = message.takeReply() { _ = reply.send(Message(id: 8), timeout: .zero) }
    }

    /// The good wire works, and the port comes to its end.
    private func end() {
      receiveAll()
      guard case .sent = good.send(Message(id: 424_242), timeout: .zero) else {
        preconditionFailure("a good wire is dead, or full of what was received")
      }
      precondition(receiveAll().contains(424_242), "a good wire's message is lost")
      holders = []
      _ = try? port.requestNoSendersNotification(sync: 1)
      precondition(!receiveAll().contains(70), "senders are left")
    }

    @discardableResult
    private func receiveAll() -> [Int32] {
      var ids: [Int32] = []
      var looks = 0
      while looks < 200 {
        looks += 1
        guard let message = try? port.receive(timeout: .zero) else {
          let isReady = try? waitForReadiness(of: port.pollDescriptor, .readable, until: Deadline(after: .zero))
          if port.hasStagedMail || isReady ?? false { continue }
          return ids
        }
        looks = 0
        ids.append(message.notification == nil ? message.id : 70)
        if message.notification == .sendOnce { ids[ids.count - 1] = 71 }
      }
      preconditionFailure("the port never comes to rest")
    }
  }
}
