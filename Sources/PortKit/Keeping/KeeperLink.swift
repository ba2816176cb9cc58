import LinuxSystem

/// The owner's end, or the keeper's, of the wire on which an owner tells its keeper.
final class ControlWire: Sendable {
  let socket: PacketSocket

  init(_ socket: consuming PacketSocket) { self.socket = socket }

  var hasHungUp: Bool { (try? LinuxSystem.hasHungUp(of: socket.descriptor.number)) ?? true }
}

/// What the owner of a kept port knows of its keeper.
struct KeeperLink {
  let wire: ControlWire
  /// Under which numbers the keeper knows the wires.
  var numbers: [UInt64: UInt32] = [:]
  var nextNumber: UInt32 = 0
  /// The keeper has this copy's end already, which is still to be taken out of the wire that brings it.
  var handed: (cookie: UInt64, number: UInt32)?
  /// Wires that it could not be told of, the oldest first. One that ends before that is never told of.
  var additions = KeyLine<Void>()
  /// What the keeper was told last.
  var told = PortImage()
  /// Wires that are over, and could not be told of for lack of room.
  var removals = Fifo<KeepNews>()

  /// Nothing waits for the keeper to read.
  var isUpToDate: Bool { removals.isEmpty && additions.isEmpty }

  init(_ wire: ControlWire) { self.wire = wire }

  /// The keeper has an image of wires in this order.
  mutating func renumber(_ keys: [UInt64], _ settings: PortImage) {
    numbers = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($0.element, UInt32($0.offset)) })
    nextNumber = UInt32(keys.count)
    handed = nil
    told = settings
    removals.removeAll()
    additions.removeAll()
  }
}
