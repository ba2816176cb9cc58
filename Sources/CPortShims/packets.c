#define _GNU_SOURCE
#include "CPortShims.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define RESULT(call) ({ __auto_type r_ = (call); r_ < 0 ? -errno : r_; })

int cps_seqpacket_pair(int32_t *first, int32_t *second) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
    *first = ends[0];
    *second = ends[1];
    return 0;
}

static ssize_t send_with_descriptors(int fd, struct msghdr *message, const int32_t *descriptors, size_t count) {
    union {
        char bytes[CMSG_SPACE(CPS_DESCRIPTORS_MAX * sizeof(int32_t))];
        struct cmsghdr align;
    } control;
    message->msg_control = control.bytes;
    message->msg_controllen = CMSG_SPACE(count * sizeof(int32_t));
    memset(control.bytes, 0, message->msg_controllen);
    struct cmsghdr *rights = CMSG_FIRSTHDR(message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(count * sizeof(int32_t));
    memcpy(CMSG_DATA(rights), descriptors, count * sizeof(int32_t));
    return RESULT(sendmsg(fd, message, MSG_DONTWAIT | MSG_NOSIGNAL));
}

ptrdiff_t cps_send(int fd, const void *head, size_t head_size, const void *tail, size_t tail_size,
                 const int32_t *descriptors, size_t descriptor_count) {
    if (descriptor_count == 0 && tail_size == 0) return RESULT(send(fd, head, head_size, MSG_DONTWAIT | MSG_NOSIGNAL));
    if (descriptor_count > CPS_DESCRIPTORS_MAX) return -EINVAL;
    struct iovec parts[2] = {{(void *)head, head_size}, {(void *)tail, tail_size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = tail_size ? 2 : 1};
    if (descriptor_count) return send_with_descriptors(fd, &message, descriptors, descriptor_count);
    return RESULT(sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL));
}

ptrdiff_t cps_send_two(int fd, const void *head, size_t head_size, const void *tail, size_t tail_size) {
    // Up to a page or so a copy costs less than a second part.
    char packet[4096 + 256];
    if (head_size + tail_size > sizeof packet) return cps_send(fd, head, head_size, tail, tail_size, NULL, 0);
    memcpy(packet, head, head_size);
    if (tail_size) memcpy(packet + head_size, tail, tail_size);
    return RESULT(send(fd, packet, head_size + tail_size, MSG_DONTWAIT | MSG_NOSIGNAL));
}

// Since Linux 6.5; a holder of a duplicate can switch it on (SO_PASSPIDFD), and each packet then brings a descriptor.
#ifndef SCM_PIDFD
#define SCM_PIDFD 4
#endif

static void read_control(struct msghdr *message, cps_ancillary *out) {
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET) continue;
        if (c->cmsg_type == SCM_RIGHTS) {
            // Counted from cmsg_len exactly; the padding behind it is not ours to read.
            size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int32_t);
            for (size_t i = 0; i < count; i++) {
                int32_t fd;
                memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
                if (out->descriptor_count < CPS_DESCRIPTORS_MAX) out->descriptors[out->descriptor_count++] = fd;
                else close(fd);
            }
        } else if (c->cmsg_type == SCM_PIDFD) {
            int32_t fd;
            memcpy(&fd, CMSG_DATA(c), sizeof fd);
            if (fd >= 0) close(fd);
        } else if (c->cmsg_type == SCM_CREDENTIALS) {
            struct ucred who;
            memcpy(&who, CMSG_DATA(c), sizeof who);
            out->pid = who.pid;
            out->uid = who.uid;
            out->gid = who.gid;
            out->has_credentials = true;
        } else if (c->cmsg_type == SO_TIMESTAMPNS) {
            struct timespec when;
            memcpy(&when, CMSG_DATA(c), sizeof when);
            out->stamp_ns = (int64_t)when.tv_sec * 1000000000 + when.tv_nsec;
        }
    }
}

static ptrdiff_t receive(int fd, void *first, size_t first_size, void *second, size_t second_size,
                         cps_ancillary *out, int flags) {
    union {
        char bytes[CMSG_SPACE(CPS_DESCRIPTORS_MAX * sizeof(int32_t)) + CMSG_SPACE(sizeof(struct ucred)) +
                   CMSG_SPACE(sizeof(struct timespec))];
        struct cmsghdr align;
    } control;
    struct iovec parts[2] = {{first, first_size}, {second, second_size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = second_size ? 2 : 1,
                             .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    out->stamp_ns = 0;
    out->has_credentials = false;
    out->descriptor_count = 0;
    ssize_t size = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | flags);
    if (size < 0) return -errno;
    if (message.msg_controllen) read_control(&message, out);
    out->control_truncated = message.msg_flags & MSG_CTRUNC;
    out->payload_truncated = message.msg_flags & MSG_TRUNC;
    return size;
}

ptrdiff_t cps_receive(int fd, void *first, size_t first_size, void *second, size_t second_size,
                    cps_ancillary *out, bool wait) {
    return receive(fd, first, first_size, second, second_size, out, wait ? 0 : MSG_DONTWAIT);
}

ptrdiff_t cps_peek(int fd, void *first, size_t first_size, void *second, size_t second_size, cps_ancillary *out) {
    return receive(fd, first, first_size, second, second_size, out, MSG_DONTWAIT | MSG_PEEK);
}

ptrdiff_t cps_peek_head(int fd, void *head, size_t size, int64_t *stamp_ns) {
    // Room for the stamp, which comes first, and for nothing else: each look would install the packet's descriptors.
    union {
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
        struct cmsghdr align;
    } control;
    struct iovec part = {head, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1,
                             .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    cps_ancillary found = {.stamp_ns = 0};
    ptrdiff_t length = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC);
    if (length < 0) return -errno;
    if (message.msg_controllen) read_control(&message, &found);
    // Where the stamp is switched off there is room for a descriptor or two.
    for (size_t i = 0; i < found.descriptor_count; i++) close(found.descriptors[i]);
    *stamp_ns = found.stamp_ns;
    return length;
}

static int set_flag(int fd, int option) {
    int on = 1;
    return RESULT(setsockopt(fd, SOL_SOCKET, option, &on, sizeof on));
}

int cps_enable_stamps(int fd) { return set_flag(fd, SO_TIMESTAMPNS); }

int cps_enable_credentials(int fd) { return set_flag(fd, SO_PASSCRED); }

int cps_set_send_buffer(int fd, int bytes) {
    return RESULT(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes));
}

static int socket_option(int fd, int option, int *value) {
    socklen_t size = sizeof *value;
    return RESULT(getsockopt(fd, SOL_SOCKET, option, value, &size));
}

int cps_send_buffer(int fd) {
    int bytes = 0, r = socket_option(fd, SO_SNDBUF, &bytes);
    return r < 0 ? r : bytes;
}

static ptrdiff_t queue_size(int fd, unsigned long request) {
    int bytes = 0;
    return ioctl(fd, request, &bytes) < 0 ? -errno : bytes;
}

ptrdiff_t cps_unread_by_peer(int fd) { return queue_size(fd, SIOCOUTQ); }

ptrdiff_t cps_unread_here(int fd) { return queue_size(fd, FIONREAD); }

int cps_wire_cookie(int fd, uint64_t *cookie) {
    int domain = 0, type = 0, listening = 0, r;
    // Any file may have been sent here, an O_PATH one too: socket calls answer EBADF for that, as for a closed number.
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -errno;
    if (flags & O_PATH) return -EPROTOTYPE;
    if ((r = socket_option(fd, SO_DOMAIN, &domain)) < 0) return r;
    if ((r = socket_option(fd, SO_TYPE, &type)) < 0) return r;
    if ((r = socket_option(fd, SO_ACCEPTCONN, &listening)) < 0) return r;
    if (domain != AF_UNIX || type != SOCK_SEQPACKET || listening) return -EPROTOTYPE;
    struct sockaddr_un peer;
    socklen_t size = sizeof peer;
    // A peer that is gone already still had one: EOF is what the reader will see.
    if (getpeername(fd, (struct sockaddr *)&peer, &size) < 0) return -errno;
    size = sizeof *cookie;
    return RESULT(getsockopt(fd, SOL_SOCKET, SO_COOKIE, cookie, &size));
}

int cps_shutdown(int fd) { return RESULT(shutdown(fd, SHUT_RDWR)); }

int cps_shutdown_reading(int fd) { return RESULT(shutdown(fd, SHUT_RD)); }

int cps_replace(int fd, int with) { return RESULT(dup3(with, fd, O_CLOEXEC)); }
