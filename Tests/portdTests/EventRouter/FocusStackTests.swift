import HIDKit
import LinuxSystem
import Testing

@testable import portd

@Suite struct FocusStackTests {
  private func window(_ number: UInt32) -> WindowID { WindowID(rawValue: number) }
  private func target(_ client: ClientID, _ number: UInt32) -> EventTarget {
    EventTarget(client: client, window: window(number))
  }

  @Test func theNewestWindowHasTheFocus() {
    var focus = FocusStack()
    #expect(focus.target == nil)
    focus.windowCreated(window(1), of: clientA, created: moment)
    focus.windowCreated(window(2), of: clientB, created: moment)
    #expect(focus.target == target(clientB, 2))
    focus.windowCreated(window(3), of: clientA, created: moment)
    #expect(focus.target == target(clientA, 3))
    focus.windowRemoved(window(3), of: clientA)
    #expect(focus.target == target(clientB, 2))
    focus.windowRemoved(window(9), of: clientA)
    focus.windowRemoved(window(2), of: clientA)
    #expect(focus.target == target(clientB, 2))
    focus.clientRemoved(clientB)
    #expect(focus.target == target(clientA, 1))
    focus.windowRemoved(window(1), of: clientA)
    #expect(focus.target == nil)
    #expect(focus.isEmpty)
  }

  /// As after a restart of the broker: what counts is when windows were made, not when they came.
  @Test func theOrderInWhichWindowsComeDoesNotMatter() {
    let windows = [(1, clientA), (2, clientB), (3, clientA), (4, clientB)] as [(UInt32, ClientID)]
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
      var focus = FocusStack()
      for index in order {
        let (number, client) = windows[index]
        focus.windowCreated(window(number), of: client, created: moment.advanced(by: .seconds(Int(number))))
      }
      for (number, client) in windows.reversed() {
        #expect(focus.target == target(client, number))
        focus.windowRemoved(window(number), of: client)
      }
    }
  }

  @Test func windowsInTheBackgroundGoWithoutNotice() {
    var focus = FocusStack()
    focus.windowCreated(window(1), of: clientA, created: moment)
    focus.windowCreated(window(2), of: clientB, created: moment)
    focus.clientRemoved(clientA)
    #expect(focus.target == target(clientB, 2))
    focus.windowRemoved(window(2), of: clientB)
    #expect(focus.isEmpty)
  }
}
