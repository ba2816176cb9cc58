internal import PortKit

// The fields that messages share, read with the protocol's error and checked against its limits.

extension MessageReader {
  @_lifetime(self: copy self)
  mutating func readNumber<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type = T.self
  ) throws(EventSystemError) -> T {
    do { return try read(type) } catch { throw .reading(error) }
  }

  @_lifetime(self: copy self)
  mutating func readFlag() throws(EventSystemError) -> Bool {
    do { return try readBool() } catch { throw .reading(error) }
  }

  /// A name or title.
  @_lifetime(self: copy self)
  mutating func readText() throws(EventSystemError) -> String {
    let text: String
    do { text = try readString() } catch { throw .reading(error) }
    guard text.utf8.count <= HIDLimits.textBytes else { throw .textTooLong(bytes: text.utf8.count) }
    return text
  }

  @_lifetime(self: copy self)
  mutating func readCoordinate() throws(EventSystemError) -> Double {
    let number: Double
    do { number = try readDouble() } catch { throw .reading(error) }
    guard number.magnitude <= HIDLimits.displayCoordinate else { throw .coordinateOutOfRange(number) }
    return number
  }

  @_lifetime(self: copy self)
  mutating func readFrame() throws(EventSystemError) -> HIDRect {
    let frame = HIDRect(
      x: try readCoordinate(), y: try readCoordinate(), width: try readCoordinate(), height: try readCoordinate())
    guard frame.width > 0, frame.height > 0 else { throw .emptyFrame(frame) }
    return frame
  }

  /// A number of entries that follow.
  @_lifetime(self: copy self)
  mutating func readCount(limit: Int) throws(EventSystemError) -> Int {
    let count = Int(try readNumber(UInt16.self))
    guard count <= limit else { throw .tooMany(count, limit: limit) }
    return count
  }

  @_lifetime(self: copy self)
  mutating func readEvent() throws(EventSystemError) -> HIDEvent {
    do { return try HIDEvent(reading: &self) } catch { throw .event(error) }
  }
}

extension MessageWriter {
  mutating func write(_ frame: HIDRect) {
    for number in [frame.x, frame.y, frame.width, frame.height] { write(number) }
  }

  mutating func writeText(_ text: String) {
    precondition(text.utf8.count <= HIDLimits.textBytes, "text longer than HIDLimits.textBytes")
    write(text)
  }
}
