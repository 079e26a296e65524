"""What only Linux has stands in one file of hosts."""

import re

from tests.conftest import ROOT

ONLY_LINUX = re.compile(r"pidfd|prctl|sched_[gs]etaffinity|/proc/|/sys/fs|sys\.platform")
PLACES = ("hosts/linux.py", "hosts/sandbox/")


def test_what_only_linux_has_is_asked_for_in_its_places_alone():
    package = ROOT / "tourney"
    files = {path.relative_to(package).as_posix(): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    using = [name for name, text in files.items() if ONLY_LINUX.search(text)]
    assert "hosts/linux.py" in using
    assert [name for name in using if not name.startswith(PLACES)] == []
