/// Who sent a packet or owns the other end of a connection, as the kernel says.
package struct Credentials: Hashable, Sendable {
  /// To print only: the number may already belong to another process.
  package let processID: Int32
  package let userID: UInt32
  package let groupID: UInt32

  package init(processID: Int32, userID: UInt32, groupID: UInt32) {
    self.processID = processID
    self.userID = userID
    self.groupID = groupID
  }
}
