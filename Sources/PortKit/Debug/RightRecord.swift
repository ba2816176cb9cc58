import LinuxSystem
import Synchronization

/// Stands in the report while the right that keeps it is alive. There are none while nobody wants a report.
final class RightRecord: Sendable {
  private static let isOn = Atomic(ProcessFacts.environment("PORTKIT_RIGHTS") != nil)
  private static let living = Mutex<[UInt64: RightsReport.Entry]>([:])
  private static let nextNumber = Atomic<UInt64>(1)

  private let number: UInt64
  private let mark = ProcessMark()

  private init(_ kind: RightsReport.Kind, _ cookie: UInt64, _ fileID: StaticString, _ line: UInt) {
    number = Self.nextNumber.add(1, ordering: .relaxed).oldValue
    let entry = RightsReport.Entry(kind: kind, cookie: cookie, fileID: fileID.description, line: line)
    Self.living.withLock { $0[number] = entry }
  }

  deinit {
    if mark.isCurrent { Self.living.withLock { $0[number] = nil } }
  }

  /// Nil, and nothing is done or allocated, while no report is wanted.
  @inline(__always)
  static func make(
    _ kind: RightsReport.Kind, _ fileID: StaticString, _ line: UInt, cookie: () -> UInt64
  ) -> RightRecord? {
    guard isOn.load(ordering: .relaxed) else { return nil }
    return RightRecord(kind, cookie(), fileID, line)
  }

  static func turn(on wanted: Bool) { isOn.store(wanted, ordering: .relaxed) }

  /// In the order in which the rights came.
  static var entries: [RightsReport.Entry] {
    living.withLock { living in living.sorted { $0.key < $1.key }.map(\.value) }
  }
}
