#define _GNU_SOURCE
#include "CPortShims.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <linux/sockios.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define RESULT(call) ({ __auto_type r_ = (call); r_ < 0 ? -errno : r_; })

// ---------------------------------------------------------------- named sockets

static int unix_address(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) return -ENAMETOOLONG;
    strcpy(address->sun_path, path);
    return 0;
}

static int close_with_error(int fd) {
    int error = errno;
    close(fd);
    return -error;
}

int cps_listen(const char *path, int backlog) {
    struct sockaddr_un address;
    int r = unix_address(path, &address);
    if (r < 0) return r;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    // Mode before the name appears: bind applies the socket inode's mode, so no window stays open.
    if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0) return close_with_error(fd);
    if (chmod(path, 0600) < 0 || listen(fd, backlog) < 0) return close_with_error(fd);
    return fd;
}

int cps_accept(int fd) { return RESULT(accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)); }

int cps_connect(const char *path) {
    struct sockaddr_un address;
    int r = unix_address(path, &address);
    if (r < 0) return r;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    // A listener that accepts nobody and has a full queue would hold the caller for ever; after this it is EAGAIN.
    struct timeval limit = {.tv_sec = 2}, never = {0};
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) < 0) return close_with_error(fd);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) return close_with_error(fd);
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &never, sizeof never) < 0) return close_with_error(fd);
    return fd;
}

int cps_peer_credentials(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid) {
    struct ucred who;
    socklen_t size = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0) return -errno;
    *pid = who.pid;
    *uid = who.uid;
    *gid = who.gid;
    return 0;
}

// ---------------------------------------------------------------- waiting

const uint32_t cps_epoll_in = EPOLLIN, cps_epoll_out = EPOLLOUT, cps_epoll_hup = EPOLLHUP,
               cps_epoll_read_hup = EPOLLRDHUP, cps_epoll_edge = EPOLLET, cps_epoll_one_shot = EPOLLONESHOT;
const int cps_epoll_add = EPOLL_CTL_ADD, cps_epoll_modify = EPOLL_CTL_MOD, cps_epoll_delete = EPOLL_CTL_DEL;

int cps_epoll_create(void) { return RESULT(epoll_create1(EPOLL_CLOEXEC)); }

int cps_epoll_set(int epoll, int operation, int fd, uint32_t events, uint64_t key) {
    struct epoll_event event = {.events = events, .data.u64 = key};
    return RESULT(epoll_ctl(epoll, operation, fd, &event));
}

int cps_epoll_wait(int epoll, uint64_t *keys, uint32_t *events, int capacity, int64_t timeout_ns) {
    struct epoll_event ready[64];
    if (capacity > 64) capacity = 64;
    struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    int count = timeout_ns == 0 ? epoll_wait(epoll, ready, capacity, 0)
                                : epoll_pwait2(epoll, ready, capacity, timeout_ns < 0 ? NULL : &limit, NULL);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++) {
        keys[i] = ready[i].data.u64;
        events[i] = ready[i].events;
    }
    return count;
}

int cps_poll_one(int fd, int16_t events, int64_t timeout_ns) {
    struct pollfd entry = {.fd = fd, .events = events};
    struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    int count = ppoll(&entry, 1, timeout_ns < 0 ? NULL : &limit, NULL);
    return count < 0 ? -errno : count == 0 ? 0 : entry.revents;
}

int cps_eventfd(void) { return RESULT(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int cps_timerfd(void) { return RESULT(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)); }

int cps_timerfd_set(int fd, int64_t moment_ns) {
    struct itimerspec when = {.it_value = {moment_ns / 1000000000, moment_ns % 1000000000}};
    return RESULT(timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL));
}

int cps_inotify_watch(const char *directory) {
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd < 0) return -errno;
    if (inotify_add_watch(fd, directory, IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR) < 0)
        return close_with_error(fd);
    return fd;
}

int cps_signalfd(const int32_t *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++)
        if (sigaddset(&set, signals[i]) < 0) return -errno;
    int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (error) return -error;
    return RESULT(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int cps_signalfd_read(int fd) {
    struct signalfd_siginfo info;
    ssize_t size = read(fd, &info, sizeof info);
    if (size < 0) return -errno;
    return size == sizeof info ? (int)info.ssi_signo : -EIO;
}

// ---------------------------------------------------------------- process

int cps_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    return limit.rlim_cur > INT32_MAX ? INT32_MAX : (int)limit.rlim_cur;
}

int cps_set_descriptor_limit(int soft) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    limit.rlim_cur = (rlim_t)soft;
    return RESULT(setrlimit(RLIMIT_NOFILE, &limit));
}

int cps_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    return limit.rlim_cur > INT32_MAX ? INT32_MAX : (int)limit.rlim_cur;
}

int cps_open_lock(const char *path) {
    return RESULT(open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
}

int cps_open_directory(const char *path) {
    return RESULT(open(path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC));
}

int cps_error_text(int error, char *buffer, size_t size) {
    const char *text = strerror_r(error, buffer, size);
    if (text != buffer) {
        strncpy(buffer, text, size - 1);
        buffer[size - 1] = 0;
    }
    return 0;
}

bool cps_is_main_thread(void) { return gettid() == getpid(); }

bool cps_is_secure_execution(void) { return getauxval(AT_SECURE) != 0; }

static pthread_once_t slot_once = PTHREAD_ONCE_INIT;
static pthread_key_t slot_key;
static _Thread_local void *slot_value;
static _Thread_local cps_slot_destructor slot_destructor;

static void slot_end(void *unused) {
    (void)unused;
    void *value = slot_value;
    slot_value = NULL;
    if (value && slot_destructor) slot_destructor(value);
}

static void slot_make_key(void) {
    if (pthread_key_create(&slot_key, slot_end)) abort();
}

void *cps_thread_slot_get(void) { return slot_value; }

void cps_thread_slot_set(void *value, cps_slot_destructor at_exit) {
    pthread_once(&slot_once, slot_make_key);
    slot_value = value;
    slot_destructor = at_exit;
    pthread_setspecific(slot_key, value);
}
