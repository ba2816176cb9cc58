import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import PortKit

/// A service that ends: nothing that was sent is lost, nothing is sent that would be.
@Suite struct ShutDownTests {
  @Test func whatWasSentBeforeIsHandledAndNothingAfter() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let copy = try right.copy()
    let endings = Endings()
    for id in Int32(1)...2 { check(right.post(id) == nil && copy.post(id + 10) == nil) }
    right.call(Message(id: 3)) { endings.add($0) }
    copy.call(Message(id: 4)) { endings.add($0) }
    right.call(Message(id: 5)) { endings.add($0) }
    var handled: [Int32] = []
    try port.shutDown { message in
      if handled.isEmpty {
        check(right.post(99) == .deadName && Ending(copy.call(Message(id: 98))) == .returned(98, [], .deadName))
      }
      handled.append(message.id)
      return message.id == 5 ? nil : Message(id: message.id + 100)
    }
    #expect(Set(handled) == [1, 2, 3, 4, 5, 11, 12])
    #expect(Set(endings.wait(for: 3)) == [.reply(103, []), .reply(104, []), .failed(.replyDropped)])
    check(right.isDeadName && copy.isDeadName && right.post(1) == .deadName)
  }

  @Test func aReplyThatIsTakenOutIsGivenLater() throws {
    let port = try ReceiveRight()
    let right = try port.makeSendRight()
    let endings = Endings()
    right.call(Message(id: 1)) { endings.add($0) }
    var kept: OnceBox?
    try port.shutDown { message in
      if let reply = message.takeReply() { kept = OnceBox(reply) }
      return nil
    }
    try kept!.take()!.send(Message(id: 2)).get()
    #expect(endings.wait(for: 1) == [.reply(2, [])])
  }

  @Test func aSenderThatWaitsForRoomGetsItsMessageBack() throws {
    let port = try ReceiveRight()
    let right = RightBox(try port.makeSendRight())
    let mail = right.right.fill()
    let endings = Endings()
    right.right.call(Message(id: 50, body: [1])) { endings.add($0) }
    let isTrying = Flag()
    let waiter = WorkerThread {
      isTrying.raise()
      endings.add(right.right.call(Message(id: 51, body: [2]), timeout: .seconds(5)))
    }
    isTrying.wait()
    var handled: [Int32] = []
    try port.shutDown { message in
      handled.append(message.id)
      return nil
    }
    waiter.join()
    #expect(handled.count == mail && handled.allSatisfy { $0 == 7 })
    #expect(Set(endings.wait(for: 2)) == [.returned(50, [1], .deadName), .returned(51, [2], .deadName)])
  }

  /// Each call ends with its answer or was never sent, whatever the moment; and what was handled was answered.
  @Test func callersThatRaceAreAnsweredOrRefused() throws {
    for _ in 0..<30 {
      let port = try ReceiveRight()
      let rights = try (0..<4).map { _ in RightBox(try port.makeSendRight()) }
      let replies = Atomic(0)
      let others = Endings()
      let threads = rights.map { right in
        WorkerThread {
          while true {
            switch Ending(right.right.call(Message(id: 1, body: [1]), timeout: .seconds(10))) {
            case .reply: replies.add(1, ordering: .relaxed)
            case .returned(1, [1], .deadName): return
            case .failed(let error): return others.add(.failed(error))
            case .returned(_, _, let error): return others.add(.failed(error))
            }
          }
        }
      }
      var handled = 0
      for _ in 0..<20 {
        var message = try port.receive(timeout: .seconds(5))
        try message.takeReply()!.send(Message(id: 2)).get()
        handled += 1
      }
      try port.shutDown { _ in
        handled += 1
        return Message(id: 2)
      }
      for thread in threads { thread.join() }
      #expect(others.all.isEmpty && replies.load(ordering: .relaxed) == handled)
    }
  }
}
