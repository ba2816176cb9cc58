import LinuxSystem
import Testing

@testable import PortKit

@Suite struct FrameHeaderTests {
  @Test func theLayoutIsFixed() throws {
    var header = FrameHeader(kind: .call, bodySize: 5, id: -2, rights: 1, sequence: 0x0102_0304_0506_0708)
    header.flags = 1
    header.trace = 0x1112_1314_1516_1718
    let bytes: [UInt8] = [
      1, 2, 1, 0, 101, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0,
      8, 7, 6, 5, 4, 3, 2, 1, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
    ]
    #expect(header.encoded() == bytes)
    check(try FrameHeader(decoding: bytes.span) == header)
  }

  @Test func kindsKeepTheirNumbers() {
    #expect(FrameKind.allCases.map(\.rawValue) == Array(1...11))
    #expect(FrameKind.allCases.filter(\.isUserMessage) == [.message, .call, .reply])
    #expect(FrameKind.allCases.filter { $0.controlDescriptors == 1 } == [.adopt, .adoptReply, .keep])
  }

  @Test func theRightTableIsFixed() throws {
    var state = TravelState(nextCall: 0x0102_0304_0506_0708, queueLimit: 1024, copyCredit: 7)
    state.setPackets([QueueLedger.Packet(charge: 768, messages: 1), QueueLedger.Packet(charge: 1280, messages: 4)])
    let entry = RightEntry(kind: .send, index: 258, state: state)
    var bytes: [UInt8] = []
    entry.append(to: &bytes)
    #expect(bytes.prefix(24) == [1, 17, 7, 2, 2, 1, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0, 4, 0, 0, 0, 0, 0, 0])
    #expect(bytes[24..<40] == [0, 3, 0, 0, 1, 0, 0, 0, 0, 5, 0, 0, 4, 0, 0, 0] && bytes.count == 64)
    check(try RightEntry(decoding: bytes.span) == entry)
    bytes = []
    RightEntry(kind: .sendOnce, index: 0).append(to: &bytes)
    #expect(bytes == [2, 18] + [UInt8](repeating: 0, count: 62))
  }

  private func failure(_ change: (inout [UInt8]) -> Void) -> FrameError? {
    var bytes = FrameHeader(kind: .message, bodySize: 0).encoded()
    change(&bytes)
    do throws(FrameError) {
      _ = try FrameHeader(decoding: bytes.span)
      return nil
    } catch {
      return error
    }
  }

  @Test func brokenHeaders() {
    #expect(failure { _ in } == nil)
    #expect(failure { $0 = [] } == .empty)
    for count in 1..<FrameHeader.size { #expect(failure { $0 = Array($0.prefix(count)) } == .shortFrame(bytes: count)) }
    #expect(failure { $0[0] = 2 } == .unknownVersion(2))
    #expect(failure { $0[1] = 0 } == .unknownKind(0))
    #expect(failure { $0[1] = 99 } == .unknownKind(99))
    #expect(failure { $0[14] = 1 } == .nonZeroReserved)
    #expect(failure { $0[15] = 0x80 } == .nonZeroReserved)
  }

  private func entryFailure(_ change: (inout [UInt8]) -> Void) -> FrameError? {
    var bytes: [UInt8] = []
    RightEntry(kind: .send, index: 0).append(to: &bytes)
    change(&bytes)
    do throws(FrameError) {
      _ = try RightEntry(decoding: bytes.span)
      return nil
    } catch {
      return error
    }
  }

  @Test func brokenEntries() {
    #expect(entryFailure({ _ in }) == nil)
    #expect(entryFailure({ $0[0] = 6 }) == .unknownRight(6))
    #expect(entryFailure({ $0[1] = 18 }) == .badDescriptorTable)
    #expect(entryFailure({ $0[3] = 1 }) == nil)
    for (place, value) in [(2, 9), (3, 6), (19, 1), (20, 1), (24, 1), (63, 1)] as [(Int, UInt8)] {
      #expect(entryFailure({ $0[place] = value }) == .badDescriptorTable)
    }
    // Only send rights have a state.
    for place in 1..<RightEntry.size {
      let failure = entryFailure {
        $0 = [3, 16] + [UInt8](repeating: 0, count: 62)
        $0[place] += 1
      }
      #expect(failure == (4..<8 ~= place ? nil : .badDescriptorTable))
    }
  }
}
