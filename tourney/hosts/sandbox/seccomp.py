"""The filter of system calls in the sandbox (seccomp, in classic BPF), which bubblewrap puts on the command.

It refuses what the file system and the limits do not reach: sockets, other processes, memory that is shared or that no
limit counts, and every way to leave a mark on a file that two programs can see, such as locks and times. The numbers
are those of x86-64 and of arm64 (asm/unistd_64.h and asm-generic/unistd.h of Linux).
"""

import errno
import struct
from collections.abc import Sequence

NEWEST = 450
"""The newest call in the tables below. Newer ones are reported as unknown, and programs do without them."""

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of the tables, and the audit number, of each architecture."""

PID = 2
"""The id of the command in its namespace, where bubblewrap's own process has the first one."""

NO = -1
"""Stands for a call that the architecture does not have."""

REFUSED = {
    # sockets: `socketpair` is all that is left of them, with buffers as they are, and without files in flight
    "accept": (43, 202), "accept4": (288, 242), "bind": (49, 200), "connect": (42, 203), "listen": (50, 201),
    "sendmmsg": (307, 269), "sendmsg": (46, 211), "setsockopt": (54, 208), "socket": (41, 198),
    # the program is one process; threads are made by `clone`, see below
    "fork": (57, NO), "vfork": (58, NO),
    # other processes, and what all processes of the machine have in common; what was read from the disk is, which
    # `getrusage` tells
    "capget": (125, 90), "get_robust_list": (274, 100), "getrusage": (98, 165),
    "ioprio_get": (252, 31), "ioprio_set": (251, 30), "kcmp": (312, 272), "migrate_pages": (256, 238),
    "move_pages": (279, 239), "perf_event_open": (298, 241), "pidfd_getfd": (438, 438), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "ptrace": (101, 117), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "setpgid": (109, 154), "setpriority": (141, 140), "sync": (162, 81),
    "syncfs": (306, 267), "sysinfo": (99, 179),
    # memory and storage that no limit counts, or that programs share by name
    "add_key": (248, 217), "io_setup": (206, 0), "keyctl": (250, 219), "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mq_getsetattr": (245, 185), "mq_notify": (244, 184), "mq_open": (240, 180), "mq_timedreceive": (243, 183),
    "mq_timedsend": (242, 182), "mq_unlink": (241, 181), "msgctl": (71, 187), "msgget": (68, 186),
    "msgrcv": (70, 188), "msgsnd": (69, 189), "request_key": (249, 218), "semctl": (66, 191), "semget": (64, 190),
    "semop": (65, 193), "semtimedop": (220, 192), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197),
    "shmget": (29, 194), "splice": (275, 76), "tee": (276, 77), "userfaultfd": (323, 282), "vmsplice": (278, 75),
    # marks on files that are not the program's own: owner, mode, times, attributes, locks, watches, page cache, space
    "chmod": (90, NO), "chown": (92, NO), "fadvise64": (221, 223), "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263), "fchmod": (91, 52), "fchmodat": (268, 53), "fchown": (93, 55), "fchownat": (260, 54),
    "flock": (73, 32), "fremovexattr": (199, 16), "fsetxattr": (190, 7), "fstatfs": (138, 44), "futimesat": (261, NO),
    "inotify_add_watch": (254, 27), "inotify_init": (253, NO), "inotify_init1": (294, 26), "lchown": (94, NO),
    "lremovexattr": (198, 15), "lsetxattr": (189, 6), "mincore": (27, 232), "readahead": (187, 213),
    "removexattr": (197, 14), "setxattr": (188, 5), "statfs": (137, 43), "ustat": (136, NO), "utime": (132, NO),
    "utimensat": (280, 88), "utimes": (235, NO),
    # files by other means than their path, and other file systems; `mount` and `capset` are left to `init`, and fail
    # for the command, which has no right to them
    "chroot": (161, 51), "fsconfig": (431, 431), "fsmount": (432, 432), "fsopen": (430, 430), "fspick": (433, 433),
    "mount_setattr": (442, 442), "move_mount": (429, 429), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "pivot_root": (155, 41), "setns": (308, 268),
    "umount2": (166, 39), "unshare": (272, 97),
    # the kernel and its clocks
    "adjtimex": (159, 171), "bpf": (321, 280), "clock_adjtime": (305, 266), "clock_settime": (227, 112),
    "settimeofday": (164, 170), "syslog": (103, 116),
}  # fmt: skip
UNKNOWN = {
    # a program to which these are unknown takes the older call, whose arguments are examined
    "clone3": (435, 435), "futex_waitv": (449, 449), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
}  # fmt: skip
EXAMINED = {
    "clock_getres": (229, 114), "clock_gettime": (228, 113), "clock_nanosleep": (230, 115), "clone": (56, 220),
    "fcntl": (72, 25), "futex": (202, 98), "getpgid": (121, 155), "getpriority": (140, 141), "getsid": (124, 156),
    "getsockopt": (55, 209), "ioctl": (16, 29), "kill": (62, 129), "madvise": (28, 233), "mmap": (9, 222),
    "prctl": (157, 167), "preadv2": (327, 286), "prlimit64": (302, 261), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "sched_getaffinity": (204, 123), "sched_getattr": (315, 275),
    "sched_getparam": (143, 121), "sched_getscheduler": (145, 120), "sched_rr_get_interval": (148, 127),
    "sched_setaffinity": (203, 122), "sched_setattr": (314, 274), "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119), "socketpair": (53, 199), "tgkill": (234, 131), "timer_create": (222, 107),
    "tkill": (200, 130),
}  # fmt: skip

CLONE_THREAD = 0x00010000
CLONE_NEW = 0x7E020000
"""The flags of `clone` that make a namespace."""
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN = 0x01, 0x20, 0x100
PR_SET_PDEATHSIG, PR_SCHED_CORE, PR_SET_MEMORY_MERGE = 1, 62, 67
FUTEX_PRIVATE_FLAG = 0x80
CLOCKS = tuple(range(12))
"""The clocks of the machine and of the own process; others name a process, by its id, or a device."""
FILE_COMMANDS = (0, 1, 2, 3, 4, 1030, 1032)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Others lock, watch or mark a file, or
enlarge a pipe."""
DEVICE_COMMANDS = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX."""
SOCKET_OPTIONS = (3, 4, 7, 8, 30, 38, 39)
"""SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN. Others tell how many sockets the
machine has made."""
CACHE_ADVICE = (12, 20, 21)
"""MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT, which reach memory that programs share."""

_LOAD, _AND, _EQUAL, _ABOVE, _RETURN = 0x20, 0x54, 0x15, 0x25, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_ALL = 0xFFFFFFFF
_STEP = struct.Struct("=HBBI")

Step = tuple[int, int, int, int]
"""One instruction: its code, how many to skip if true, how many to skip if false, and its operand."""


def program(machine: str, thread_joins: bool) -> bytes:
    """Returns the filter for an architecture, one of `MACHINES`, as the kernel takes it.

    `thread_joins` is that of `launcher.SandboxLimits`.
    """
    return b"".join([_STEP.pack(*step) for step in steps_for(machine, thread_joins)])


def steps_for(machine: str, thread_joins: bool) -> list[Step]:
    """Returns the instructions of the filter."""
    column, audit = MACHINES[machine]
    steps: list[Step] = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, audit), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    steps += [(_ABOVE, 0, 1, NEWEST), _refuse(errno.ENOSYS)]
    for calls, number in ((REFUSED, errno.EPERM), (UNKNOWN, errno.ENOSYS)):
        for numbers in calls.values():
            if numbers[column] != NO:
                steps += [(_EQUAL, 0, 1, numbers[column]), _refuse(number)]
    for name, rule in _rules().items():
        if not (thread_joins and name == "futex"):
            steps += [(_EQUAL, 0, len(rule), EXAMINED[name][column]), *rule]
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def _rules() -> dict[str, list[Step]]:
    """Returns the instructions that examine the arguments of a call, by the call's name."""
    signals = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
    clocks = ("clock_getres", "clock_gettime", "clock_nanosleep", "timer_create")
    own = [name for name in EXAMINED if name.startswith("sched_") or name in ("getpgid", "getsid", "prlimit64")]
    return {
        "clone": _only((0, CLONE_THREAD | CLONE_NEW, (CLONE_THREAD,))),
        "fcntl": _only((1, _ALL, FILE_COMMANDS)),
        # waits that are not the process's own reach all programs that have the same file in memory, such as the C
        # library; these return at once, as waits may at any time
        "futex": _only((1, FUTEX_PRIVATE_FLAG, (FUTEX_PRIVATE_FLAG,)), error=0),
        "getpriority": _only((0, _ALL, (0,)), (1, _ALL, (0, PID))),
        "getsockopt": _only((1, _ALL, (1,)), (2, _ALL, SOCKET_OPTIONS)),
        "ioctl": _only((1, _ALL, DEVICE_COMMANDS)),
        "madvise": _never(2, CACHE_ADVICE),
        # the limit of memory counts private memory only; a stack that grows has a limit of its own
        "mmap": _only((3, MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN, (0, MAP_SHARED, MAP_ANONYMOUS))),
        "prctl": _never(0, (PR_SET_PDEATHSIG, PR_SCHED_CORE, PR_SET_MEMORY_MERGE)),
        # a read that does not wait would tell whether another program has read the same
        "preadv2": _only((5, _ALL, (0,))),
        # a pair of streams (AF_UNIX, SOCK_STREAM) reaches nobody else; datagrams could be sent to any address
        "socketpair": _only((0, _ALL, (1,)), (1, 0xF, (1,))),
        **{name: _only((0, _ALL, (PID,))) for name in signals},
        **{name: _only((0, _ALL, (0, PID))) for name in own},
        **{name: _only((0, _ALL, CLOCKS)) for name in clocks},
        # the C library gets on where there is no such call, and not where it is forbidden
        "sched_getaffinity": _only((0, _ALL, (0, PID)), error=errno.ENOSYS),
    }


def _refuse(number: int) -> Step:
    return (_RETURN, 0, 0, _ERRNO | number)


def _argument(index: int) -> Step:
    return (_LOAD, 0, 0, 16 + 8 * index)  # its lower half


def _only(*conditions: tuple[int, int, Sequence[int]], error: int = errno.EPERM) -> list[Step]:
    """Returns the instructions that allow a call if each argument, under its mask, has one of the values."""
    steps: list[Step] = []
    for index, mask, values in conditions:
        steps += [_argument(index), (_AND, 0, 0, mask)]
        steps += [(_EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)]
        steps.append(_refuse(error))
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def _never(index: int, values: Sequence[int]) -> list[Step]:
    """Returns the instructions that refuse a call if the argument has one of the values."""
    matches = [(_EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)]
    return [_argument(index), *matches, (_RETURN, 0, 0, _ALLOW), _refuse(errno.EPERM)]
