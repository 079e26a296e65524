"""Every example in a docstring of the package and of its bots prints what it says."""

import ast
import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def examples(package: Path) -> list[doctest.DocTest]:
    """Returns the docstrings of the package that have examples.

    They are read from the source files, since a compiled module does not show its docstrings.
    """
    found = []
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if ">>>" not in text:
            continue
        module = ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, DOCUMENTED) and ">>>" in (docstring := ast.get_docstring(node, clean=False) or ""):
                name = f"{module}.{getattr(node, 'name', '__doc__')}"
                line = node.body[0].lineno - 1
                found.append(doctest.DocTestParser().get_doctest(docstring, {}, name, str(path), line))
    return found


EXAMPLES = [*examples(ROOT / "tourney"), *examples(ROOT / "bots" / "tourney_bots")]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_examples_in_docstrings_print_what_they_say(example):
    example.globs = vars(importlib.import_module(example.name.rsplit(".", 1)[0])).copy()
    output: list[str] = []
    results = doctest.DocTestRunner().run(example, out=output.append)
    assert results.attempted > 0
    assert results.failed == 0, "".join(output)


def test_there_are_examples_to_run():
    assert EXAMPLES
