import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// What a synchronous call costs in steady state, caller and service together: counted in a process of their own.
@Suite struct CallCostTests {
  private static let calls = 1000

  /// Sent twice, received twice, and the service waits once. Now and then the caller looks for a changed limit.
  @Test(.enabled(if: !Depth.hasSanitizer)) func aCallIsFiveSystemCallsAndNoAllocation() throws {
    let process = try ChildProcess(try Products.directory() + "/PortProbe", ["costs"])
    let result = try process.result(within: .seconds(30))
    #expect(result.end == .exited(0) && result.lines.count == 2, "\(result)")
    for line in result.lines {
      let words = line.split(separator: " ")
      let counts = words.dropFirst().compactMap { Int($0) }
      #expect(counts.count == 2 && counts[0] <= Self.allocations && counts[1] <= 5 * Self.calls + 300, "\(result)")
    }
  }

  #if DEBUG
    /// Code that is not optimised puts closures and large values on the heap.
    private static let allocations = 4 * calls + 100
  #else
    /// Some for what is made once, such as a longer list.
    private static let allocations = 20
  #endif
}
