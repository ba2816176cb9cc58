import HIDKit
import Testing

@testable import portd

@Suite struct FocusStackTests {
  private func window(_ number: UInt32) -> WindowID { WindowID(rawValue: number) }
  private func target(_ client: ClientID, _ number: UInt32) -> EventTarget {
    EventTarget(client: client, window: window(number))
  }

  @Test func theNewestWindowsClientHasTheFocusUntilItsWindowsGo() {
    var focus = FocusStack()
    #expect(focus.target == nil)
    focus.windowCreated(window(1), of: clientA, created: moment)
    focus.windowCreated(window(2), of: clientB, created: moment)
    #expect(focus.target == target(clientB, 2))
    focus.windowCreated(window(3), of: clientA, created: moment)
    #expect(focus.target == target(clientA, 3))
    // The client keeps the focus while it has any window.
    focus.windowRemoved(window(3), of: clientA)
    #expect(focus.target == target(clientA, 1))
    focus.windowRemoved(window(1), of: clientA)
    #expect(focus.target == target(clientB, 2))
    focus.windowRemoved(window(9), of: clientA)
    #expect(focus.target == target(clientB, 2))
    focus.clientRemoved(clientB)
    #expect(focus.target == nil)
    #expect(focus.isEmpty)
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
