"""The tests that are left out under `TOURNEY_PORTABLE=1`: of what docs/platforms.md says cannot be kept elsewhere."""

import os
import sys

PORTABLE = sys.platform != "linux" or os.environ.get("TOURNEY_PORTABLE", "0") not in ("", "0")
"""Whether the portable way is tested; by the machine and the environment, not by what the code says of itself."""
FILES = (
    "cluster/", "hosts/test_cgroup.py", "hosts/test_sandbox.py", "hosts/test_sandbox_backends.py",
    "hosts/test_sandbox_limits.py", "hosts/test_sandbox_runs.py", "hosts/test_sandboxed_commands.py",
    "hosts/test_scratch_folders.py",
)  # fmt: skip
"""The sandbox, cgroups and clusters."""
PARTS = ("sandbox", "landlock", "bubblewrap", "namespaces", "spawner")
"""Cases of other tests that are called so are for the sandbox as well, or for the process that starts bots on Linux."""
TESTS: dict[str, str] = {
    "test_nothing_that_a_bot_has_started_is_left": "what has left its process group",
    "test_when_the_run_or_a_worker_is_killed_none_of_its_bots_is_left": "what has left its process group",
    "test_nothing_is_left_where_a_worker_and_its_watchdog_are_killed_before_the_run": "what the guard is killed with",
    "test_between_its_decisions_all_processes_of_a_bot_are_stopped": "what has left its process group",
    "test_a_bot_is_charged_for_the_time_of_all_its_processes": "limits of processor time",
    "test_a_bot_whose_helper_ends_with_its_account_lost_is_measured_all_the_same": "limits of processor time",
    "test_what_a_bot_does_in_its_process_disturbs_nobody[MarksItsParent]": "what a bot changes of its parent process",
    "test_the_bank_is_for_all_decisions_together": "limits of processor time",
    "test_a_process_that_holds_too_much_is_charged": "limits of memory",
    "test_a_bot_that_brings_its_process_down_or_hangs_is_charged_and_nobody_else[Allocates]": "limits of memory",
}
"""Other tests, each with the promise that cannot be kept."""


def why(path: str, name: str) -> str:
    """Returns why a test is left out now; empty if it is not."""
    if not PORTABLE:
        return ""
    case = name.partition("[")[2].removesuffix("]").split("-")
    if any(file in path for file in FILES) or not set(case).isdisjoint(PARTS):
        return "needs Linux: the sandbox, cgroups, a cluster, or the spawner"
    found = TESTS.get(name) or TESTS.get(name.partition("[")[0])
    return f"needs Linux: {found}" if found else ""
