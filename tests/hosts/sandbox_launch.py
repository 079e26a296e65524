"""Runs a command in the sandbox, as the user who starts this program, with the program's standard streams.

The first argument is JSON: `command`, or else `python` (a module, a folder to import from, arguments); `reads`,
`hides`, `by` (the backend), `limits`; `forks`: whether a fork of this program runs the Python of the command, and how
many do one after the other; and `missing`: system calls that the machine is to seem to lack.
"""

import ctypes
import json
import os
import runpy
import struct
import subprocess
import sys
from pathlib import Path

from tourney.errors import TourneyError
from tourney.hosts import linux
from tourney.hosts.sandbox import launcher
from tourney.hosts.sandbox.template import Template

CALLS = {"landlock_create_ruleset": (444, 444), "unshare": (272, 97)}


def take_away(names):
    """Makes these system calls fail in this process and all that it starts."""
    libc = ctypes.CDLL(None, use_errno=True)
    column = ["x86_64", "aarch64"].index(os.uname().machine)
    steps = [(0x20, 0, 0, 0)]
    for name in names:
        steps += [(0x15, 0, 1, CALLS[name][column]), (0x06, 0, 0, 0x00050000 | 1)]
    steps.append((0x06, 0, 0, 0x7FFF0000))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, program, 0, 0) == 0, os.strerror(ctypes.get_errno())


def run_in_forks(launch, words, times):
    """Runs a script, or code after -c, in one fork after another, and ends with the exit code of the last one."""
    linux.adopt_orphans()
    template = Template(lambda: run(words))
    for _ in range(times):
        held, started = os.pipe()
        child = template.fork(launch.fork, launch.env, 0, 1, 2, started)
        os.close(started)
        template.go_on()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert os.read(held, 1) == b"1"
        os.close(held)
    sys.exit(code)


def run(words):
    """Runs a script with its arguments, or code after -c."""
    sys.argv = words if words[0] != "-c" else words[1:]
    if words[0] == "-c":
        exec(words[1], {"__name__": "__main__"})
    else:
        runpy.run_path(words[0], run_name="__main__")


def main():
    spec = json.loads(sys.argv[1])
    if spec.get("missing"):
        take_away(spec["missing"])
    if "by" not in spec:
        try:
            print(launcher.backend())
        except TourneyError as error:
            sys.exit(f"{type(error).__name__}: {error}")
        return
    if "python" in spec:
        module, folder, *arguments = spec["python"]
        spec["command"] = launcher.python_command(module, [folder, *sys.path], *arguments)
    launch = launcher.sandboxed(
        spec["command"],
        [Path(path) for path in spec["reads"]],
        [Path(path) for path in spec.get("hides", ())],
        launcher.SandboxLimits(**spec.get("limits", {})),
        scratch=Path(__file__).with_name("scratch"),
        by=spec["by"],
    )
    if spec.get("forks"):
        assert spec["command"][1] == "-I"
        run_in_forks(launch, spec["command"][2:], spec["forks"])
    try:
        sys.exit(subprocess.run(launch.argv, env=launch.env, check=False).returncode)
    finally:
        launch.clear()


if __name__ == "__main__":
    main()
