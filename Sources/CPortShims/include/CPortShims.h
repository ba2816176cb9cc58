// What Swift cannot import or must not touch: control messages, variadic calls, GNU extensions,
// thread-local slots. Each function is one whole operation; a negative result is -errno.
#pragma once

// No libc header with types that Swift's Glibc module has too: _GNU_SOURCE would change their members.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CPortShimsGetopt.h"

#pragma clang assume_nonnull begin

// ---------------------------------------------------------------- packets

// SCM_MAX_FD: the kernel's own bound on descriptors in one packet.
enum { CPS_DESCRIPTORS_MAX = 253 };

// What the kernel says of one packet beside its bytes.
typedef struct {
    int64_t stamp_ns;                  // CLOCK_REALTIME at enqueue; 0 when the option is off
    int32_t pid;                       // sender; valid only with has_credentials
    uint32_t uid, gid;
    bool has_credentials;
    bool control_truncated;            // descriptors were lost (MSG_CTRUNC)
    bool payload_truncated;            // the packet was larger than the buffers (MSG_TRUNC)
    uint32_t descriptor_count;
    int32_t descriptors[CPS_DESCRIPTORS_MAX];
} cps_ancillary;

int cps_seqpacket_pair(int32_t *first, int32_t *second);
// Never blocks, never raises SIGPIPE. `tail` may be empty; descriptors stay the caller's.
ptrdiff_t cps_send(int fd, const void *head, size_t head_size, const void *_Nullable tail, size_t tail_size,
                 const int32_t *_Nullable descriptors, size_t descriptor_count);
// The same without descriptors.
ptrdiff_t cps_send_two(int fd, const void *head, size_t head_size, const void *_Nullable tail, size_t tail_size);
// Scatters one packet over two buffers. Blocks only when `wait` is set. Received descriptors are
// close-on-exec and belong to the caller.
ptrdiff_t cps_receive(int fd, void *first, size_t first_size, void *_Nullable second, size_t second_size,
                    cps_ancillary *ancillary, bool wait);
// The same, and the packet stays queued. Its descriptors are installed as well, anew each time.
ptrdiff_t cps_peek(int fd, void *first, size_t first_size, void *_Nullable second, size_t second_size,
                   cps_ancillary *ancillary);
// The first bytes of the packet that is next, and its stamp; never its descriptors. Returns the packet's whole size.
ptrdiff_t cps_peek_head(int fd, void *head, size_t size, int64_t *stamp_ns);
int cps_enable_stamps(int fd);
int cps_enable_credentials(int fd);
int cps_set_send_buffer(int fd, int bytes);
int cps_send_buffer(int fd);                         // twice what was set
ptrdiff_t cps_unread_by_peer(int fd);                // charged bytes of what was sent and not received yet
ptrdiff_t cps_unread_here(int fd);                   // bytes that were sent to this end and not received yet
// 0 when fd is a connected AF_UNIX SEQPACKET socket, else -errno; its cookie goes to *cookie.
int cps_wire_cookie(int fd, uint64_t *cookie);
int cps_shutdown(int fd);
int cps_shutdown_reading(int fd);                    // the peer can send no more; what is queued can be read
int cps_replace(int fd, int with);                   // fd becomes another number of the open file `with`

// ---------------------------------------------------------------- named sockets

int cps_listen(const char *path, int backlog);       // bound 0600, listening, non-blocking
int cps_accept(int fd);                              // non-blocking accept, close-on-exec
int cps_connect(const char *path);
int cps_peer_credentials(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid);

// ---------------------------------------------------------------- waiting

int cps_epoll_create(void);
int cps_epoll_set(int epoll, int operation, int fd, uint32_t events, uint64_t key);
// timeout_ns < 0 waits for ever.
int cps_epoll_wait(int epoll, uint64_t *keys, uint32_t *events, int capacity, int64_t timeout_ns);
int cps_poll_one(int fd, int16_t events, int64_t timeout_ns);   // revents, 0 on time-out
int cps_eventfd(void);
int cps_timerfd(void);                               // CLOCK_MONOTONIC
int cps_timerfd_set(int fd, int64_t moment_ns);      // absolute; 0 never
int cps_inotify_watch(const char *directory);        // created, moved in, deleted; -errno
int cps_signalfd(const int32_t *signals, int count); // also blocks them for this thread
int cps_signalfd_read(int fd);                       // signal number, -EAGAIN when none

extern const uint32_t cps_epoll_in, cps_epoll_out, cps_epoll_hup, cps_epoll_read_hup, cps_epoll_edge,
    cps_epoll_one_shot;
extern const int cps_epoll_add, cps_epoll_modify, cps_epoll_delete;

// ---------------------------------------------------------------- child processes

// Input from /dev/null; error < 0 leaves standard error as it is. The child dies with the calling thread on demand.
int cps_spawn(const char *path, char *_Nullable const *_Nonnull arguments, char *_Nullable const *_Nonnull environment,
              int output, int error, bool dies_with_thread);
int cps_pidfd(int pid);
int cps_signal_process(int pid, int number);
int cps_reap(int pid, int *code, bool *was_signal);
int cps_pipe(int32_t *reading, int32_t *writing);

// ---------------------------------------------------------------- fork

// In a child made by fork each owned number is a dead socket. cps_spawn is not meant: its child becomes another program.
void cps_own(int fd);
void cps_disown(int fd);
int cps_close_owned(int fd);                         // close; the number is not owned any more
bool cps_has_thread_sanitizer(void);                 // built for it
uint32_t cps_generation(void);                       // how many forks this process is away from its program's start

// ---------------------------------------------------------------- process

int cps_raise_descriptor_limit(void);                // soft to hard; the new soft limit
int cps_set_descriptor_limit(int soft);              // soft only, for tests of shortage
int cps_descriptor_limit(void);                      // the soft limit
int cps_open_lock(const char *path);                 // made 0600 when missing; a link is refused
int cps_open_directory(const char *path);            // O_DIRECTORY|O_NOFOLLOW
int cps_error_text(int error, char *buffer, size_t size);

bool cps_is_main_thread(void);
bool cps_is_secure_execution(void);                 // AT_SECURE: set-id or with file capabilities

// One pointer per thread; `at_exit` runs on the ending thread for a non-null value.
typedef void (*cps_slot_destructor)(void *_Nullable);
void *_Nullable cps_thread_slot_get(void);
void cps_thread_slot_set(void *_Nullable value, cps_slot_destructor at_exit);

#pragma clang assume_nonnull end
