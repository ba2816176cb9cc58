import Glibc

/// A thread of its own for one closure, to be joined by its maker.
@safe
package final class WorkerThread: @unchecked Sendable {
  private var thread = pthread_t()

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  package init(_ body: @escaping @Sendable () -> Void) {
    let context = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
    let result = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context)
    precondition(result == 0, "no thread: \(Errno(rawValue: result))")
  }

  /// A thread for as long as the process lives, which nobody joins. It takes no signals.
  package static func detached(_ body: @escaping @Sendable () -> Void) {
    var (all, old) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &old)
    let worker = WorkerThread(body)
    unsafe pthread_sigmask(SIG_SETMASK, &old, nil)
    pthread_detach(worker.thread)
  }

  /// Waits for the end of the closure. To be called once.
  package func join() { _ = pthread_join(thread, nil) }
}
