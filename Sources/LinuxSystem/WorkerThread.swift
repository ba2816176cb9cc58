import Glibc

/// A thread of its own for one closure, to be joined by its maker.
@safe
package final class WorkerThread: @unchecked Sendable {
  private let thread: pthread_t

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// For programs that cannot do without: the process ends where the system gives it no thread.
  package init(_ body: @escaping @Sendable () -> Void) {
    do { thread = try Self.start(body) } catch { preconditionFailure("no thread: \(error)") }
  }

  private static func start(_ body: @escaping @Sendable () -> Void) throws(Errno) -> pthread_t {
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(Body(body))
    let result = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    if result == 0 { return thread }
    unsafe context.release()
    throw Errno(rawValue: result)
  }

  /// A thread for as long as the process lives, which nobody joins. It takes no signals.
  package static func detached(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    var (all, old) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &old)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
    pthread_detach(try start(body))
  }

  /// Waits for the end of the closure. To be called once.
  package func join() { _ = pthread_join(thread, nil) }
}
