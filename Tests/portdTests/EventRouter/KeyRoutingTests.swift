import HIDKit
import Testing

@testable import portd

@Suite struct KeyRoutingTests {
  private func key(_ client: ClientID, _ window: WindowID, isDown: Bool, isRepeat: Bool = false) -> Told {
    Told(client: client, window: window, sender: 9, change: .key(.a, isDown: isDown, isRepeat: isRepeat))
  }

  private let down = HIDEvent.key(.a, isDown: true)
  private let up = HIDEvent.key(.a, isDown: false)

  @Test func keysGoToTheFocusAndTouchesDoNotMoveIt() throws {
    var set = try SideBySide()
    _ = set.router.route(frame(finger(1, .began, 10, 10)), from: 9, at: moment)
    #expect(told(set.router.route(down, from: 9, at: moment)) == [key(clientB, set.b, isDown: true)])
    #expect(told(set.router.route(up, from: 9, at: moment)) == [key(clientB, set.b, isDown: false)])
  }

  @Test func anUpGoesWhereItsDownWent() throws {
    var set = try SideBySide()
    _ = set.router.route(down, from: 9, at: moment)
    let newer = try set.router.createWindow(
      client: clientA, frame: HIDRect(x: 0, y: 0, width: 1, height: 1), zOrder: 0, title: "", created: moment)
    #expect(told(set.router.route(up, from: 9, at: moment)) == [key(clientB, set.b, isDown: false)])
    #expect(told(set.router.route(down, from: 9, at: moment)) == [key(clientA, newer, isDown: true)])
  }

  @Test func aDownWithoutUpIsARepeat() throws {
    var set = try SideBySide()
    _ = set.router.route(down, from: 9, at: moment)
    let repeated = HIDEvent.key(.a, isDown: true, isRepeat: true)
    let again = [key(clientB, set.b, isDown: true, isRepeat: true)]
    #expect(told(set.router.route(repeated, from: 9, at: moment)) == again)
    #expect(set.router.counts.downsRepaired == 0)
    #expect(told(set.router.route(down, from: 9, at: moment)) == again)
    #expect(set.router.counts.downsRepaired == 1)
    _ = set.router.route(up, from: 9, at: moment)
    #expect(set.router.route(repeated, from: 9, at: moment) == [])
    #expect(set.router.route(up, from: 9, at: moment) == [])
    #expect(set.router.counts.unknown == 2)
  }

  @Test func keysWithoutAnyWindowAreSwallowed() throws {
    var router = EventRouter(display: HIDSize(width: 10, height: 10))
    #expect(router.route(down, from: 9, at: moment) == [])
    #expect(router.counts.downsOnNothing == 1)
    _ = try router.createWindow(
      client: clientA, frame: HIDRect(x: 0, y: 0, width: 1, height: 1), zOrder: 0, title: "", created: moment)
    #expect(router.route(up, from: 9, at: moment) == [])
    #expect(router.counts.unknown == 0)
    #expect(router.keys.count == 0)
  }

  @Test func aWindowThatGoesHasItsKeysReleasedOnce() throws {
    var set = try SideBySide()
    _ = set.router.route(down, from: 9, at: moment)
    let releases = try set.router.destroyWindow(set.b, of: clientB, at: moment)
    #expect(told(releases) == [key(clientB, set.b, isDown: false)])
    #expect(set.router.route(up, from: 9, at: moment) == [])
    #expect(told(set.router.route(down, from: 9, at: moment)) == [key(clientA, set.a, isDown: true)])
  }

  @Test func keysOfAClientThatIsGoneAreForgotten() throws {
    var set = try SideBySide()
    _ = set.router.route(down, from: 9, at: moment)
    set.router.removeClient(clientB)
    #expect(set.router.route(up, from: 9, at: moment) == [])
    #expect(set.router.counts.unknown == 0)
    #expect(set.router.focus.target == EventTarget(client: clientA, window: set.a))
  }
}
