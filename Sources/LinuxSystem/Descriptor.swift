import CPortShims
import Glibc

/// An owned file descriptor: closed exactly once, when its owner ends. In a child made by `fork` it is a dead socket,
/// so that the child holds nothing of what the parent has open.
package struct Descriptor: ~Copyable, Sendable {
  /// The number, for calls that borrow it. It must not outlive this owner.
  package let number: CInt

  /// Takes ownership of an open descriptor.
  package init(owning number: CInt) {
    precondition(number >= 0, "not a descriptor: \(number)")
    self.number = number
    cps_own(number)
  }

  deinit {
    // EINTR from close means "closed" on Linux; a second try could close a stranger's file.
    let result = cps_close_owned(number)
    assert(result != -EBADF, "descriptor \(number) was closed behind its owner's back")
  }

  /// Gives the number away; the caller closes it.
  package consuming func relinquish() -> CInt {
    let number = self.number
    cps_disown(number)
    discard self
    return number
  }

  /// A second descriptor of the same open file, never 0–2, close-on-exec.
  package borrowing func duplicate() throws(Errno) -> Descriptor {
    let number = self.number
    let copy = try Syscall.check("fcntl") { Int(errnoResult(fcntl(number, F_DUPFD_CLOEXEC, 3))) }
    return Descriptor(owning: CInt(copy))
  }

  /// Lets go of the open file; the number stands for `other`'s from now on. Other threads may be using it meanwhile.
  package borrowing func replace(with other: borrowing Descriptor) throws(Errno) {
    let (number, source) = (self.number, other.number)
    try Syscall.check("dup3") { Int(cps_replace(number, source)) }
  }
}

@inline(__always)
func errnoResult(_ result: CInt) -> CInt { result < 0 ? -errno : result }
