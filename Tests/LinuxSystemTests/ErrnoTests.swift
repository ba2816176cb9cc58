import Glibc
import LinuxSystem
import Testing

@Suite struct ErrnoTests {
  /// Answers of a pretended system call, one after the other.
  private final class Script {
    var answers: [Int]
    init(_ answers: [Int]) { self.answers = answers }
    func next() -> Int { answers.removeFirst() }
  }

  @Test func interruptedCallsAreRepeated() throws {
    let script = Script([-Int(EINTR), -Int(EINTR), 7])
    check(try Syscall.check("call") { script.next() } == 7)
    let other = Script([-Int(EINTR), 0])
    check(try Syscall.attempt("call") { other.next() } == 0)
    check(script.answers.isEmpty && other.answers.isEmpty)
  }

  @Test func wouldBlockIsAValueWhereItIsExpected() throws {
    check(try Syscall.attempt("call") { -Int(EAGAIN) } == nil)
    #expect(throws: Errno.wouldBlock) { try Syscall.check("call") { -Int(EAGAIN) } }
  }

  @Test func otherErrorsAreThrown() {
    #expect(throws: Errno.brokenPipe) { try Syscall.check("call") { -Int(EPIPE) } }
    #expect(throws: Errno.tooManyDescriptors) { try Syscall.attempt("call") { -Int(EMFILE) } }
  }

  @Test func aBadDescriptorEndsTheProcess() async {
    await #expect(processExitsWith: .failure) { _ = try? Syscall.check("call") { -Int(EBADF) } }
    await #expect(processExitsWith: .failure) { _ = try? Syscall.attempt("call") { -Int(EFAULT) } }
  }

  @Test func classes() {
    check([Errno.brokenPipe, .connectionReset, .notConnected].allSatisfy(\.isDeadPeer))
    check(
      [Errno.tooManyDescriptors, .tooManyDescriptorsInSystem, .tooManyReferences].allSatisfy(\.isDescriptorShortage))
    check(!Errno.wouldBlock.isDeadPeer && !Errno.noSuchFile.isDescriptorShortage)
    check(Errno.noSuchFile.description == "No such file or directory")
    check(Errno(rawValue: 9999).description.contains("9999"))
  }
}
