/// How many of the smallest messages a queue of this system can hold. Pure.
struct QueueCapacity {
  /// Bytes that the kernel lets one sender have in a socket.
  let sendBuffer: Int
  /// Bytes that it charges for the smallest message.
  let smallestCharge: Int

  /// Measured anew each time: the administrator may change it, and descriptors may have been short before.
  static var ofThisSystem: QueueCapacity {
    QueueCapacity(sendBuffer: PacketCharges.largestSendBuffer() ?? .max, smallestCharge: PacketCharges.smallest)
  }

  /// The kernel takes one more packet while the buffer is not full. Where it could not be measured, for lack of
  /// descriptors, nothing is refused.
  var messages: Int {
    if smallestCharge == 0 || sendBuffer == .max { return .max }
    return (sendBuffer + smallestCharge - 1) / smallestCharge
  }

  func check(_ limit: Int) throws(PortError) {
    if limit > messages { throw .queueTooLarge(limit, systemHolds: messages) }
  }
}
