/// Messages between portd's event system and its clients, declared here once for both sides.
///
/// Every body begins with the version of the protocol. A request is answered by a message with its id + 100 (as MIG
/// does), whose body is an ``EventSystemReply``. Bodies hold values only; the one right of the protocol, a client's
/// event port, travels in ``OpenEventSystem`` beside the body. No body claims an identity: who a client is, the kernel
/// says.
public enum EventSystemProtocol {
  public static let version: UInt8 = 1

  static let replyOffset: Int32 = 100
}
