import HIDKit
import LinuxSystem

/// A client's rectangle on the display that takes touches.
struct Window: Hashable, Sendable {
  let id: WindowID
  let client: ClientID
  let title: String
  var frame: HIDRect
  var zOrder: Int32
  /// When its client first made it.
  let created: Instant

  /// A point of the display in this window's coordinates.
  func local(_ point: HIDPoint) -> HIDPoint { HIDPoint(x: point.x - frame.x, y: point.y - frame.y) }
}

/// All windows, from the top to the bottom: higher order first, among equal ones the newest.
struct WindowTable {
  private(set) var windows: [Window] = []
  private var counts: [ClientID: Int] = [:]
  private var nextID: UInt32 = 1

  subscript(id: WindowID) -> Window? { windows.first { $0.id == id } }

  /// The window that a touch at `point` belongs to. Bounds are half-open.
  func topmost(at point: HIDPoint) -> Window? { windows.first { $0.frame.contains(point) } }

  func windows(of client: ClientID) -> [Window] { windows.filter { $0.client == client } }

  /// - Throws: ``EventSystemStatus/limitReached``.
  mutating func insert(
    client: ClientID, frame: HIDRect, zOrder: Int32, title: String, created: Instant
  ) throws(EventSystemStatus) -> WindowID {
    // Ids are never used again, so that a late message cannot mean another window; when they are used up, that is it.
    guard windows.count < BrokerLimits.windows, counts[client, default: 0] < BrokerLimits.windowsPerClient,
      nextID < UInt32.max
    else { throw .limitReached }
    let window = Window(
      id: WindowID(rawValue: nextID), client: client, title: title, frame: frame, zOrder: zOrder, created: created)
    nextID += 1
    counts[client, default: 0] += 1
    place(window)
    return window.id
  }

  /// - Throws: ``EventSystemStatus/noSuchWindow`` when it is not the client's.
  mutating func move(
    _ id: WindowID, of client: ClientID, frame: HIDRect?, zOrder: Int32?
  ) throws(EventSystemStatus) {
    var window = try remove(id, of: client)
    if let frame { window.frame = frame }
    if let zOrder { window.zOrder = zOrder }
    counts[client, default: 0] += 1
    place(window)
  }

  /// - Throws: ``EventSystemStatus/noSuchWindow`` when it is not the client's.
  @discardableResult
  mutating func remove(_ id: WindowID, of client: ClientID) throws(EventSystemStatus) -> Window {
    guard let index = windows.firstIndex(where: { $0.id == id && $0.client == client }) else { throw .noSuchWindow }
    counts[client, default: 0] -= 1
    if counts[client] == 0 { counts[client] = nil }
    return windows.remove(at: index)
  }

  mutating func removeAll(of client: ClientID) {
    windows.removeAll { $0.client == client }
    counts[client] = nil
  }

  private mutating func place(_ window: Window) {
    let below = windows.firstIndex { Self.isAbove(window, $0) } ?? windows.count
    windows.insert(window, at: below)
  }

  private static func isAbove(_ a: Window, _ b: Window) -> Bool {
    (a.zOrder, a.created, a.id) > (b.zOrder, b.created, b.id)
  }

  func checkInvariants() -> [String] {
    var faults: [String] = []
    if !zip(windows, windows.dropFirst()).allSatisfy({ Self.isAbove($0, $1) }) { faults.append("windows out of order") }
    if counts.values.reduce(0, +) != windows.count { faults.append("windows and clients' counts differ") }
    if windows.count > BrokerLimits.windows { faults.append("too many windows") }
    return faults
  }
}
