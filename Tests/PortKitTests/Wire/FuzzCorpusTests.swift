import FoundationEssentials
import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

/// What the fuzzer found worth keeping, and random input beside it.
@Suite struct FuzzCorpusTests {
  private static let folder =
    URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path + "/Fuzz/Corpus"

  @Test func theCorpusKeepsEveryPromise() async {
    await #expect(processExitsWith: .success) { [folder = Self.folder as String] in
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      check(names.count > 10)
      let before = openDescriptors()
      for name in names {
        let input = try #require(FileManager.default.contents(atPath: folder + "/" + name))
        print("input \(name)")
        WireFuzzer.run([UInt8](input), isAlone: false)
      }
      checkCensus(before)
    }
  }

  @Test func randomInputKeepsEveryPromise() async {
    await #expect(processExitsWith: .success) {
      var random = seed("FuzzCorpusTests")
      let before = openDescriptors()
      for _ in 0..<1500 { WireFuzzer.run(random.bytes(random.number(0...200)), isAlone: false) }
      checkCensus(before)
    }
  }
}
