import LinuxSystem
import Testing

@testable import PortKit

@Suite struct WireTableTests {
  private func end(isSendOnce: Bool = false) throws -> MailboxEnd {
    MailboxEnd(PacketSocket(try EventCounter().descriptor.duplicate()), isSendOnce: isSendOnce)
  }

  @Test func sendersAndOthersAreCounted() throws {
    var table = WireTable()
    let first = try #require(table.insert(try end(), cookie: 1))
    let once = try #require(table.insert(try end(isSendOnce: true), cookie: 2))
    #expect(table.count == 2 && table.senders == 1)
    #expect(table.only == nil && table.keys == [first, once])
    table.remove(first)
    #expect(table.count == 1 && table.senders == 0 && table.only == once)
    #expect(table[first] == nil && table.remove(first) == nil)
    #expect(table.count == 1)
  }

  @Test func aSocketIsHereOnceAtATime() throws {
    var table = WireTable()
    let key = try #require(table.insert(try end(), cookie: 1))
    #expect(table.insert(try end(), cookie: 1) == nil)
    #expect(table.count == 1)
    table.remove(key)
    #expect(table.insert(try end(), cookie: 1) != nil)
  }

  @Test func aKeyIsNeverUsedAgain() throws {
    var table = WireTable()
    var seen: Set<UInt64> = []
    for cookie in 0..<1000 as Range<UInt64> {
      let key = try #require(table.insert(try end(), cookie: cookie))
      #expect(seen.insert(key).inserted)
      #expect(key != Doorbell.key && key & MailboxState.watchFlag == 0)
      table.remove(key)
    }
  }

  @Test func generationsNeverLookLikeAWatch() {
    #expect(WireTable.generation(after: 1) == 2)
    #expect(WireTable.generation(after: 0x7fff_fffe) == 0x7fff_ffff)
    #expect(WireTable.generation(after: 0x7fff_ffff) == 1)
  }
}
