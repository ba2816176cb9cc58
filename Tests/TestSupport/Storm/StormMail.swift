package import PortKit

/// What the mail of a storm means, by its id.
package enum StormMail {
  // From the test to the inbox of an actor.
  package static let door: Int32 = 1
  package static let begin: Int32 = 2
  package static let settle: Int32 = 3
  package static let finish: Int32 = 4
  package static let tell: Int32 = 5
  // From actor to actor, also by inbox.
  static let cargo: Int32 = 10
  static let port: Int32 = 11
  static let answer: Int32 = 12
  /// From an actor to itself.
  static let owed: Int32 = 13
  // To the ports of the storm.
  static let numbered: Int32 = 20
  static let once: Int32 = 21
  // To the test.
  package static let hello: Int32 = 30
  package static let point: Int32 = 31
  package static let done: Int32 = 32
  package static let settled: Int32 = 33
  package static let report: Int32 = 34
  package static let fault: Int32 = 35
}

/// What an actor does in one round.
package struct StormOrder {
  package var seed: UInt64
  package var steps: UInt32
  /// The actor is killed when it has seen so many messages and done so many steps; 0: it lives.
  package var point: UInt32
  /// It kills itself, at exactly that point, or tells the test, which kills it a little later, wherever it is then.
  package var killsItself: Bool

  package init(seed: UInt64, steps: UInt32, point: UInt32, killsItself: Bool) {
    self.seed = seed
    self.steps = steps
    self.point = point
    self.killsItself = killsItself
  }

  package func write(to writer: inout MessageWriter) {
    writer.write(seed)
    writer.write(steps)
    writer.write(point)
    writer.write(killsItself)
  }

  init(_ reader: inout MessageReader) throws(MessageReaderError) {
    seed = try reader.read()
    steps = try reader.read()
    point = try reader.read()
    killsItself = try reader.readBool()
  }
}

/// A send right of the storm. Whoever holds it goes on counting.
package struct StormName: Hashable {
  package let id: UInt64
  package let port: UInt64
  /// Messages that were sent on it.
  package var count: UInt32 = 0

  init(id: UInt64, port: UInt64) {
    self.id = id
    self.port = port
  }

  func write(to writer: inout MessageWriter) {
    writer.write(id)
    writer.write(port)
    writer.write(count)
  }

  init(_ reader: inout MessageReader) throws(MessageReaderError) {
    id = try reader.read()
    port = try reader.read()
    count = try reader.read()
  }
}

/// What a message carries beside its number, as its right 0.
enum StormCargo {
  case nothing
  case right(StormName)
  /// By the number that its maker gave it.
  case once(UInt32)

  func write(to writer: inout MessageWriter) {
    switch self {
    case .nothing: writer.write(UInt8(0))
    case .right(let name):
      writer.write(UInt8(1))
      name.write(to: &writer)
    case .once(let number):
      writer.write(UInt8(2))
      writer.write(number)
    }
  }

  init(_ reader: inout MessageReader) throws(MessageReaderError) {
    switch try reader.read(UInt8.self) {
    case 1: self = .right(try StormName(&reader))
    case 2: self = .once(try reader.read())
    default: self = .nothing
    }
  }
}
