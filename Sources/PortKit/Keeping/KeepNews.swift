/// What the owner of a kept port tells its keeper on the control wire, one packet each. Comes from another process: what
/// is not of this form ends the keeping and nothing else.
///
/// ```
///  0  version  1     4  wire's number                4
///  1  kind     1     8  what the kind needs
///  2  reserved 2
/// ```
enum KeepNews: Equatable {
  /// With a carrier: the whole port as it is now. Its wires are numbered by their places. `isLast` when the owner
  /// leaves in order: no call is left without its end.
  case image(isLast: Bool)
  /// With the mailbox's end: one more wire. Who pays for it is a number.
  case added(UInt32, PortImage.Wire)
  /// The wire is over. `isNotice`: the port has a send-once notice more.
  case removed(UInt32, isNotice: Bool)
  /// So many frames of the wire's packet with this stamp were delivered.
  case progress(UInt32, KeptState.Progress)
  /// All that is not about wires: an image without any.
  case settings(PortImage)

  static let currentVersion: UInt8 = 1

  private var kind: UInt8 {
    switch self {
    case .image: 1
    case .added: 2
    case .removed: 3
    case .progress: 4
    case .settings: 5
    }
  }

  private var number: UInt32 {
    switch self {
    case .added(let number, _), .removed(let number, _), .progress(let number, _): number
    case .image, .settings: 0
    }
  }

  var descriptors: Int {
    switch self {
    case .image, .added: 1
    case .removed, .progress, .settings: 0
    }
  }

  func encoded() -> [UInt8] {
    var writer = MessageWriter()
    writer.write(Self.currentVersion)
    writer.write(kind)
    writer.write(UInt16(0))
    writer.write(number)
    switch self {
    case .image(let isLast): writer.write(isLast)
    case .added(_, let wire): wire.write(to: &writer)
    case .removed(_, let isNotice): writer.write(isNotice)
    case .progress(_, let progress):
      writer.write(progress.stamp)
      writer.write(UInt32(progress.frames))
    case .settings(let image): return writer.bytes + image.encoded()
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(FrameError) {
    do {
      try self.init(reading: bytes)
    } catch {
      throw .unexpected("news of a kept port of this form")
    }
  }

  private init(reading bytes: [UInt8]) throws(any Error) {
    var reader = MessageReader(bytes.span)
    try reader.expect(try reader.read(UInt8.self) == Self.currentVersion)
    let kind = try reader.read(UInt8.self)
    try reader.expectZeros(2)
    let number = try reader.read(UInt32.self)
    switch kind {
    case 1: self = .image(isLast: try reader.readBool())
    case 2: self = .added(number, try PortImage.Wire(from: &reader, of: .max))
    case 3: self = .removed(number, isNotice: try reader.readBool())
    case 4:
      let stamp: Int64 = try reader.read()
      self = .progress(number, KeptState.Progress(stamp: stamp, frames: Int(try reader.read(UInt32.self))))
    case 5:
      let image = try PortImage(decoding: try reader.readBytes(reader.remaining))
      try reader.expect(image.wires.isEmpty && image.staged.isEmpty && !image.hasKeeper)
      self = .settings(image)
    default: throw FrameError.unknownKind(kind)
    }
    try reader.expectEnd()
  }
}
