import LinuxSystem
import PortKit

/// The place where a broker's socket will appear, as something that a loop can wait for: its directory, or while that
/// does not exist, the nearest one above that does.
final class WatchedDirectory {
  private final class Watch {
    let value: DirectoryWatch
    init(_ value: consuming DirectoryWatch) { self.value = value }
  }

  private let watch: Watch
  private let source: RunLoop.DescriptorSource

  /// Nil when no directory of the path can be watched: only a new request can find the broker then.
  init?(_ address: BrokerAddress, on loop: RunLoop, in mode: RunLoop.Mode, _ onEvent: @escaping () -> Void) {
    guard let watch = Self.openNearest(address) else { return nil }
    self.watch = watch
    source = RunLoop.DescriptorSource(watch.value.descriptor.number) {
      watch.value.clear()
      onEvent()
    }
    loop.add(source, to: mode)
  }

  /// Before the descriptor closes.
  func end() { source.invalidate() }

  private static func openNearest(_ address: BrokerAddress) -> Watch? {
    var place = BrokerAddress(path: address.directory)
    while true {
      if let watch = open(place.path) { return watch }
      let above = BrokerAddress(path: place.directory)
      if above == place { return nil }
      place = above
    }
  }

  private static func open(_ path: String) -> Watch? {
    guard let watch = try? DirectoryWatch(path) else { return nil }
    return Watch(watch)
  }
}
