import CPortShims
import Glibc

/// One object per thread, released on the ending thread. The process has one slot: LoopCore keeps its run loop in it.
package enum ThreadSlot {
  package static var object: AnyObject? {
    guard let pointer = unsafe cps_thread_slot_get() else { return nil }
    return unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Keeps `object` until the thread ends. To be called once per thread, while the slot is empty.
  package static func keep(_ object: AnyObject) {
    precondition(self.object == nil, "the thread slot is taken")
    let pointer = unsafe Unmanaged.passRetained(object).toOpaque()
    unsafe cps_thread_slot_set(pointer) { value in
      guard let value = unsafe value else { return }
      unsafe Unmanaged<AnyObject>.fromOpaque(value).release()
    }
  }
}

/// A number that tells threads apart and costs no system call.
package func currentThreadNumber() -> UInt { UInt(pthread_self()) }

/// True on the thread that runs `main`.
package func isMainThread() -> Bool { cps_is_main_thread() }
