/// What stands in a mode's ready list beside the timers: something with a descriptor.
enum PortMember {
  case port(RunLoop.Source1)
  case descriptor(RunLoop.DescriptorSource)

  var number: CInt {
    switch self {
    case .port(let source): source.number
    case .descriptor(let source): source.number
    }
  }

  var item: any LoopItem {
    switch self {
    case .port(let source): source
    case .descriptor(let source): source
    }
  }

  /// Looks whether there is something to serve, and takes it from the port: on Mach, too, the wait itself receives.
  /// False for a stale event.
  func fetch() -> Bool {
    switch self {
    case .port(let source): source.fetch()
    case .descriptor(let source): source.isReadable()
    }
  }

  /// Serves what `fetch` found. False when an observer took the source out of the mode meanwhile.
  func serve(in mode: ModeState) -> Bool {
    switch self {
    case .port(let source):
      guard source.isIn(mode) else {
        // What the wait received goes to another of its modes.
        source.markReadyIfMailIsInHand()
        return false
      }
      return source.perform()
    case .descriptor(let source):
      guard source.isIn(mode) else { return false }
      source.perform()
      return true
    }
  }
}

typealias PortKey = ReadyList<PortMember>.Key
