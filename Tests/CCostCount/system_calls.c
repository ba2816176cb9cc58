#define _GNU_SOURCE
#include "CCostCount.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>

static atomic_long count;

long system_call_count(void) { return count; }

// The program's own functions go before those of the C library, which are found behind them.
#define COUNTED(result, name, parameters, ...)                                   \
    result name parameters {                                                     \
        static result (*_Atomic next) parameters;                                \
        if (!next) next = (result(*) parameters)dlsym(RTLD_NEXT, #name);         \
        count++;                                                                 \
        return next(__VA_ARGS__);                                                \
    }

COUNTED(ssize_t, send, (int fd, const void *bytes, size_t size, int flags), fd, bytes, size, flags)
COUNTED(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), fd, message, flags)
COUNTED(ssize_t, recv, (int fd, void *bytes, size_t size, int flags), fd, bytes, size, flags)
COUNTED(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), fd, message, flags)
COUNTED(ssize_t, read, (int fd, void *bytes, size_t size), fd, bytes, size)
COUNTED(ssize_t, write, (int fd, const void *bytes, size_t size), fd, bytes, size)
COUNTED(int, ppoll, (struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *mask), fds, n, time, mask)
COUNTED(int, epoll_ctl, (int epoll, int operation, int fd, struct epoll_event *event), epoll, operation, fd, event)
COUNTED(int, epoll_wait, (int epoll, struct epoll_event *events, int most, int time), epoll, events, most, time)
COUNTED(int, epoll_pwait2,
        (int epoll, struct epoll_event *events, int most, const struct timespec *time, const sigset_t *mask), epoll,
        events, most, time, mask)
COUNTED(int, getsockopt, (int fd, int level, int option, void *value, socklen_t *size), fd, level, option, value, size)
COUNTED(int, setsockopt, (int fd, int level, int option, const void *value, socklen_t size), fd, level, option, value,
        size)

int ioctl(int fd, unsigned long request, ...) {
    static int (*_Atomic next)(int, unsigned long, ...);
    if (!next) next = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    count++;
    return next(fd, request, argument);
}
