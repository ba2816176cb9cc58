public import PortKit

/// The bytes of an event: a version, then its nodes, each with its children behind it.
///
/// A node is: type (8 bits), injected (8), time (64), sender (64), payload, number of children (8). Everything is
/// little-endian without padding. Whatever the bytes are, reading either gives an event that ``HIDEvent/validate()``
/// accepts or throws; it never traps and allocates no more than the bytes that are there can fill.
extension HIDEvent {
  static let codingVersion: UInt8 = 1

  /// - Throws: ``HIDEventError``. The reader then stands somewhere inside the event.
  public init(reading reader: inout MessageReader) throws(HIDEventError) {
    let version: UInt8 = try reader.number()
    guard version == Self.codingVersion else { throw .unsupportedVersion(version) }
    try self.init(node: &reader, depth: 1)
    try validate()
  }

  /// - Precondition: ``validate()`` accepts the event.
  public func write(to writer: inout MessageWriter) {
    precondition((try? validate()) != nil, "event beyond the limits of HIDLimits")
    writer.write(Self.codingVersion)
    writeNode(to: &writer)
  }

  /// Whether the event may be sent: depth, number of children, shape, and finite numbers.
  public func validate() throws(HIDEventError) { try validate(depth: 1) }

  private func validate(depth: Int) throws(HIDEventError) {
    guard depth <= HIDLimits.eventDepth else { throw .tooDeep }
    guard children.count <= HIDLimits.childrenPerEvent else { throw .tooManyChildren(children.count) }
    switch payload {
    case .keyboard:
      guard children.isEmpty, depth == 1 else { throw .misplacedChild }
    case .digitizer(let event):
      try event.validate()
      let isHand = event.transducer == .hand
      guard isHand ? depth == 1 : children.isEmpty else { throw depth == 1 ? .misplacedChild : .tooDeep }
    }
    for child in children { try child.validate(depth: depth + 1) }
  }

  private init(node reader: inout MessageReader, depth: Int) throws(HIDEventError) {
    guard depth <= HIDLimits.eventDepth else { throw .tooDeep }
    let kindOffset = reader.offset
    let kindNumber: UInt8 = try reader.number()
    let injected = try reader.flag()
    let timestamp: Int64 = try reader.number()
    let sender: UInt64 = try reader.number()
    let payload: Payload
    switch Kind(rawValue: kindNumber) {
    case .digitizer: payload = .digitizer(try DigitizerEvent(reading: &reader))
    case .keyboard: payload = .keyboard(try KeyboardEvent(reading: &reader))
    case nil: throw .reading(.invalidValue(UInt64(kindNumber), offset: kindOffset))
    }
    let count = Int(try reader.number(UInt8.self))
    guard count <= HIDLimits.childrenPerEvent else { throw .tooManyChildren(count) }
    var children: [HIDEvent] = []
    for _ in 0..<count { children.append(try HIDEvent(node: &reader, depth: depth + 1)) }
    self.init(
      payload, timestampNanoseconds: timestamp, senderID: sender, isInjected: injected, children: children)
  }

  private func writeNode(to writer: inout MessageWriter) {
    writer.write(kind.rawValue)
    writer.write(isInjected)
    writer.write(timestampNanoseconds)
    writer.write(senderID)
    switch payload {
    case .digitizer(let event): event.write(to: &writer)
    case .keyboard(let event): event.write(to: &writer)
    }
    writer.write(UInt8(children.count))
    for child in children { child.writeNode(to: &writer) }
  }
}

extension DigitizerEvent {
  fileprivate init(reading reader: inout MessageReader) throws(HIDEventError) {
    let offset = reader.offset
    let number: UInt8 = try reader.number()
    guard let transducer = Transducer(rawValue: number) else {
      throw .reading(.invalidValue(UInt64(number), offset: offset))
    }
    self.init(
      transducer: transducer, index: try reader.number(), identity: try reader.number(),
      eventMask: EventMask(rawValue: try reader.number()), isInRange: try reader.flag(),
      isTouching: try reader.flag(), x: try reader.real(), y: try reader.real(),
      pressure: try reader.real(), majorRadius: try reader.real(), minorRadius: try reader.real())
  }

  fileprivate func write(to writer: inout MessageWriter) {
    writer.write(transducer.rawValue)
    writer.write(index)
    writer.write(identity)
    writer.write(eventMask.rawValue)
    writer.write(isInRange)
    writer.write(isTouching)
    for number in [x, y, pressure, majorRadius, minorRadius] { writer.write(number) }
  }

  fileprivate func validate() throws(HIDEventError) {
    for number in [x, y, pressure, majorRadius, minorRadius] {
      guard number.magnitude <= HIDLimits.eventCoordinate else { throw .numberOutOfRange(number) }
    }
  }
}

extension KeyboardEvent {
  fileprivate init(reading reader: inout MessageReader) throws(HIDEventError) {
    self.init(
      usagePage: try reader.number(), usage: HIDUsage(rawValue: try reader.number()),
      isDown: try reader.flag(), isRepeat: try reader.flag())
  }

  fileprivate func write(to writer: inout MessageWriter) {
    writer.write(usagePage)
    writer.write(usage.rawValue)
    writer.write(isDown)
    writer.write(isRepeat)
  }
}

/// The reader's calls with this file's error.
extension MessageReader {
  @_lifetime(self: copy self)
  fileprivate mutating func number<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type = T.self
  ) throws(HIDEventError) -> T {
    do { return try read(type) } catch { throw .reading(error) }
  }

  @_lifetime(self: copy self)
  fileprivate mutating func flag() throws(HIDEventError) -> Bool {
    do { return try readBool() } catch { throw .reading(error) }
  }

  @_lifetime(self: copy self)
  fileprivate mutating func real() throws(HIDEventError) -> Double {
    do { return try readDouble() } catch { throw .reading(error) }
  }
}
