#include "CPortShims.h"

#if __has_feature(thread_sanitizer)
bool cps_has_thread_sanitizer(void) { return true; }
#else
bool cps_has_thread_sanitizer(void) { return false; }
#endif

// The thread sanitizer does not see into the Swift runtime's libraries. A Mutex without contention is compiled into its
// user; what it does else is called there, and would look as if two threads had the lock at once.

#if __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

// Synchronization._MutexHandle: _lockSlow, _tryLockSlow, _unlockSlow.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void cps_lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool cps_try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void cps_unlock_slow(SELF) __asm__(UNLOCK);

static void *original(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

SWIFT void cps_lock_slow(uint32_t thread, SELF) {
    SWIFT void (*lock)(uint32_t, SELF) = original(LOCK);
    lock(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT bool cps_try_lock_slow(SELF) {
    SWIFT bool (*try_lock)(SELF) = original(TRY_LOCK);
    bool is_locked = try_lock(mutex);
    if (is_locked) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void cps_unlock_slow(SELF) {
    SWIFT void (*unlock)(SELF) = original(UNLOCK);
    __tsan_release(mutex);
    unlock(mutex);
}

#endif
