import LinuxSystem
import PortKit

/// The place where a broker's socket will appear, as something that a loop can wait for: its directory, or while that
/// does not exist, the one above.
final class WatchedDirectory {
  private final class Watch {
    let value: DirectoryWatch
    init(_ value: consuming DirectoryWatch) { self.value = value }
  }

  private let watch: Watch
  private let source: RunLoop.DescriptorSource

  /// Nil when neither directory is there: only a new request can find the broker then.
  init?(_ address: BrokerAddress, on loop: RunLoop, in mode: RunLoop.Mode, _ onEvent: @escaping () -> Void) {
    guard let watch = Self.open(address.directory) ?? Self.open(BrokerAddress(path: address.directory).directory) else {
      return nil
    }
    self.watch = watch
    source = RunLoop.DescriptorSource(watch.value.descriptor.number) {
      watch.value.clear()
      onEvent()
    }
    loop.add(source, to: mode)
  }

  /// Before the descriptor closes.
  func end() { source.invalidate() }

  private static func open(_ path: String) -> Watch? {
    guard let watch = try? DirectoryWatch(path) else { return nil }
    return Watch(watch)
  }
}
