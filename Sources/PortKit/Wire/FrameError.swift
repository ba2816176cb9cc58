/// Why a packet is not of this protocol. The wire that brought it is closed.
package enum FrameError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty
  case truncated
  case shortFrame(bytes: Int)
  case unknownVersion(UInt8)
  case unknownKind(UInt8)
  case nonZeroReserved
  case badSize(UInt32, available: Int)
  case bodyTooLarge(Int)
  case unknownRight(UInt8)
  case badDescriptorTable
  case descriptorCount(announced: Int, arrived: Int)
  case unexpected(String)
  /// More copies were under way than the holder had credit for.
  case copiesOverCredit(Int)
  /// A packet with more messages than any queue limit that the port ever had.
  case messagesOverLimit(Int)
  /// Somebody who holds this end as well switched off what the kernel says of each packet.
  case unwitnessed
  /// The kernel refuses to receive from the wire.
  case unreadable(String)

  package var description: String {
    switch self {
    case .empty: "empty packet"
    case .truncated: "oversized packet"
    case .shortFrame(let bytes): "frame of \(bytes) bytes is shorter than its header"
    case .unknownVersion(let version): "protocol version \(version) is not known"
    case .unknownKind(let kind): "frame kind \(kind) is not known"
    case .nonZeroReserved: "reserved header bytes are not zero"
    case .badSize(let size, let available): "frame says \(size) bytes, packet has \(available)"
    case .bodyTooLarge(let bytes): "body of \(bytes) bytes is over the limit"
    case .unknownRight(let kind): "right kind \(kind) is not known"
    case .badDescriptorTable: "descriptor table does not fit the frame"
    case .descriptorCount(let announced, let arrived): "\(announced) descriptors announced, \(arrived) arrived"
    case .unexpected(let what): "\(what) is not allowed here"
    case .copiesOverCredit(let count): "\(count) copies at once are more than the wire had credit for"
    case .messagesOverLimit(let limit): "more messages in a packet than the limit of \(limit) ever let wait"
    case .unwitnessed: "packets of this wire come without the kernel's stamp"
    case .unreadable(let reason): "the wire cannot be read: \(reason)"
    }
  }
}
