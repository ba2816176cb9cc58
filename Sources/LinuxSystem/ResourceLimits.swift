import CPortShims

/// Raises the soft limit of open descriptors to the hard one: each right is a descriptor. Returns the new limit.
@discardableResult
package func raiseDescriptorLimit() throws(Errno) -> Int {
  try Syscall.check("RLIMIT_NOFILE") { Int(cps_raise_descriptor_limit()) }
}

/// Sets the soft limit, for tests of what happens at it.
package func setDescriptorLimit(_ limit: Int) throws(Errno) {
  try Syscall.check("RLIMIT_NOFILE") { Int(cps_set_descriptor_limit(CInt(clamping: limit))) }
}
