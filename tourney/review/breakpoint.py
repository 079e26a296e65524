"""A stop in the debugger inside a bot's own `act`: for one call, a `breakpoint()` stands before its first line."""

import ast
import inspect
import os
import pdb
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from tourney.hosts.base import Act


def call_with_breakpoint(act: Act, view: Any, legal: Sequence[int]) -> Any:
    """Calls `act`, stopping in the debugger at its first line, or before the call if its source cannot be read."""
    function = inspect.unwrap(getattr(act, "__func__", act))  # without decorators
    code = _with_breakpoint(function) if isinstance(function, FunctionType) else None
    hook = sys.breakpointhook
    if hook is sys.__breakpointhook__ and not os.environ.get("PYTHONBREAKPOINT"):
        sys.breakpointhook = _stop_in_pdb
    try:
        if code is None:
            breakpoint()
            return act(view, legal)
        old, function.__code__ = function.__code__, code
        try:
            return act(view, legal)
        finally:
            function.__code__ = old
    finally:
        sys.breakpointhook = hook


def _stop_in_pdb() -> None:
    """Starts pdb in the frame that calls this, without a .pdbrc: it may have come with somebody else's files."""
    pdb.Pdb(readrc=False).set_trace(sys._getframe(1))


def _with_breakpoint(function: FunctionType) -> CodeType | None:
    """The function's code with a breakpoint in front; None if its source is missing or has changed."""
    old = function.__code__
    try:
        tree = ast.parse(Path(old.co_filename).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or node.name != old.co_name:
            continue
        if min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]]) == old.co_firstlineno:
            first = int(ast.get_docstring(node) is not None and len(node.body) > 1)
            node.body.insert(first, _breakpoint(node, node.body[first].lineno))
    for code in _codes(compile(tree, old.co_filename, "exec")):
        same = (code.co_firstlineno, code.co_qualname) == (old.co_firstlineno, old.co_qualname)
        if same and code.co_freevars == old.co_freevars:
            return code
    return None


def _breakpoint(node: ast.FunctionDef, first_line: int) -> ast.stmt:
    """Makes the statement; from Python 3.13 on a debugger stops at its line, earlier ones at the next other line."""
    if sys.version_info >= (3, 13):
        line = first_line
    else:
        line = node.lineno if first_line > node.lineno else max(1, node.lineno - 1)
    return ast.increment_lineno(ast.parse("breakpoint()").body[0], line - 1)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code, and all code nested in it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _codes(part)
