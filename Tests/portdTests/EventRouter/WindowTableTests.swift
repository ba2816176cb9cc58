import HIDKit
import Testing

@testable import portd

@Suite struct WindowTableTests {
  private let square = HIDRect(x: 0, y: 0, width: 10, height: 10)

  @Test func theNewestOfEqualOrderIsOnTop() throws {
    var table = WindowTable()
    let origin = HIDPoint(x: 0, y: 0)
    let low = try table.insert(client: clientA, frame: square, zOrder: 0, title: "", created: moment)
    let high = try table.insert(client: clientA, frame: square, zOrder: 5, title: "", created: moment)
    let newer = try table.insert(client: clientB, frame: square, zOrder: 0, title: "", created: moment)
    #expect(table.windows.map(\.id) == [high, newer, low])
    #expect(table.topmost(at: origin)?.id == high)
    try table.move(high, of: clientA, frame: nil, zOrder: -1)
    #expect(table.topmost(at: origin)?.id == newer)
    try table.move(low, of: clientA, frame: HIDRect(x: 0, y: 0, width: 1, height: 1), zOrder: 7)
    #expect(table.topmost(at: origin)?.id == low)
    #expect(table.topmost(at: HIDPoint(x: 1, y: 0))?.id == newer)
    #expect(table.topmost(at: HIDPoint(x: 10, y: 0)) == nil)
    #expect(table.checkInvariants() == [])
  }

  @Test func windowsAreTheirClientsOwn() throws {
    var table = WindowTable()
    let id = try table.insert(client: clientA, frame: square, zOrder: 0, title: "t", created: moment)
    #expect(throws: EventSystemStatus.noSuchWindow) { try table.remove(id, of: clientB) }
    #expect(throws: EventSystemStatus.noSuchWindow) { try table.move(id, of: clientB, frame: nil, zOrder: 1) }
    #expect(table[id]?.zOrder == 0)
    try table.remove(id, of: clientA)
    #expect(throws: EventSystemStatus.noSuchWindow) { try table.remove(id, of: clientA) }
    #expect(try table.insert(client: clientA, frame: square, zOrder: 0, title: "", created: moment) > id)
  }

  @Test func limitsHoldAtTheirEdges() throws {
    var table = WindowTable()
    for client in 1...UInt32(BrokerLimits.windows / BrokerLimits.windowsPerClient) {
      for _ in 0..<BrokerLimits.windowsPerClient {
        _ = try table.insert(client: ClientID(rawValue: client), frame: square, zOrder: 0, title: "", created: moment)
      }
      if client == 1 {
        #expect(throws: EventSystemStatus.limitReached) {
          try table.insert(client: clientA, frame: square, zOrder: 0, title: "", created: moment)
        }
      }
    }
    let another = ClientID(rawValue: 99)
    #expect(throws: EventSystemStatus.limitReached) {
      try table.insert(client: another, frame: square, zOrder: 0, title: "", created: moment)
    }
    table.removeAll(of: clientA)
    #expect(table.windows(of: clientA).isEmpty)
    _ = try table.insert(client: another, frame: square, zOrder: 0, title: "", created: moment)
    #expect(table.checkInvariants() == [])
  }
}
