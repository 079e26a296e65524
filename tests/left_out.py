"""The tests that are left out under `TOURNEY_PORTABLE=1`: of what docs/platforms.md says cannot be kept elsewhere."""

import os
import sys

PORTABLE = sys.platform != "linux" or os.environ.get("TOURNEY_PORTABLE", "0") not in ("", "0")
"""Whether the portable way is tested; by the machine and the environment, not by what the code says of itself."""
FILES = {
    "cluster/": "clusters",
    "hosts/test_cgroup.py": "cgroups",
    "hosts/test_sandbox.py": "the sandbox",
    "hosts/test_sandbox_backends.py": "the sandbox",
    "hosts/test_sandbox_limits.py": "the sandbox",
    "hosts/test_sandbox_runs.py": "the sandbox",
    "hosts/test_sandboxed_commands.py": "the sandbox",
    "hosts/test_scratch_folders.py": "the sandbox",
    "hosts/test_processor_time.py": "limits of processor time",
    "cli/test_processor_time.py": "limits of processor time",
    "hosts/test_memory.py": "limits of memory",
    "hosts/test_lateness_of_processes.py": "how long a bot in a process of its own waits for a core",
    "hosts/test_from_outside.py": "the process that starts bots, and what has left its process group",
}
"""Files and folders whose tests are all of something that is refused elsewhere, or not there."""
CASES = dict.fromkeys(("sandbox", "landlock", "bubblewrap", "namespaces"), "the sandbox") | {
    "Allocates": "limits of memory"
}
"""Cases of other tests that are called so, or have such a part between hyphens, are left out as well."""
TESTS: dict[str, str] = {
    "test_nothing_that_a_bot_has_started_is_left": "what has left its process group",
    "test_when_the_run_or_a_worker_is_killed_none_of_its_bots_is_left": "what has left its process group",
    "test_nothing_is_left_where_a_worker_and_its_watchdog_are_killed_before_the_run": "what the guard is killed with",
    "test_between_its_decisions_all_processes_of_a_bot_are_stopped": "what has left its process group",
    "test_a_signal_from_outside_is_noticed_as_ever": "what has left its process group",
    "test_the_default_is_a_worker_for_each_processor": "workers as many as processors that this process may use",
    "test_what_a_bot_does_in_its_process_disturbs_nobody[MarksItsParent]": "what a bot changes of its parent process",
    "test_a_bot_that_takes_too_much_memory_is_charged_inline_as_well": "limits of memory",
    "test_it_comes_to_what_the_documentation_says[process-MarksItsParent]": "what a bot changes of its parent process",
}
"""Other tests, each with the promise that cannot be kept."""


def why(path: str, name: str) -> str:
    """Returns why a test is left out now; empty if it is not."""
    if not PORTABLE:
        return ""
    found = [promise for file, promise in FILES.items() if file in path]
    found += [CASES[case] for case in name.partition("[")[2].removesuffix("]").split("-") if case in CASES]
    found += [TESTS[each] for each in (name, name.partition("[")[0]) if each in TESTS]
    return f"needs Linux: {found[0]}" if found else ""
