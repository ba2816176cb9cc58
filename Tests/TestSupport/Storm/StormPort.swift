package import PortKit

/// What came to a port of the storm. It travels with the port.
package struct StormRecord {
  package let id: UInt64
  /// By right, how many messages of it came, in order.
  package var received: [UInt64: UInt32] = [:]
  package var oncesMade: UInt32 = 0
  package var oncesSeen: Set<UInt32> = []
  package var notices: UInt32 = 0
  package var hasNoSenders = false
  package var moves: UInt32 = 0

  init(id: UInt64) { self.id = id }

  /// No sender, and a word of each send-once right.
  package var isComplete: Bool { hasNoSenders && oncesSeen.count + Int(notices) == Int(oncesMade) }

  package func write(to writer: inout MessageWriter) {
    writer.write(id)
    writer.write(UInt32(received.count))
    for (right, count) in received {
      writer.write(right)
      writer.write(count)
    }
    writer.write(oncesMade)
    writer.write(UInt32(oncesSeen.count))
    for number in oncesSeen { writer.write(number) }
    writer.write(notices)
    writer.write(hasNoSenders)
    writer.write(moves)
  }

  package init(_ reader: inout MessageReader) throws(MessageReaderError) {
    id = try reader.read()
    for _ in 0..<(try reader.read(UInt32.self)) { received[try reader.read()] = try reader.read(UInt32.self) }
    oncesMade = try reader.read()
    for _ in 0..<(try reader.read(UInt32.self)) { oncesSeen.insert(try reader.read()) }
    notices = try reader.read()
    hasNoSenders = try reader.readBool()
    moves = try reader.read()
  }

  // MARK: What comes. Nil, or what is wrong with it.

  mutating func note(number: UInt32, of right: UInt64) -> String? {
    let expected = received[right, default: 0]
    received[right] = number + 1
    if hasNoSenders { return "port \(id): message \(number) of right \(right) after no-senders" }
    return number == expected ? nil : "port \(id): message \(number) of right \(right) instead of \(expected)"
  }

  mutating func note(once number: UInt32) -> String? {
    oncesSeen.insert(number).inserted && number < oncesMade ? nil : "port \(id): send-once right \(number) again"
  }

  mutating func note(_ notification: PortNotification) -> String? {
    switch notification {
    case .sendOnce:
      notices += 1
      return nil
    case .noSenders where !hasNoSenders:
      hasNoSenders = true
      return nil
    default: return "port \(id): \(notification)"
    }
  }
}

/// A port of the storm in the process that has it.
final class StormPort {
  private var port: ReceiveRight?
  var record: StormRecord

  init(_ port: consuming ReceiveRight, _ record: StormRecord) {
    self.port = consume port
    self.record = record
  }

  func take() -> ReceiveRight? { port.take() }
}
