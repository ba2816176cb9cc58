#define _GNU_SOURCE
#include "CPortShims.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// In the child of a process with threads: nothing but async-signal-safe calls.
static void become(const char *path, char *const *arguments, char *const *environment, int input, int output, int error,
                   int parent) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (parent) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(127);
    }
    if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || (error >= 0 && dup2(error, 2) < 0)) _exit(127);
    execve(path, arguments, environment);
    _exit(127);
}

int cps_spawn(const char *path, char *const *arguments, char *const *environment, int output, int error,
              bool dies_with_thread) {
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (input < 0) return -errno;
    int parent = dies_with_thread ? getpid() : 0;
    // Without the handlers of fork: they would take the child's output away.
    int pid = _Fork();
    if (pid == 0) become(path, arguments, environment, input, output, error, parent);
    int failure = errno;
    close(input);
    return pid < 0 ? -failure : pid;
}

int cps_pidfd(int pid) {
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    return fd < 0 ? -errno : fd;
}

int cps_signal_process(int pid, int number) { return kill(pid, number) < 0 ? -errno : 0; }

int cps_reap(int pid, int *code, bool *was_signal) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED) < 0) return -errno;
    *code = info.si_status;
    *was_signal = info.si_code != CLD_EXITED;
    return 0;
}

int cps_pipe(int32_t *reading, int32_t *writing) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    *reading = ends[0];
    *writing = ends[1];
    return 0;
}
