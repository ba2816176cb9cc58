public import PortKit

/// One delivery of portd to one client: what one moment means for its windows. The client answers it with
/// ``EventsFinished`` once its views have seen it.
public struct HIDEvents: EventSystemMessage {
  public static let messageID = EventSystemMessageID.hidEvents

  /// Counts the deliveries to this client from 1, without gaps.
  public var sequence: UInt64

  /// When portd got the events, in nanoseconds of CLOCK_MONOTONIC.
  public var readNanoseconds: Int64

  /// When portd sent this message, in nanoseconds of CLOCK_MONOTONIC.
  public var deliveryNanoseconds: Int64

  /// In the order in which things happened; together at most ``HIDLimits/eventsPerDelivery`` events.
  public var events: [WindowEvent]

  public init(sequence: UInt64, readNanoseconds: Int64, deliveryNanoseconds: Int64, events: [WindowEvent]) {
    self.sequence = sequence
    self.readNanoseconds = readNanoseconds
    self.deliveryNanoseconds = deliveryNanoseconds
    self.events = events
  }

  public init(reading reader: inout MessageReader) throws(EventSystemError) {
    sequence = try reader.readNumber()
    readNanoseconds = try reader.readNumber()
    deliveryNanoseconds = try reader.readNumber()
    events = []
    var nodes = 0
    for _ in 0..<(try reader.readCount(limit: HIDLimits.eventsPerDelivery)) {
      let item = try WindowEvent(reading: &reader)
      nodes += item.event.nodeCount
      guard nodes <= HIDLimits.eventsPerDelivery else { throw .tooMany(nodes, limit: HIDLimits.eventsPerDelivery) }
      events.append(item)
    }
  }

  /// - Precondition: the events are valid and within their limit.
  public func write(to writer: inout MessageWriter) {
    let nodes = events.reduce(0) { $0 + $1.event.nodeCount }
    precondition(nodes <= HIDLimits.eventsPerDelivery, "more events than HIDLimits.eventsPerDelivery")
    writer.write(sequence)
    writer.write(readNanoseconds)
    writer.write(deliveryNanoseconds)
    writer.write(UInt16(events.count))
    for event in events { event.write(to: &writer) }
  }
}
