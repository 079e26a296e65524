"""Tracebacks in the logs of bots: each fault once, after what the bot itself has written."""

from tourney.contracts.match import Fault
from tourney.hosts.faults import BotTraceback
from tourney.journal.bot_logs import add


def found(detail: str, decision: int = 1) -> BotTraceback:
    return BotTraceback("mine", "vole-00000-0", Fault(0, "error", decision, None, detail), f"at {detail}\n  line")


def test_each_fault_is_told_once_on_lines_of_its_own(tmp_path):
    add(tmp_path, found("a"))
    log = tmp_path / "logs" / "mine.txt"
    log.write_text("--- end of the traceback ---\nown words" + "\n" + log.read_text() + "torn")
    for detail in ("a", "b", "a"):
        add(tmp_path, found(detail, decision=2))
    entries = [
        f"--- error: {detail}, decision {decision} of vole-00000-0 ---\nat {detail}\n  line\n"
        for detail, decision in (("a", 1), ("b", 2))
    ]
    end = "--- end of the traceback ---\n"
    assert log.read_text() == f"{end}own words\n{entries[0]}{end}torn\n{entries[1]}{end}"
