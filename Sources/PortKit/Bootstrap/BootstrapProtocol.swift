/// The requests of the name server, declared once for both sides. All are calls on the client's own wire to the broker.
package enum BootstrapMessageID: Int32, Sendable, CaseIterable {
  /// Right 0: a send right to the caller's new port. Body: name.
  case checkIn = 0x5000
  /// Right 0: the send right to hand out. Body: name.
  case register = 0x5001
  /// Body: name, then how long to wait in nanoseconds (0: not at all, UInt64.max: as long as the caller lives).
  /// Reply: right 0, a send right.
  case lookUp = 0x5002
  /// Body: the name after which to begin. Reply: the next names with their owners; none at the end.
  case listServices = 0x5003
  /// Every reply. Body: status, then what the request's reply has.
  case reply = 0x50ff
}

package enum BootstrapStatus: UInt32, Sendable, CaseIterable {
  case ok = 0
  case unknownService = 1102
  case serviceActive = 1103
  case timedOut = 1
  case limitReached = 2
  case malformed = 3
  case invalidName = 4
}

package struct NameRequest: Sendable, Equatable {
  package let name: [UInt8]
  package let waitNanoseconds: UInt64

  package static let forever = UInt64.max

  package init(name: [UInt8], waitNanoseconds: UInt64 = 0) {
    self.name = name
    self.waitNanoseconds = waitNanoseconds
  }

  package init(reading reader: inout MessageReader) throws(MessageReaderError) {
    let count = Int(try reader.read(UInt16.self))
    name = try reader.readBytes(count)
    waitNanoseconds = try reader.read()
    try reader.expectEnd()
  }

  package func write(to writer: inout MessageWriter) {
    writer.write(UInt16(clamping: name.count))
    for byte in name { writer.write(byte) }
    writer.write(waitNanoseconds)
  }
}

package struct ServiceListing: Sendable, Equatable {
  package struct Entry: Sendable, Equatable {
    package let name: String
    package let processID: Int32
    package let userID: UInt32

    package init(name: String, processID: Int32, userID: UInt32) {
      self.name = name
      self.processID = processID
      self.userID = userID
    }
  }

  package let entries: [Entry]

  package init(_ entries: [Entry]) { self.entries = entries }

  package init(reading reader: inout MessageReader) throws(MessageReaderError) {
    var entries: [Entry] = []
    for _ in 0..<(try reader.read(UInt32.self)) {
      entries.append(
        Entry(name: try reader.readString(), processID: try reader.read(), userID: try reader.read()))
    }
    try reader.expectEnd()
    self.entries = entries
  }

  package func write(to writer: inout MessageWriter) {
    writer.write(UInt32(entries.count))
    for entry in entries {
      writer.write(entry.name)
      writer.write(entry.processID)
      writer.write(entry.userID)
    }
  }
}
