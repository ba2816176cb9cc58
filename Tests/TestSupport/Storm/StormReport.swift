package import PortKit

/// How much happened.
package struct StormCounts {
  package var replies: UInt32 = 0
  package var droppedReplies: UInt32 = 0
  package var deadCalls: UInt32 = 0
  package var movedPorts: UInt32 = 0
  package var handedReplies: UInt32 = 0

  package init() {}

  package static func += (a: inout StormCounts, b: StormCounts) {
    a.replies += b.replies
    a.droppedReplies += b.droppedReplies
    a.deadCalls += b.deadCalls
    a.movedPorts += b.movedPorts
    a.handedReplies += b.handedReplies
  }

  private var all: [UInt32] { [replies, droppedReplies, deadCalls, movedPorts, handedReplies] }

  fileprivate func write(to writer: inout MessageWriter) { for count in all { writer.write(count) } }

  fileprivate init(_ reader: inout MessageReader) throws(MessageReaderError) {
    replies = try reader.read()
    droppedReplies = try reader.read()
    deadCalls = try reader.read()
    movedPorts = try reader.read()
    handedReplies = try reader.read()
  }
}

/// What one actor got and did in a round.
package struct StormReport {
  package var ports: [StormRecord]
  /// Rights that ended here, with all that was ever sent on them.
  package var dropped: [StormName]
  /// Rights that went on from here, with what had been sent until then.
  package var given: [StormName]
  package var counts: StormCounts

  init(ports: [StormRecord], dropped: [StormName], given: [StormName], counts: StormCounts) {
    self.ports = ports
    self.dropped = dropped
    self.given = given
    self.counts = counts
  }

  func write(to writer: inout MessageWriter) {
    writer.write(UInt32(ports.count))
    for port in ports { port.write(to: &writer) }
    for names in [dropped, given] {
      writer.write(UInt32(names.count))
      for name in names { name.write(to: &writer) }
    }
    counts.write(to: &writer)
  }

  package init(_ reader: inout MessageReader) throws(MessageReaderError) {
    (ports, dropped, given) = ([], [], [])
    for _ in 0..<(try reader.read(UInt32.self)) { ports.append(try StormRecord(&reader)) }
    for _ in 0..<(try reader.read(UInt32.self)) { dropped.append(try StormName(&reader)) }
    for _ in 0..<(try reader.read(UInt32.self)) { given.append(try StormName(&reader)) }
    counts = try StormCounts(&reader)
  }
}
