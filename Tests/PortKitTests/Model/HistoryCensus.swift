import LinuxSystem
import TestSupport

/// What an actor has open. A port makes an eventfd when somebody may have to be woken, which the model does not
/// foresee; of everything else it knows the number.
struct HistoryCensus {
  private(set) var bells = 0
  private(set) var others = 0

  init() {}

  init(of process: ChildProcess) throws {
    for (kind, count) in try ProcessCensus.kinds(of: process) {
      if kind == "anon_inode:[eventfd]" { bells += count } else { others += count }
    }
  }

  func fits(_ expected: ClosedRange<Int>, mostBells: Int) -> Bool {
    expected.contains(others) && bells <= mostBells
  }
}
