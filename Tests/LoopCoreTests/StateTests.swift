import Testing

@testable import LoopCore

@Suite struct BlockQueueTests {
  private typealias Queue = BlockQueue<String>

  private func drain(_ queue: inout Queue, _ mode: Loop.Mode, common: Bool = false) -> [String] {
    var list = queue.takeAll()
    var ran: [String] = []
    for index in list.indices where list[index].runs(in: mode, isCommon: common) {
      ran.append(list[index].body.take()!)
    }
    queue.putBack(list)
    return ran
  }

  @Test func modesDecide() {
    var queue = Queue()
    let blocks: [(String, [Loop.Mode])] = [
      ("d", [.default]), ("x", [.x]), ("xd", [.x, .default]), ("c", [.common]), ("none", []),
    ]
    for (body, modes) in blocks { queue.enqueue(Queue.Block(modes: modes, body: body)) }
    #expect(queue.holdsBlock(for: .x, isCommon: false))
    #expect(!queue.holdsBlock(for: .y, isCommon: false))
    #expect(queue.holdsBlock(for: .y, isCommon: true))
    #expect(drain(&queue, .x) == ["x", "xd"])
    #expect(drain(&queue, .default, common: true) == ["d", "c"])
    #expect(queue.count == 1, "a block for no mode waits for ever")
  }

  @Test func theRestGoesInFrontOfWhatCameMeanwhile() {
    var queue = Queue()
    queue.enqueue(Queue.Block(modes: [.x], body: "x1"))
    var list = queue.takeAll()
    queue.enqueue(Queue.Block(modes: [.x], body: "x2"))
    list.append(Queue.Block(modes: [.x], body: "run"))
    _ = list[1].body.take()
    queue.putBack(list)
    #expect(drain(&queue, .x) == ["x1", "x2"])
    #expect(queue.isEmpty)
  }
}

@Suite struct CommonModesTests {
  private typealias Modes = CommonModes<Int, String>

  @Test func markingBringsThePresentItems() {
    var modes = Modes()
    #expect(modes.isCommon(.default) && !modes.isCommon(.x))
    #expect(modes.insert("a", id: 1) == [.default])
    #expect(modes.insert("b", id: 2) == [.default])
    #expect(modes.mark(.x) == ["a", "b"])
    #expect(modes.mark(.x) == [])
    #expect(modes.insert("c", id: 3) == [.default, .x])
    #expect(modes.remove(1) == [.default, .x])
    #expect(modes.remove(1) == [])
    #expect(!modes.contains(1) && modes.contains(2))
    #expect(modes.mark(.y) == ["b", "c"])
  }

  @Test func theNameCommonCannotBeMarked() {
    var modes = Modes()
    _ = modes.insert("a", id: 1)
    #expect(modes.mark(.common) == [])
    #expect(!modes.isCommon(.common))
  }
}

@Suite struct VerdictTests {
  @Test func precedence() {
    for bits in 0..<32 {
      let (returns, handled, timedOut) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0)
      let (stopped, empty) = (bits & 8 != 0, bits & 16 != 0)
      let expected: Loop.RunResult? =
        returns && handled ? .handledSource : timedOut ? .timedOut : stopped ? .stopped : empty ? .finished : nil
      let verdict = Loop.verdict(
        returnsAfterSource: returns, handledSource: handled, deadlinePassed: timedOut, takeStop: stopped,
        modeIsEmpty: empty)
      #expect(verdict == expected)
    }
  }

  @Test func aStopThatIsOvertakenIsNotTaken() {
    var asked = 0
    func ask() -> Bool {
      asked += 1
      return true
    }
    _ = Loop.verdict(
      returnsAfterSource: true, handledSource: true, deadlinePassed: ask(), takeStop: ask(), modeIsEmpty: ask())
    #expect(asked == 0)
    _ = Loop.verdict(
      returnsAfterSource: false, handledSource: true, deadlinePassed: ask(), takeStop: ask(), modeIsEmpty: ask())
    #expect(asked == 1)
  }
}
