/// Every bound on what HID events and event-system messages may hold, with its reason. Both sides check the same ones.
public enum HIDLimits {
  /// How long the broker may take for a request of a client on a run loop: one that hangs must not hang the loop for
  /// ever.
  public static let requestTimeout: Duration = .seconds(5)

  /// A hand with its fingers: nothing that we route is deeper, and a bound keeps decoding off the stack.
  public static let eventDepth = 2

  /// Contacts in one frame. Touch panels report 10 to 16; three hands of spare room.
  public static let childrenPerEvent = 32

  /// Events in one delivery, parents and children together. At about 73 bytes each they fill a little more than half of
  /// the 64 KiB that travel inline in a message, so a delivery never goes out of line.
  public static let eventsPerDelivery = 512

  /// Magnitude of any number in an event. Far beyond every display, and differences of two stay finite and exact to
  /// better than a millionth of a point.
  public static let eventCoordinate = 1e9

  /// Magnitude of what a client may say on the display: window frames and injected points. A thousandth of
  /// ``eventCoordinate``, so that window-local coordinates made from both are always valid event coordinates.
  public static let displayCoordinate = 1e6

  /// Deliveries that may wait in a client's event port: twice what the broker sends ahead of the answers.
  public static let eventQueue = 128

  /// Bytes of a client's name or a window's title, as for service names.
  public static let textBytes = 128

  /// Windows in one listing. With their texts at full length they fit 64 KiB.
  public static let windowsPerListing = 128

  /// Moves of one script: a minute at 240 Hz is 14 400; a script is a list in memory, not a stream.
  public static let scriptSteps = 20_000

  /// Length of a script, and of each wait in it. An hour is longer than any gesture, and nanosecond sums stay far from
  /// overflow.
  public static let scriptDuration: Duration = .seconds(3600)
}
