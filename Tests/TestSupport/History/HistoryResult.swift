package import PortKit

/// What a command came to.
package enum HistoryResult: Hashable, Sendable {
  case done
  case timedOut
  case deadName
  case replyDropped
  /// To `askDead`.
  case isDead(Bool)
  /// To `collect`.
  case reply(UInt32)
  /// To `receive`: what came before the port was empty or the number was reached.
  case arrivals([Arrival])
  /// Something that no history may bring about.
  case failed(String)

  package enum Arrival: Hashable, Sendable {
    /// - Parameter dead: bit n is set when the right at place n was a dead name.
    case message(UInt32, dead: UInt32)
    case noSenders(UInt32)
    case sendOnce
    case deadName(UInt32)
    case portDeleted(UInt32)
  }

  init(_ error: PortError) {
    switch error {
    case .deadName: self = .deadName
    case .timedOut: self = .timedOut
    case .replyDropped: self = .replyDropped
    default: self = .failed("\(error)")
    }
  }
}

extension HistoryResult {
  package func write(to writer: inout MessageWriter) {
    switch self {
    case .done: writer.write(UInt8(0))
    case .timedOut: writer.write(UInt8(1))
    case .deadName: writer.write(UInt8(2))
    case .replyDropped: writer.write(UInt8(3))
    case .isDead(let answer):
      writer.write(UInt8(4))
      writer.write(answer)
    case .reply(let message):
      writer.write(UInt8(5))
      writer.write(message)
    case .arrivals(let arrivals):
      writer.write(UInt8(6))
      writer.write(UInt32(arrivals.count))
      for arrival in arrivals { arrival.write(to: &writer) }
    case .failed(let text):
      writer.write(UInt8(7))
      writer.write(text)
    }
  }

  package init(_ reader: inout MessageReader) throws {
    switch try reader.read(UInt8.self) {
    case 0: self = .done
    case 1: self = .timedOut
    case 2: self = .deadName
    case 3: self = .replyDropped
    case 4: self = .isDead(try reader.readBool())
    case 5: self = .reply(try reader.read())
    case 6:
      var arrivals: [Arrival] = []
      for _ in 0..<(try reader.read(UInt32.self)) { arrivals.append(try Arrival(&reader)) }
      self = .arrivals(arrivals)
    default: self = .failed(try reader.readString())
    }
  }
}

extension HistoryResult.Arrival {
  fileprivate func write(to writer: inout MessageWriter) {
    let (kind, value, dead): (UInt8, UInt32, UInt32) =
      switch self {
      case .message(let id, let dead): (0, id, dead)
      case .noSenders(let count): (1, count, 0)
      case .sendOnce: (2, 0, 0)
      case .deadName(let request): (3, request, 0)
      case .portDeleted(let request): (4, request, 0)
      }
    writer.write(kind)
    writer.write(value)
    writer.write(dead)
  }

  fileprivate init(_ reader: inout MessageReader) throws {
    let (kind, value, dead): (UInt8, UInt32, UInt32) = (try reader.read(), try reader.read(), try reader.read())
    switch kind {
    case 0: self = .message(value, dead: dead)
    case 1: self = .noSenders(value)
    case 2: self = .sendOnce
    case 3: self = .deadName(value)
    default: self = .portDeleted(value)
    }
  }
}
