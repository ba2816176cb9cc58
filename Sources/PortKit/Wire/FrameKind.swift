/// What a frame is. Only the first three carry user data; no user can send the others.
enum FrameKind: UInt8, Sendable, CaseIterable {
  /// A message that asks for no reply on this wire.
  case message = 1
  /// A message whose reply comes back on this wire under the same sequence number.
  case call = 2
  case reply = 3
  /// Callee to caller: the send-once right of this call was destroyed unused.
  case replyDropped = 4
  /// Holder to owner, with one descriptor: the mailbox end of a copy of this right.
  case adopt = 5
  /// Callee to caller, with one descriptor: the reply of this call will come from there, or never.
  case adoptReply = 6
  /// Owner to holder, once for each copy. Where both ends of one pair were brought to mailboxes, it comes back in as
  /// mail and gives the pair away: such a wire would never end.
  /// Brings the queue limit as `limit` does.
  case adopted = 7
  /// Owner to holder: so many copies more may be sent; the number stands in place of the sequence number.
  case copyCredit = 8
  /// Owner to holder: how many messages may wait on this wire, in the place of the sequence number.
  case limit = 9
  /// Holder to owner, with one descriptor: the owner's word on a port that is to be kept. See ``KeepNews``.
  case keep = 10
  /// Owner to holder: an earlier owner of the port died. Calls whose requests it had taken get no reply.
  case ownerDied = 11

  var isUserMessage: Bool { self == .message || self == .call || self == .reply }

  /// Descriptors that a control frame must have. User messages have one for each right.
  var controlDescriptors: Int { self == .adopt || self == .adoptReply || self == .keep ? 1 : 0 }
}
