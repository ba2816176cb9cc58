import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct RightsReportTests {
  @Test func eachLivingRightIsListedWithItsOrigin() async {
    await #expect(processExitsWith: .success) { try RightsReportTests.useRights() }
  }

  /// Not in the test itself, whose macro makes one line of it.
  private static func useRights() throws {
    let early = try ReceiveRight()
    #expect(RightsReport.current().entries.isEmpty)
    RightsReport.start()
    let line: UInt = #line + 1
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let once = OnceBox(try port.makeSendOnceRight())
    func report() -> [RightsReport.Entry] { RightsReport.current().entries }
    #expect(report().map(\.kind) == [.receive, .send, .sendOnce])
    #expect(report().map(\.line) == [line, line + 1, line + 2])
    #expect(report().allSatisfy { $0.fileID == #fileID })
    check(report()[1].cookie == (try right.end.socket.cookie()), "the wire's cookie")
    check(report()[0].cookie == port.id.number, "the port's number")
    _ = once.take()
    #expect(report().count == 2)
    // In a message it belongs to nobody; whoever takes it out holds it.
    var message = Message(id: 1)
    message.attach(try right.copy())
    message.attach(try port.makeSendOnceRight())
    #expect(report().count == 2)
    try right.send(message).get()
    // Before it came the notice of the right that was dropped.
    check(port.next()?.notification == .sendOnce, "the dropped right")
    var received = try port.receive(timeout: .seconds(5))
    let taken: UInt = #line + 1
    let copy = try received.takeSendRight(at: 0)
    let other = OnceBox(try received.takeSendOnceRight(at: 1))
    #expect(report().suffix(2).map(\.line) == [taken, taken + 1])
    check(error(of: copy.send(Message(id: 2))) == nil, "a copy works")
    _ = other.take()
    RightsReport.stop()
    let unlisted = try right.copy()
    #expect(report().map(\.kind) == [.receive, .send, .send])
    check(unlisted.post(1) == nil && early.waiting() == nil, "rights that are not listed work")
  }

  @Test func whatIsLeftIsPrintedAtTheEnd() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      RightsReport.printAtExit()
      Leak.port = PortBox(try ReceiveRight())
      // The test's own process ends without what `exit` runs.
      exit(0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("rights alive: 1\n  receive right"))
    #expect(text.contains("PortKitTests/RightsReportTests.swift:"))
  }

  private enum Leak {
    static var port: PortBox? {
      get { box.withLock { $0 } }
      set { box.withLock { $0 = newValue } }
    }
    private static let box = Monitor<PortBox?>(nil)
  }
}
