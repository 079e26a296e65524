"""The tests that are left out under `TOURNEY_PORTABLE=1`: of what docs/platforms.md says cannot be kept elsewhere.

`tests/standings/test_left_out.py` compares these lists with the tests, and their promises with that page.
"""

import os
import sys

PORTABLE = sys.platform != "linux" or os.environ.get("TOURNEY_PORTABLE", "0") not in ("", "0")
"""Whether the portable way is tested; by the machine and the environment, not by what the code says of itself."""
SANDBOX = "the sandbox"
CLUSTER = "a cluster"
MEMORY = "limits of memory"
PROCESSOR_TIME = "limits of processor time"
WORK = "how long bots in processes of their own work and wait for a core"
LEFT_GROUP = "what has left the process group of its bot is stopped and ended with it"
PARENT = "what a bot does to the process that has started its own harms nobody else"
GUARD = "nothing of a bot is left where all that see to its end are killed together"
CORES = "workers as many as processors that this process may use"
FILES = {
    "cluster/": CLUSTER,
    "hosts/test_cgroup.py": MEMORY,
    "hosts/test_memory.py": MEMORY,
    "hosts/test_sandbox.py": SANDBOX,
    "hosts/test_sandbox_check.py": SANDBOX,
    "hosts/test_sandbox_limits.py": SANDBOX,
    "hosts/test_sandbox_runs.py": SANDBOX,
    "hosts/test_sandbox_start.py": SANDBOX,
    "hosts/test_sandboxed_commands.py": SANDBOX,
    "hosts/test_processor_time.py": PROCESSOR_TIME,
}
"""Files and folders whose tests are all of something that is refused elsewhere, or not there."""
CASES = {"sandbox": SANDBOX, "Allocates": MEMORY}
"""Cases of other tests that are called so, or have such a part between hyphens, are left out as well."""
PAGES = ("test_docs.py", "test_pages.py")
"""Files whose cases are pages of the documentation: a case called so is the page, and is not left out."""
TESTS = {
    "cli/test_clocks.py::test_the_default_is_a_worker_for_each_processor": CORES,
    "cli/test_hosts.py::test_when_the_run_or_a_worker_is_killed_none_of_its_bots_is_left[group]": LEFT_GROUP,
    "cli/test_hosts.py::test_when_the_run_or_a_worker_is_killed_none_of_its_bots_is_left[main]": LEFT_GROUP,
    "cli/test_hosts.py::test_when_the_run_or_a_worker_is_killed_none_of_its_bots_is_left[worker]": LEFT_GROUP,
    "cli/test_wrong_use.py::test_a_wrong_call_is_one_line_with_the_remedy[a limit that does not hold]": PROCESSOR_TIME,
    "hosts/test_from_outside.py::test_a_bot_is_not_charged_for_a_signal_from_outside[spawner-act-SIGHUP]": PARENT,
    "hosts/test_from_outside.py::test_a_bot_is_not_charged_for_a_signal_from_outside[spawner-act-SIGKILL]": PARENT,
    "hosts/test_from_outside.py::test_a_bot_is_not_charged_for_a_signal_from_outside[spawner-end-SIGSTOP]": PARENT,
    "hosts/test_from_outside.py::test_a_bot_is_not_charged_for_a_signal_from_outside[spawner-make-SIGHUP]": PARENT,
    "hosts/test_from_outside.py::test_a_bot_is_not_charged_for_a_signal_from_outside[spawner-make-SIGKILL]": PARENT,
    "hosts/test_from_outside.py::test_a_bot_is_not_charged_for_a_signal_from_outside[spawner-start-SIGSTOP]": PARENT,
    "hosts/test_from_outside.py::test_a_bot_is_not_charged_for_what_it_raises_as_its_spawner_is_ended": PARENT,
    "hosts/test_from_outside.py::test_a_bot_that_stops_its_processes_each_time_is_charged[StopsItsParent]": PARENT,
    "hosts/test_from_outside.py::test_a_program_is_not_charged_for_a_signal_from_outside[spawner-SIGKILL]": PARENT,
    "hosts/test_from_outside.py::test_a_program_is_not_charged_for_a_signal_from_outside[spawner-SIGSTOP]": PARENT,
    "hosts/test_from_outside.py::test_a_worker_that_a_bot_stops_goes_on": PARENT,
    "hosts/test_from_outside.py::test_nothing_is_left_where_all_that_see_to_a_bot_are_killed_together": GUARD,
    "hosts/test_from_outside.py::test_what_bots_in_this_process_have_started_is_spared_when_a_spawner_is_ended": PARENT,
    "hosts/test_outcomes.py::test_it_comes_to_what_the_documentation_says[inline-StopsItsParent]": PARENT,
    "hosts/test_outcomes.py::test_it_comes_to_what_the_documentation_says[process-MarksItsParent]": PARENT,
    "hosts/test_outcomes.py::test_it_comes_to_what_the_documentation_says[process-ThinksOnInChild]": LEFT_GROUP,
    "hosts/test_process.py::test_nothing_that_a_bot_has_started_is_left": LEFT_GROUP,
    "hosts/test_process.py::test_what_a_bot_does_in_its_process_disturbs_nobody[MarksItsParent]": PARENT,
    "hosts/test_suspended.py::test_a_signal_from_outside_is_noticed_as_ever[spawner-act-SIGSTOP]": PARENT,
    "hosts/test_suspended.py::test_a_signal_from_outside_is_noticed_as_ever[spawner-start-SIGKILL]": PARENT,
    "hosts/test_suspended.py::test_between_its_decisions_all_processes_of_a_bot_are_stopped[process]": LEFT_GROUP,
}
"""Other tests, or single cases of them, each with the promise that cannot be kept."""
PROMISES = list(dict.fromkeys([*FILES.values(), *CASES.values(), *TESTS.values()]))
"""The promises that cannot be kept: how their lines in the table of docs/platforms.md begin."""


def why(test: str) -> str:
    """Returns why a test, given as pytest prints its name, is left out now; empty if it is not."""
    if not PORTABLE:
        return ""
    reason = promise(test.removeprefix("tests/"))
    return f"needs Linux: {reason}" if reason else ""


def promise(test: str) -> str:
    """Returns the promise for which a test is left out the portable way; empty if it is not."""
    file = test.partition("::")[0]
    name, _, case = test.partition("[")
    found = [FILES[each] for each in FILES if file == each or (each.endswith("/") and file.startswith(each))]
    found += [TESTS[each] for each in (test, name) if each in TESTS]
    if file not in PAGES:
        found += [CASES[part] for part in case.removesuffix("]").split("-") if part in CASES]
    return found[0] if found else ""
