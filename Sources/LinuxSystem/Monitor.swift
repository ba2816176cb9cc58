public import Glibc

/// State behind a mutex, with one condition that threads can wait for. Not recursive.
/// The closures run with the lock held and must not call back into the same monitor.
///
/// Public, because only bodies of public functions can be inlined into other modules; a generic call would cost more
/// than the lock.
@safe public final class Monitor<State: ~Copyable>: @unchecked Sendable {
  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Not a stored property: Swift would check each access for exclusivity once more, which the mutex has settled.
  @usableFromInline let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

  public init(_ state: consuming sending State) {
    unsafe self.state.initialize(to: state)
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  @inlinable @inline(__always)
  public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try unsafe body(&state.pointee)
  }

  /// Releases the lock while `isWaiting` says true, until the deadline. False when the deadline passed first.
  @discardableResult
  package func wait(until deadline: Deadline, while isWaiting: (inout State) -> Bool) -> Bool {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while unsafe isWaiting(&state.pointee) {
      guard waitOnce(until: deadline) else { return unsafe !isWaiting(&state.pointee) }
    }
    return true
  }

  /// Wakes all waiters. May be called with or without the lock.
  package func notifyAll() { unsafe pthread_cond_broadcast(condition) }

  private func waitOnce(until deadline: Deadline) -> Bool {
    if deadline.isNever {
      unsafe pthread_cond_wait(condition, mutex)
      return true
    }
    // A negative time is an error of the kernel call, which would not wait and not end either.
    let nanoseconds = max(0, deadline.instant.nanoseconds)
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    return unsafe pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
  }
}
