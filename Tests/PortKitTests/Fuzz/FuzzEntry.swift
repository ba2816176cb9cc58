#if FUZZ
  // The way into libFuzzer and back. Only `make fuzz` builds this: SwiftPM looks for a program's main function under
  // this name, and libFuzzer's own goes unused.

  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ words: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt

  @_cdecl("PortFuzz_main")
  func fuzzMain(_ count: CInt, _ words: UnsafeMutableRawPointer) -> CInt {
    var count = count
    var words = unsafe words
    return unsafe withUnsafeMutablePointer(to: &words) { words in
      unsafe words.withMemoryRebound(to: UnsafeMutableRawPointer?.self, capacity: 1) { words in
        unsafe runDriver(&count, words) { start, count in
          WireFuzzer.run(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
          return 0
        }
      }
    }
  }
#endif
