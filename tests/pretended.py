"""Takes away what another system lacks, so that what relies on it fails here as it would there.

`python -m tests.pretended darwin` imports every module of the package in such a world, and prints those that fail.
"""

import builtins
import contextlib
import ctypes
import importlib
import os
import pkgutil
import select
import signal
import socket
import sys
import time
import traceback
from importlib.machinery import ExtensionFileLoader
from types import ModuleType
from typing import Any

import tourney_bots

import tourney

LINUX_ONLY = {
    os: (
        "CLONE_NEWNET", "O_PATH", "O_TMPFILE", "P_PIDFD", "copy_file_range", "eventfd", "getrandom", "getresgid",
        "getresuid", "getxattr", "listxattr", "memfd_create", "pidfd_open", "pipe2", "posix_fadvise", "posix_fallocate",
        "removexattr", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_setaffinity",
        "sched_setparam", "sched_setscheduler", "setns", "setresgid", "setresuid", "setxattr", "splice",
        "timerfd_create", "unshare", "waitid",
    ),
    select: ("epoll",),
    signal: ("pidfd_send_signal", "sigtimedwait", "sigwaitinfo", "SIGPWR", "SIGSTKFLT"),
    socket: ("AF_NETLINK", "SO_PEERCRED"),
    time: ("pthread_getcpuclockid",),
}  # fmt: skip
"""What Linux has and macOS has not, by module."""
LINUX_LIBRARY = ("prctl", "mallopt", "unshare", "mount", "syscall")
"""What the C library of Linux has and that of macOS has not, or not in the same way."""
UNIX_ONLY = {
    os: (
        "O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "PRIO_PROCESS", "WIFSTOPPED", "WNOHANG",
        "WUNTRACED", "chown", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg", "getpgid",
        "getpriority", "getsid", "getuid", "killpg", "lchown", "mkfifo", "openpty", "posix_spawn", "pread", "pwrite",
        "register_at_fork", "sched_yield", "set_blocking", "setpgid", "setsid", "setuid", "statvfs", "sysconf",
        "tcgetpgrp", "ttyname", "uname", "wait3", "wait4",
    ),
    select: ("poll",),
    signal: (
        "ITIMER_REAL", "SIG_BLOCK", "SIG_SETMASK", "SIG_UNBLOCK", "alarm", "getitimer", "pause", "pthread_kill",
        "pthread_sigmask", "setitimer", "siginterrupt", "sigpending", "sigwait",
    ),
    socket: ("AF_UNIX", "recv_fds", "send_fds"),
    time: ("clock_getres", "clock_gettime", "clock_gettime_ns"),
}  # fmt: skip
"""What macOS has and Windows has not, by module; and most signals."""
WINDOWS_SIGNALS = {"SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM"}
UNIX_MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty")


def pretend(platform: str) -> None:
    """Has this process believe that it runs on `darwin` or `win32`, as far as that can be done."""
    _take(LINUX_ONLY)
    sys.addaudithook(_without_proc)
    library = ctypes.CDLL

    def load(name: str | None, *arguments: Any, **keys: Any) -> Any:
        if name is None and platform == "win32":
            raise TypeError("there is no library of the main program")
        return _Library(library(name, *arguments, **keys))

    ctypes.CDLL = load  # type: ignore[assignment, misc]
    if platform == "win32":
        _take(UNIX_ONLY)
        _take({signal: [n for n in dir(signal) if n[:3] == "SIG" and n[3] != "_" and n not in WINDOWS_SIGNALS]})
        for name in UNIX_MODULES:
            sys.modules[name] = None  # type: ignore[assignment] # its import fails from now on
    sys.platform = platform


def _take(names: dict[ModuleType, Any]) -> None:
    for module, taken in names.items():
        for name in taken:
            with contextlib.suppress(AttributeError):
                delattr(module, name)


def _without_proc(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith("/proc"):
        raise FileNotFoundError(arguments[0])


class _Library:
    """A C library without what only that of Linux has."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        if name in LINUX_LIBRARY:
            raise AttributeError(name)
        return getattr(self._library, name)


def modules() -> list[str]:
    """Returns the names of all modules of the package and of the reference bots."""
    found = []
    for package in (tourney, tourney_bots):
        inside = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        found += [module.name for module in inside if not module.name.endswith("__main__")]
    return found


def main(platform: str) -> None:
    """Imports all modules as they are, and then once more where what the platform lacks is gone."""
    names = modules()
    for name in names:
        importlib.import_module(name)  # and with it all that it needs of others, which is not what is tried here
    for name, module in list(sys.modules.items()):
        own = name.partition(".")[0] in ("tourney", "tourney_bots")
        if own and not isinstance(getattr(module, "__loader__", None), ExtensionFileLoader):
            del sys.modules[name]
    pretend(platform)
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            builtins.print(f"{name}: {type(error).__name__}: {error} ({where.filename}:{where.lineno})")


if __name__ == "__main__":
    main(sys.argv[1])
