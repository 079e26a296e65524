"""Runs a command in the sandbox, as the user who starts this program, with the program's standard streams.

The argument is JSON: `command`, `reads`, `hides` and `limits`. Without a command it only says whether there is a
sandbox.
"""

import json
import subprocess
import sys
from pathlib import Path

from tourney.base.errors import TourneyError
from tourney.hosts.sandbox import launcher


def main():
    spec = json.loads(sys.argv[1])
    reads, hides = ([Path(path) for path in spec.get(key, ())] for key in ("reads", "hides"))
    limits = launcher.SandboxLimits(**spec.get("limits", {}))
    if "command" in spec:
        argv = launcher.sandboxed(spec["command"], reads, hides, limits)
    else:
        try:
            launcher.check()
        except TourneyError as error:
            sys.exit(f"{type(error).__name__}: {error}")
        return
    sys.exit(subprocess.run(argv, env=launcher.ENV, check=False).returncode)


if __name__ == "__main__":
    main()
