import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// A process that gets no further thread. (The superuser always does.)
@Suite struct ThreadShortageTests {
  @Test func whatNeedsAThreadSaysSo() async {
    await #expect(processExitsWith: .success) {
      becomeOrdinaryUser()
      let before = openDescriptors()
      do {
        let port = try ReceiveRight()
        let right = try port.makeSendRight()
        let own = try ReceiveRight()
        let usual = RawProcess.setThreadLimit(1)
        let endings = Endings()
        right.call(Message(id: 1, body: [1])) { endings.add($0) }
        check(endings.all == [.returned(1, [1], .threadShortage)])
        do throws(PortError) {
          _ = try right.requestSendPossibleNotification(to: own)
          Issue.record("a thread")
        } catch {
          check(error == .threadShortage)
        }
        check(port.waiting() == nil && right.post(5) == nil && port.next() == Received(id: 5))
        RawProcess.setThreadLimit(usual)
        // The next one tries again.
        right.call(Message(id: 2)) { endings.add($0) }
        var request = try port.receive(timeout: .seconds(5))
        try request.takeReply()!.send(Message(id: 3)).get()
        check(endings.wait(for: 2).last == .reply(3, []))
      }
      // The reactor's two.
      check(openDescriptors().subtracting(before).count <= 2)
    }
  }
}
