"""The filter of system calls in the sandbox (seccomp, in classic BPF), which bubblewrap puts on the command.

It allows only the calls that everyday programs need. Nearly all others are answered as unknown (ENOSYS), as by an older
Linux: then programs do without them. So there are no sockets, no other processes, no memory that is shared or uncounted
by limits, nothing that could continue a stopped process, and no way to leave a mark on a file that two programs can
see, such as locks and times. The numbers come from x86-64 and arm64 (asm/unistd_64.h and asm-generic/unistd.h of
Linux).
"""

import errno
import struct
from collections.abc import Sequence

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of the tables, and the audit number, of each architecture."""

PID = 2
"""The command's id in its namespace, in which bubblewrap's own process is the first."""

NO = -1
"""Stands for a call that the architecture does not have."""

ALLOWED = {
    # files, under the visible paths; nothing that marks a file for others is here: owner, mode, times, attributes,
    # locks, watches; nor calls that reveal mounts (`statx`), the disk, or the contents of memory
    "access": (21, NO), "chdir": (80, 49), "close": (3, 57), "creat": (85, NO), "dup": (32, 23), "dup2": (33, NO),
    "dup3": (292, 24), "faccessat": (269, 48), "faccessat2": (439, 439), "fallocate": (285, 47), "fchdir": (81, 50),
    "fstat": (5, 80), "ftruncate": (77, 46), "getcwd": (79, 17), "getdents": (78, NO), "getdents64": (217, 61),
    "link": (86, NO), "linkat": (265, 37), "lseek": (8, 62), "lstat": (6, NO), "mkdir": (83, NO),
    "mkdirat": (258, 34), "newfstatat": (262, 79), "open": (2, NO), "openat": (257, 56), "pread64": (17, 67),
    "preadv": (295, 69), "pwrite64": (18, 68), "pwritev": (296, 70), "read": (0, 63), "readlink": (89, NO),
    "readlinkat": (267, 78), "readv": (19, 65), "rename": (82, NO), "renameat": (264, 38), "renameat2": (316, 276),
    "rmdir": (84, NO), "stat": (4, NO), "symlink": (88, NO), "symlinkat": (266, 36), "truncate": (76, 45),
    "umask": (95, 166), "unlink": (87, NO), "unlinkat": (263, 35), "write": (1, 64), "writev": (20, 66),
    # streams and waiting; the only sockets are pairs, with buffers as they are, and without files in flight
    "epoll_create": (213, NO), "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441), "epoll_wait": (232, NO), "eventfd": (284, NO), "eventfd2": (290, 19),
    "getpeername": (52, 205), "getsockname": (51, 204), "pipe": (22, NO), "pipe2": (293, 59), "poll": (7, NO),
    "ppoll": (271, 73), "pselect6": (270, 72), "recvfrom": (45, 207), "recvmsg": (47, 212), "select": (23, NO),
    "sendto": (44, 206), "shutdown": (48, 210), "signalfd": (282, NO), "signalfd4": (289, 74),
    "timerfd_create": (283, 85), "timerfd_gettime": (287, 87), "timerfd_settime": (286, 86),
    # memory, of the kinds that the limits count
    "brk": (12, 214), "mprotect": (10, 226), "mremap": (25, 216), "msync": (26, 227), "munmap": (11, 215),
    # the process itself and its threads
    "arch_prctl": (158, NO), "execve": (59, 221), "exit": (60, 93), "exit_group": (231, 94), "getcpu": (309, 168),
    "getegid": (108, 177), "geteuid": (107, 175), "getgid": (104, 176), "getgroups": (115, 158),
    "getpgrp": (111, NO), "getpid": (39, 172), "getppid": (110, 173), "getresgid": (120, 150),
    "getresuid": (118, 148), "getrlimit": (97, 163), "gettid": (186, 178), "getuid": (102, 174), "rseq": (334, 293),
    "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126), "sched_yield": (24, 124),
    "set_robust_list": (273, 99), "set_tid_address": (218, 96), "setrlimit": (160, 164), "times": (100, 153),
    "uname": (63, 160), "wait4": (61, 260), "waitid": (247, 95),
    # signals; and only those timers that can send no signal but their own: another could continue a stopped process
    "alarm": (37, NO), "getitimer": (36, 102), "pause": (34, NO), "restart_syscall": (219, 128),
    "rt_sigaction": (13, 134), "rt_sigpending": (127, 136), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "rt_sigsuspend": (130, 133), "rt_sigtimedwait": (128, 137), "setitimer": (38, 103), "sigaltstack": (131, 132),
    # time and chance
    "getrandom": (318, 278), "gettimeofday": (96, 169), "nanosleep": (35, 101), "time": (201, NO),
    # for `init`; they fail for the command, which lacks the right to them
    "capset": (126, 91), "mount": (165, 40), "setgroups": (116, 159), "setresgid": (119, 149),
    "setresuid": (117, 147),
}  # fmt: skip
"""The calls that a command may make with any arguments, by their number on each architecture."""
FORBIDDEN = {
    "chmod": (90, NO), "chown": (92, NO), "fchmod": (91, 52), "fchmodat": (268, 53), "fchown": (93, 55),
    "fchownat": (260, 54), "fork": (57, NO), "futimesat": (261, NO), "lchown": (94, NO), "socket": (41, 198),
    "utime": (132, NO), "utimensat": (280, 88), "utimes": (235, NO), "vfork": (58, NO),
}  # fmt: skip
"""The calls that are answered as forbidden (EPERM), which programs expect from some file systems."""
EXAMINED = {
    "clock_getres": (229, 114), "clock_gettime": (228, 113), "clock_nanosleep": (230, 115), "clone": (56, 220),
    "close_range": (436, 436), "fcntl": (72, 25), "fdatasync": (75, 83), "fsync": (74, 82), "futex": (202, 98),
    "getpgid": (121, 155), "getpriority": (140, 141), "getsid": (124, 156), "getsockopt": (55, 209),
    "ioctl": (16, 29), "kill": (62, 129), "madvise": (28, 233), "mmap": (9, 222), "prctl": (157, 167),
    "prlimit64": (302, 261), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "sched_getaffinity": (204, 123), "sched_getparam": (143, 121), "sched_getscheduler": (145, 120),
    "sendfile": (40, 71), "socketpair": (53, 199), "tgkill": (234, 131), "tkill": (200, 130),
}  # fmt: skip
"""The calls whose arguments are examined, or that are answered without being made; see `_rules`."""

CLONE_THREAD = 0x00010F00
"""CLONE_VM, FS, FILES, SIGHAND and THREAD: a thread that shares everything, including the table of open files."""
CLONE_FREE = 0x017C00FF
"""The flags that a new thread may choose: where its id is written, and its storage."""
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_HUGETLB = 0x01, 0x20, 0x100, 0x40000
MAP_EXAMINED = MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_HUGETLB
PROCESS_OPTIONS = (8, 15, 16, 47)
"""PR_SET_KEEPCAPS and PR_CAP_AMBIENT, which `init` needs, and PR_SET_NAME and PR_GET_NAME."""
FUTEX_PRIVATE_FLAG = 0x80
CLOCKS = tuple(range(12))
"""The clocks of the machine and of this process; others name a process, by its id, or a device."""
FILE_COMMANDS = (0, 1, 2, 3, 4, 1030, 1032)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Others lock, watch or mark a file, or
enlarge a pipe."""
DEVICE_COMMANDS = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX."""
SOCKET_OPTIONS = (3, 4, 7, 8, 30, 38, 39)
"""SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN. Others reveal how many sockets the
machine has made."""
MEMORY_ADVICE = (0, 1, 2, 3, 4, 8, 10, 11, 14, 15, 16, 17, 18, 19, 22, 23, 102, 103)
"""The advice that `madvise` may give about private memory. MADV_PAGEOUT and others reach memory that programs share."""

_LOAD, _AND, _EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_ALL = 0xFFFFFFFF
_STEP = struct.Struct("=HBBI")

Step = tuple[int, int, int, int]
"""One instruction: its code, how many to skip if true, how many to skip if false, and its operand."""


def program(machine: str, thread_joins: bool) -> bytes:
    """Returns the filter for an architecture, one of `MACHINES`, as the kernel takes it.

    `thread_joins` is the field of `launcher.SandboxLimits`.
    """
    return b"".join([_STEP.pack(*step) for step in steps_for(machine, thread_joins)])


def steps_for(machine: str, thread_joins: bool) -> list[Step]:
    """Returns the instructions of the filter."""
    column, audit = MACHINES[machine]
    steps: list[Step] = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, audit), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    for name, rule in _rules().items():
        if not (thread_joins and name == "futex"):
            steps += [(_EQUAL, 0, len(rule), EXAMINED[name][column]), *rule]
    for numbers in FORBIDDEN.values():
        if numbers[column] != NO:
            steps += [(_EQUAL, 0, 1, numbers[column]), _answer(errno.EPERM)]
    allowed = [*ALLOWED.values(), *([EXAMINED["futex"]] if thread_joins else [])]
    for numbers in allowed:
        if numbers[column] != NO:
            steps += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ALLOW)]
    return [*steps, _answer(errno.ENOSYS)]


def _rules() -> dict[str, list[Step]]:
    signals = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
    clocks = ("clock_getres", "clock_gettime", "clock_nanosleep")
    own = ("getpgid", "getsid", "prlimit64", "sched_getparam", "sched_getscheduler")
    return {
        # a process would be one more, and a thread with its own open files would have as many again
        "clone": _only((0, _ALL & ~CLONE_FREE, (CLONE_THREAD,))),
        "close_range": _only((2, _ALL, (0, 4))),
        "fcntl": _only((1, _ALL, FILE_COMMANDS)),
        # the scratch folder is in memory, and all programs share the disk with the other files
        "fdatasync": [_answer(0)],
        "fsync": [_answer(0)],
        # waits outside the process reach all programs that have the same file in memory, such as the C library; these
        # return at once, as waits may at any time
        "futex": _only((1, FUTEX_PRIVATE_FLAG, (FUTEX_PRIVATE_FLAG,)), error=0),
        "getpriority": _only((0, _ALL, (0,)), (1, _ALL, (0, PID))),
        "getsockopt": _only((1, _ALL, (1,)), (2, _ALL, SOCKET_OPTIONS)),
        "ioctl": _only((1, _ALL, DEVICE_COMMANDS)),
        "madvise": _only((2, _ALL, MEMORY_ADVICE), error=errno.EINVAL),
        # the memory limit counts private memory only; a growing stack has its own limit
        "mmap": _only((3, MAP_EXAMINED, (0, MAP_SHARED, MAP_ANONYMOUS))),
        "prctl": _only((0, _ALL, PROCESS_OPTIONS), error=errno.EINVAL),
        # pages of a file on their way through a stream count for no process; programs copy by themselves then
        "sendfile": [_answer(errno.EINVAL)],
        # a pair of streams (AF_UNIX, SOCK_STREAM) reaches no other process; datagrams could go to any address
        "socketpair": _only((0, _ALL, (1,)), (1, 0xF, (1,))),
        **{name: _only((0, _ALL, (PID,))) for name in signals},
        **{name: _only((0, _ALL, (0, PID))) for name in own},
        **{name: _only((0, _ALL, CLOCKS)) for name in clocks},
        # the C library copes with a missing call, but not with a forbidden one
        "sched_getaffinity": _only((0, _ALL, (0, PID)), error=errno.ENOSYS),
    }


def _answer(number: int) -> Step:
    return (_RETURN, 0, 0, _ERRNO | number)


def _only(*conditions: tuple[int, int, Sequence[int]], error: int = errno.EPERM) -> list[Step]:
    """Returns the instructions that allow a call if each argument, under its mask, has one of the values."""
    steps: list[Step] = []
    for index, mask, values in conditions:
        steps += [(_LOAD, 0, 0, 16 + 8 * index), (_AND, 0, 0, mask)]  # the lower half of the argument
        steps += [(_EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)]
        steps.append(_answer(error))
    return [*steps, (_RETURN, 0, 0, _ALLOW)]
