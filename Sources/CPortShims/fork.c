#define _GNU_SOURCE
#include "CPortShims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#define RESULT(call) ({ __auto_type r_ = (call); r_ < 0 ? -errno : r_; })

// Which descriptor numbers are ours, so that a child made by fork can let go of them. One byte a number, because a byte
// needs no lock and the child may take none. Higher numbers than these (fs.nr_open's default) are not known here: so
// many open files cost the kernel gigabytes. Pages that no number falls into cost nothing.
enum { NUMBERS = 1 << 20 };
enum { STRANGE, OWNED, CLOSING };

static _Atomic(uint8_t) states[NUMBERS];
static _Atomic(int) numbers_end;
static uint32_t generation;

void cps_own(int fd) {
    if (fd < 0 || fd >= NUMBERS) return;
    atomic_store_explicit(&states[fd], OWNED, memory_order_release);
    int end = atomic_load_explicit(&numbers_end, memory_order_relaxed);
    while (fd >= end && !atomic_compare_exchange_weak(&numbers_end, &end, fd + 1)) continue;
}

void cps_disown(int fd) {
    if (fd >= 0 && fd < NUMBERS) atomic_store_explicit(&states[fd], STRANGE, memory_order_release);
}

int cps_close_owned(int fd) {
    if (fd < 0 || fd >= NUMBERS) return RESULT(close(fd));
    atomic_store_explicit(&states[fd], CLOSING, memory_order_release);
    int result = RESULT(close(fd));
    // Another thread may have got the number meanwhile, and own it.
    uint8_t expected = CLOSING;
    atomic_compare_exchange_strong(&states[fd], &expected, STRANGE);
    return result;
}

uint32_t cps_generation(void) { return generation; }

static bool is_wire(int fd) {
    int domain = 0, type = 0;
    socklen_t size = sizeof domain;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0) return false;
    size = sizeof type;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && domain == AF_UNIX && type == SOCK_SEQPACKET;
}

// Never connected: sending and receiving fail with ENOTCONN, without a signal, and poll says that it hung up.
static int dead_socket(void) { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); }

// Every number of ours becomes a dead socket, so that its owner may close it later and hits no file of a stranger.
// Nothing but system calls that are allowed in the child of a process with threads.
static void let_go(void) {
    int saved = errno, dead = -1;
    generation++;
    for (int fd = 0; fd < numbers_end; fd++) {
        if (states[fd] == STRANGE) continue;
        // A thread was closing this one at the moment of the fork. Closed already, or a wire that is still open.
        if (states[fd] == CLOSING && !is_wire(fd)) {
            states[fd] = STRANGE;
            continue;
        }
        if (dead < 0) dead = dead_socket();
        if (dead < 0) {
            // The table is full: this number makes room for the dead one.
            close(fd);
            dead = dead_socket();
        }
        if (dead >= 0 && dead != fd) dup3(dead, fd, O_CLOEXEC);
    }
    if (dead >= 0 && states[dead] == STRANGE) close(dead);
    errno = saved;
}

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, let_go); }
