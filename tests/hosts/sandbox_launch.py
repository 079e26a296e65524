"""Runs a command in the sandbox, as the user who starts this program, with the program's standard streams.

The first argument is JSON: `command`, or else `python` (a module, a folder to import from, arguments); `reads`,
`hides`, `by` (the backend), `limits`; and `missing`: system calls that the machine is to seem to lack.
"""

import ctypes
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

from tourney.errors import TourneyError
from tourney.hosts.sandbox import launcher

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
    try:
        sys.exit(subprocess.run(launch.argv, env=launch.env, check=False).returncode)
    finally:
        launch.clear()


if __name__ == "__main__":
    main()
