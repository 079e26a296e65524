"""The modules of the package are neither too long nor too short, form no cycle, and name their classes differently."""

import ast
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = {"tourney": ROOT / "tourney", "tourney_bots": ROOT / "bots" / "tourney_bots"}
MOST_LINES = 400
LEAST_LINES = 15


def module_name(package: Path, path: Path) -> str:
    """Returns the dotted name of a module, that of its package for an `__init__`."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(package, path): path for package in PACKAGES.values() for path in sorted(package.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def imported(name: str) -> set[str]:
    """Returns the modules of the packages that a module imports anywhere, inside functions and for types included.

    `from package import thing` is an import of the module `package.thing` if there is one, else of `package`.
    """
    found = set()
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {module if module in MODULES else str(node.module) for module in full}
    return found & MODULES.keys()


def test_no_two_classes_share_a_name():
    places = defaultdict(list)
    for name, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{name}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


@pytest.mark.parametrize("name", MODULES)
def test_modules_are_neither_too_long_nor_too_short(name):
    lines = MODULES[name].read_text(encoding="utf-8").count("\n")
    assert lines <= MOST_LINES
    assert lines >= LEAST_LINES or MODULES[name].name in ("__init__.py", "__main__.py")


def test_no_module_imports_itself_through_others():
    try:
        TopologicalSorter({name: imported(name) for name in MODULES}).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(error.args[1]))


def test_the_imports_that_are_looked_at_are_those_of_the_package():
    assert "tourney.table" in imported("tourney.runner.worker")
    assert "tourney.games.vole.view" in imported("tourney.games.vole")
