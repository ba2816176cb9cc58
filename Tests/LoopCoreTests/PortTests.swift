import LinuxSystem
import PortKit
import TestSupport
import Testing

@testable import LoopCore

/// Cases 58 to 61, and what a port source promises beyond CFRunLoop's: each message, replies, fairness.
@Suite struct PortTests {
  /// A port on the loop whose messages are written down with the port's name.
  private struct TracedPort {
    let source: Loop.Source1
    let right: RightBox

    init(_ name: String, on loop: Loop, order: Int = 0, _ trace: LoopTrace) throws {
      source = Loop.Source1(try ReceiveRight(), order: order) { message in
        trace.mark("\(name)\(message.id)")
        return nil
      }
      right = RightBox(try source.withRight { port throws(PortError) in try port.makeSendRight() }!)
      loop.add(source)
    }

    func send(_ id: Int32) throws { try right.right.send(Message(id: id), timeout: .zero).get() }
  }

  @Test func case58AReadablePort() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      var this: Loop.Source1?
      let source = Loop.Source1(try ReceiveRight()) { message in
        trace.mark("P\(message.id)")
        #expect(this!.withRight { errorOfReceiving(from: $0) } == .timedOut, "the message is out of the port")
        return nil
      }
      this = source
      // Pending before the source is added.
      let right = try source.withRight { port throws(PortError) in try port.makeSendRight() }!
      try right.send(Message(id: 1)).get()
      loop.add(source)
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(trace.text == "E BT BS BW AW P1 X")
      source.invalidate()
    }
  }

  @Test func eachMessageIsOneCalloutAndOneTurn() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      let port = try TracedPort("P", on: loop, trace)
      for id in 1...3 { try port.send(Int32(id)) }
      loop.after(.milliseconds(20)) { _ in loop.stop() }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "E BT BS BW AW P1 BT BS BW AW P2 BT BS BW AW P3 BT BS BW AW X")
      port.source.invalidate()
    }
  }

  @Test(arguments: [[1, 2], [2, 1]])
  func case59PortsAreServedAsTheyBecameReady(order: [Int]) throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.observe(.beforeTimers) { _ in trace.mark("BT") }
      let first = try TracedPort("P", on: loop, order: 9, trace)
      let second = try TracedPort("P", on: loop, order: -9, trace)
      for number in order { try (number == 1 ? first : second).send(Int32(number)) }
      loop.run(for: .seconds(60), returnAfterSourceHandled: true)
      loop.run(for: .seconds(60), returnAfterSourceHandled: true)
      #expect(trace.text == "BT P\(order[0]) BT P\(order[1])")
    }
  }

  @Test func case59APortAddedToASleepingLoop() throws {
    try onLoopThread { loop in
      loop.keep()
      let port = try ReceiveRight()
      let right = try port.makeSendRight()
      try right.send(Message(id: 7)).get()
      let holder = PortHolder(port)
      let received = Counter()
      let remote = loop.remote
      let other = WorkerThread {
        waitUntil { remote.isWaiting }
        remote.perform {
          let source = Loop.Source1(holder.take()!) { message in
            #expect(message.id == 7)
            received.bump()
            return nil
          }
          Loop.current.add(source)
        }
      }
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(received.value == 1)
      other.join()
    }
  }

  @Test func aMessageFromAnotherThreadWakesTheLoop() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.add(trace.observer())
      let port = try TracedPort("P", on: loop, trace)
      let remote = loop.remote
      let right = port.right
      let other = WorkerThread {
        waitUntil { remote.isWaiting }
        _ = right.right.send(Message(id: 5))
      }
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(trace.text == "E BT BS BW AW P5 X")
      other.join()
    }
  }

  @Test func repliesOfEachKind() throws {
    try onLoopThread { loop in
      let kept = MessageRightKeeper()
      let source = Loop.Source1(try ReceiveRight()) { message in
        switch message.id {
        case 1: return Message(id: message.id + 100, body: message.body)
        case 2: return nil
        default:
          kept.keep(message.takeReply())
          loop.perform { kept.answer(Message(id: 300)) }
          return nil
        }
      }
      loop.add(source)
      let right = RightBox(try source.withRight { port throws(PortError) in try port.makeSendRight() }!)
      let remote = loop.remote
      let caller = WorkerThread {
        do {
          let reply = try right.right.call(Message(id: 1, body: [9, 8])).get()
          #expect(reply.id == 101 && bytes(of: reply) == [9, 8])
        } catch { Issue.record(error) }
        #expect(ending(right.right.call(Message(id: 2))) == .replyDropped)
        do {
          let reply = try right.right.call(Message(id: 3)).get()
          #expect(reply.id == 300)
        } catch { Issue.record(error) }
        remote.stop()
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      caller.join()
      source.invalidate()
      #expect(ending(right.right.call(Message(id: 1))) == .deadName)
    }
  }

  @Test func notificationsComeAsMessages() throws {
    try onLoopThread { loop in
      var notification: PortNotification?
      let source = Loop.Source1(try ReceiveRight()) { message in
        notification = message.notification
        return nil
      }
      loop.add(source)
      try source.withRight { port throws(PortError) in
        _ = try port.makeSendRight()
        try port.requestNoSendersNotification()
      }
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(notification == .noSenders(makeSendCount: 1))
    }
  }

  @Test func aPortInTwoModesServesEachMessageOnce() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let port = try TracedPort("P", on: loop, trace)
      loop.add(port.source, to: .x)
      for id in 1...4 { try port.send(Int32(id)) }
      for mode in [Loop.Mode.default, .x, .x, .default] {
        #expect(loop.run(in: mode, for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      }
      #expect(trace.text == "P1 P2 P3 P4")
      // Old entries of both modes are passed over without a turn.
      loop.add(trace.observer(), to: .x)
      trace.clear()
      #expect(loop.run(in: .x, for: .milliseconds(20)) == .timedOut)
      #expect(trace.text == "E BT BS BW AW X")
    }
  }

  @Test func nestedRunsKeepTheOrderOfMessages() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      var source: Loop.Source1?
      source = Loop.Source1(try ReceiveRight()) { message in
        trace.mark("P\(message.id)(")
        if message.id < 3 { loop.run(for: .seconds(60), returnAfterSourceHandled: true) }
        trace.mark(")")
        return nil
      }
      loop.add(source!)
      let right = try source!.withRight { port throws(PortError) in try port.makeSendRight() }!
      for id in 1...3 { try right.send(Message(id: Int32(id))).get() }
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(trace.text == "P1( P2( P3( ) ) )")
    }
  }

  @Test func aMessageInHandOutlivesTheRemovalOfItsSource() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      loop.keep()
      let port = try TracedPort("P", on: loop, trace)
      loop.add(port.source, to: .x)
      func takeOutAfterTheWait() {
        loop.add(
          Loop.Observer(.afterWaiting, repeats: false) { _ in
            loop.remove(port.source)
            loop.stop()
          })
      }
      try port.send(1)
      takeOutAfterTheWait()
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "")
      // Another of its modes has it.
      #expect(loop.run(in: .x, for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(trace.text == "P1")

      loop.remove(port.source, from: .x)
      loop.add(port.source)
      try port.send(2)
      takeOutAfterTheWait()
      #expect(loop.run(for: .seconds(60)) == .stopped)
      // It is there when the source comes back.
      loop.add(port.source, to: .x)
      #expect(loop.run(in: .x, for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(trace.text == "P1 P2")
    }
  }

  @Test func stagedMailIsReadyInEachMode() throws {
    // With several senders a port takes the first message of each in hand to compare them. The descriptor tells nothing
    // of those any more.
    try onLoopThread { loop in
      let trace = LoopTrace()
      let port = try TracedPort("P", on: loop, trace)
      loop.add(port.source, to: .x)
      let others = try (0..<3).map { _ in
        RightBox(try port.source.withRight { port throws(PortError) in try port.makeSendRight() }!)
      }
      try port.send(1)
      for (index, other) in others.enumerated() { try other.right.send(Message(id: Int32(index + 2))).get() }
      for mode in [Loop.Mode.default, .default, .x, .default] {
        #expect(loop.run(in: mode, for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      }
      #expect(trace.text == "P1 P2 P3 P4")
    }
  }

  @Test func aPortInvalidatedInItsCalloutStillReplies() throws {
    try onLoopThread { loop in
      var this: Loop.Source1?
      let source = Loop.Source1(try ReceiveRight()) { message in
        this?.invalidate()
        return Message(id: 2)
      }
      this = source
      loop.add(source)
      let right = RightBox(try source.withRight { port throws(PortError) in try port.makeSendRight() }!)
      let caller = WorkerThread {
        do {
          let reply = try right.right.call(Message(id: 1)).get()
          #expect(reply.id == 2)
        } catch { Issue.record(error) }
      }
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      #expect(!source.isValid)
      caller.join()
      #expect(loop.run(for: .seconds(60)) == .finished)
    }
  }

  @Test func aRemovedPortsEventReachesNobody() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let gone = try TracedPort("gone", on: loop, trace)
      var heir: TracedPort?
      let first = Loop.Source1(try ReceiveRight()) { _ in
        // Both were found ready by the same look at the kernel; the heir takes the place of the one that goes.
        gone.source.invalidate()
        heir = try? TracedPort("heir", on: loop, trace)
        trace.mark("first")
        return nil
      }
      loop.add(first)
      let right = try first.withRight { port throws(PortError) in try port.makeSendRight() }!
      try right.send(Message(id: 1)).get()
      try gone.send(2)
      loop.after(.milliseconds(20)) { _ in loop.stop() }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "first")
      try heir?.send(3)
      loop.run(for: .seconds(60), returnAfterSourceHandled: true)
      #expect(trace.text == "first heir3")
    }
  }

  @Test func aFloodedPortAndAFastTimerShareTheLoop() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let flooded = try TracedPort("F", on: loop, trace)
      let quiet = try TracedPort("Q", on: loop, trace)
      loop.every(.nanoseconds(1), after: .zero) { _ in
        trace.mark("T")
        // Always mail in both, always a timer due.
        try? flooded.send(0)
        try? flooded.send(0)
        if trace.count("T") % 4 == 0 { try? quiet.send(0) }
        if trace.count("T") == 40 { loop.stop() }
      }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.count("Q0") >= 8)
      // Round robin: the flooded port has its turn between two fires, and no more than that of a round begun.
      var fires = 0
      var served = 0
      for word in trace.words {
        if word == "T" {
          #expect(fires < 2 || (1...2).contains(served))
          fires += 1
          served = 0
        } else if word == "F0" {
          served += 1
        }
      }
    }
  }

  @Test func case61ADescriptorSourceReadsNothing() throws {
    try onLoopThread { loop in
      let trace = LoopTrace()
      let counter = try EventCounter()
      let box = CounterBox(counter)
      for _ in 0..<3 { box.counter.ring() }
      let source = Loop.DescriptorSource(box.counter.descriptor.number) {
        trace.mark("D")
        // Level-triggered: what is left there makes it ready again.
        if trace.count("D") == 2 {
          let wasReadable = box.counter.clear()
          #expect(wasReadable, "the loop took nothing")
        }
      }
      loop.add(trace.observer())
      loop.add(source)
      loop.after(.milliseconds(20)) { _ in loop.stop() }
      #expect(loop.run(for: .seconds(60)) == .stopped)
      #expect(trace.text == "E BT BS BW AW D BT BS BW AW D BT BS BW AW X")
      box.counter.ring()
      #expect(loop.run(for: .seconds(60), returnAfterSourceHandled: true) == .handledSource)
      source.invalidate()
      #expect(loop.run(for: .seconds(60)) == .finished)
    }
  }
}

/// Why nothing can be received just now; nil when a message came.
private func errorOfReceiving(from port: borrowing ReceiveRight) -> PortError? {
  do {
    _ = try port.receive(timeout: .zero)
    return nil
  } catch {
    return error
  }
}

private final class CounterBox {
  let counter: EventCounter
  init(_ counter: consuming EventCounter) { self.counter = counter }
}

/// Holds a reply right from one callout to the next.
private final class MessageRightKeeper {
  private var right: SendOnceRight?

  func keep(_ right: consuming SendOnceRight?) { self.right = right }

  func answer(_ message: consuming Message) {
    guard let right = right.take() else { return }
    _ = right.send(message)
  }
}
