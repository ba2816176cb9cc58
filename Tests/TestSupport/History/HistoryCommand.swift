package import PortKit

/// One step of a history that a model and real processes go through alike. The driver names every object by a number.
package struct HistoryCommand: Hashable, Sendable {
  package enum Operation: UInt8, Sendable {
    /// `subject`: the new port.
    case makePort
    /// `subject`: the port; `object`: the new right.
    case makeRight, makeOnce
    /// `subject`: the right; `object`: the copy.
    case copy
    case dropRight, dropOnce, destroyPort
    /// `subject`: the right; `value`: the message; `rights`, `object`: a new or held send-once right for replies, or 0.
    case send
    /// `subject`: the send-once right; `value`: the message; `rights`.
    case answer
    /// `subject`: the right; `value`: the message; `object`: the call.
    case call
    /// `subject`: the call, which has ended.
    case collect
    /// `subject`: the port; `value`: at most so many.
    case receive
    /// `subject`: the port; `value`: from which make-send count on.
    case armNoSenders
    /// `subject`: the right; `object`: the port to be told; `value`: the request.
    case armDeadName
    case setLimit
    /// `subject`: the right.
    case askDead
    /// `subject`: a right that leaves with the answer, or comes with this batch at place `value`.
    case export, importRight
  }

  /// What moves in a message.
  package struct Attachment: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
      case send, sendOnce, port
    }

    package let kind: Kind
    package let handle: UInt32

    package init(_ kind: Kind, _ handle: UInt32) {
      self.kind = kind
      self.handle = handle
    }
  }

  package let operation: Operation
  package let subject: UInt32
  package let object: UInt32
  package let value: UInt32
  package let rights: [Attachment]

  package init(
    _ operation: Operation, _ subject: UInt32, object: UInt32 = 0, value: UInt32 = 0, rights: [Attachment] = []
  ) {
    self.operation = operation
    self.subject = subject
    self.object = object
    self.value = value
    self.rights = rights
  }
}

extension HistoryCommand {
  /// For people.
  package var text: String {
    "\(operation) \(subject) object \(object) value \(value) rights \(rights.map { "\($0.kind) \($0.handle)" })"
  }

  package func write(to writer: inout MessageWriter) {
    writer.write(operation.rawValue)
    for word in [subject, object, value] { writer.write(word) }
    Self.write(rights, to: &writer)
  }

  package init(_ reader: inout MessageReader) throws {
    guard let operation = Operation(rawValue: try reader.read()) else { throw HistoryError.notUnderstood }
    self.init(
      operation, try reader.read(), object: try reader.read(), value: try reader.read(),
      rights: try Self.readRights(&reader))
  }

  static func write(_ rights: [Attachment], to writer: inout MessageWriter) {
    writer.write(UInt8(rights.count))
    for right in rights {
      writer.write(right.kind.rawValue)
      writer.write(right.handle)
    }
  }

  static func readRights(_ reader: inout MessageReader) throws -> [Attachment] {
    var rights: [Attachment] = []
    for _ in 0..<(try reader.read(UInt8.self)) {
      guard let kind = Attachment.Kind(rawValue: try reader.read()) else { throw HistoryError.notUnderstood }
      rights.append(Attachment(kind, try reader.read()))
    }
    return rights
  }
}

package enum HistoryError: Error {
  case notUnderstood
  /// The driver named an object that is not here.
  case unknown(String, UInt32)
  case noAnswer(String)
}
