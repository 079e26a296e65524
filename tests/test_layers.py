"""The rooms of the package stand in one order, and imports go up it only."""

import ast
import re
from pathlib import Path

import pytest

from tests.pretended import LINUX_LIBRARY, LINUX_ONLY

ROOT = Path(__file__).parent.parent
ORDER = [
    "errors", "docstrings", "regular_files", "standard_streams", "rng", "state", "cards", "wording",
    "validation", "game", "encoding", "games", "bot", "match", "entry_points", "fingerprints",
    "open_spiel", "load_failures", "bot_files", "policy_values", "plugins", "policies", "bot_classes",
    "game_failures", "pages", "hosts", "match_results", "lots", "table", "playouts", "replay", "live_match",
    "sentences", "config", "scaffold", "stats", "schedule", "column_layout", "text_tables", "journal",
    "match_file", "seat_rows", "runner", "cluster", "debugging", "verify", "testing", "report", "pettingzoo", "_api",
    "cli", "__main__",
]  # fmt: skip
GAMES_MAY = {"errors", "cards", "wording", "rng", "game", "encoding"}
BOTS_MAY = {"bot", "game", "cards", "playouts", "policies"}
PUBLIC = {("tourney", "errors"), ("tourney", "match"), ("tourney", "plugins"), ("tourney", "stats")}
"""The rooms beside `_api` that the names of the library come from."""
CLOCKS = {"hosts", "table", "runner", "cluster", "debugging", "cli"}
PROCESSES = {"hosts", "runner", "cluster", "debugging"}
LINUX = ("tourney/hosts/linux.py", "tourney/hosts/cgroup.py", "tourney/hosts/sandbox/")
"""Where what only Linux has may stand."""
LINUX_NAMES = {name for names in LINUX_ONLY.values() for name in names}.union(
    LINUX_LIBRARY, {"SOCK_SEQPACKET", "TOURNEY_PORTABLE", "/proc", "/sys"}
)
"""What may stand nowhere else. (macOS has the name SOCK_SEQPACKET, but no such pairs of sockets.)"""
FILES = sorted((ROOT / "tourney").rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(ROOT / "tourney").parts[0].removesuffix(".py")


def imports(path: Path) -> list[tuple[str, ...]]:
    """Every module that the file imports, as its dotted parts; `from a import b` gives a.b as well."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return [tuple(name.split(".")) for name in found]


def words(path: Path) -> set[str]:
    """Every name in the code of the file and every word of its texts, without docstrings and comments.

    The folders /proc and /sys keep their slash.
    """
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found = set()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.update(node.name.split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            found.update(re.findall(r"/(?:proc|sys)\b|\w+", node.value))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_up_the_order_of_the_rooms_only(path):
    if path == ROOT / "tourney" / "__init__.py":
        assert {name[:2] for name in imports(path)} <= {("tourney", "_api"), ("importlib", "import_module")} | PUBLIC
        return
    mine = ORDER.index("cluster" if room(path) == "runner" else room(path))  # they are one room
    for name in imports(path):
        if name[0] == "tourney":
            assert ORDER.index(name[1]) <= mine, f"{path} imports {'.'.join(name)}, which stands below it"
        assert name[0] != "tourney_bots", f"{path} imports a bot"


@pytest.mark.parametrize(
    "path", [path for path in FILES if room(path) == "games"], ids=lambda path: str(path.relative_to(ROOT))
)
def test_games_import_little(path):
    for name in imports(path):
        if name[0] == "tourney" and name[1] == "games":
            mine = path.relative_to(ROOT / "tourney").parts[1]
            assert name[2] in (mine, "tricks"), f"{path} imports another game"
        elif name[0] == "tourney":
            assert name[1] in GAMES_MAY, f"{path} imports {'.'.join(name)}"


@pytest.mark.parametrize("path", sorted((ROOT / "bots").rglob("*.py")), ids=lambda path: path.name)
def test_bots_import_the_contract_only(path):
    for name in imports(path):
        if name[0] == "tourney":
            assert name[1] in BOTS_MAY, f"{path} imports {'.'.join(name)}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_clocks_and_processes_stay_where_they_belong(path):
    for name in imports(path):
        if name[0] == "time":
            assert room(path) in CLOCKS, f"{path} reads a clock"
        if name[0] in ("multiprocess", "multiprocessing", "subprocess"):
            assert room(path) in PROCESSES, f"{path} deals with processes"
        if name[0] == "click":
            assert room(path) == "cli", f"{path} knows Click"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_only_linux_has_stays_where_it_belongs(path):
    found = words(path) & LINUX_NAMES
    if not path.relative_to(ROOT).as_posix().startswith(LINUX):
        assert not found, f"{path}: what only Linux has belongs into a function of tourney/hosts/linux.py"


def test_what_only_linux_has_is_found_in_code_and_texts_but_not_in_docstrings(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        '"""os.pipe2."""\n'
        "import os\n"
        "from os import memfd_create as make  # os.eventfd\n"
        'FILE = f"/proc/{os.getpid()}/stat"\n'
        'CODE = "import os; os.setns(3)"\n'
        "os.pidfd_open(1), getattr(os, 'prctl')\n",
        encoding="utf-8",
    )
    assert words(path) & LINUX_NAMES == {"memfd_create", "/proc", "setns", "pidfd_open", "prctl"}
    assert {"pidfd_open", "prctl", "/proc", "TOURNEY_PORTABLE"} <= words(ROOT / LINUX[0])


@pytest.mark.parametrize("path", [path for path in FILES if path.name == "__init__.py"], ids=str)
def test_init_files_hold_a_docstring_and_re_exports_only(path):
    """The folder of a game is an exception: its `__init__` holds the game."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    assert isinstance(body[0], ast.Expr), "a docstring comes first"
    if room(path) == "games" and path.parent.name != "games":
        return
    if path.parent == ROOT / "tourney":  # its names are imported when they are asked for
        return
    for node in body[1:]:
        assert isinstance(node, ast.Import | ast.ImportFrom | ast.Assign)


def test_every_room_has_its_place_in_the_order():
    assert sorted({room(path) for path in FILES} - {"__init__"}) == sorted(ORDER)
