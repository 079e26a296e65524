"""Mistakes that can be planted in a Python source: each replaces one short piece of its text."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARED = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.NotIn: (r"not\s+in", "in"),
    ast.Is: ("is", "is not"), ast.IsNot: (r"is\s+not", "is"),
}  # fmt: skip
CALCULATED = {
    ast.Add: (r"\+", "-"), ast.Sub: ("-", "+"), ast.Mult: (r"\*", "+"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"), ast.Pow: (r"\*\*", "*"), ast.BitOr: (r"\|", "&"), ast.BitAnd: ("&", "|"),
    ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"),
}  # fmt: skip


@dataclass(frozen=True)
class Mistake:
    """A mistake: bytes `start` to `end` of a file are replaced by other text."""

    file: str
    line: int
    function: int | None  # the line at which the code of the function begins that it is in
    start: int
    end: int
    before: str
    after: str

    @property
    def room(self) -> str:
        return self.file.split("/")[1]

    def __str__(self) -> str:
        before, after = (" ".join(text.split())[:60] for text in (self.before, self.after))
        return f"{self.file}:{self.line}: {before} -> {after}"

    def planted(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


def mistakes_in(root: Path, path: Path) -> list[Mistake]:
    """Returns all mistakes that can be planted in a file. Annotations, decorators and texts are left alone."""
    source = path.read_bytes()
    return list(_Finder(path.relative_to(root).as_posix(), source).within(ast.parse(source), None))


class _Finder:
    def __init__(self, file: str, source: bytes) -> None:
        self._file = file
        self._source = source
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._starts = starts

    def within(self, node: ast.AST, function: int | None) -> Iterator[Mistake]:
        """Yields the mistakes in a node; `function` is where the code of the function begins that it is in."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = min(part.lineno for part in (node, *node.decorator_list))
            parts: list[ast.AST] = [*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body]
        elif isinstance(node, ast.ClassDef):
            parts = list(node.body)
        elif isinstance(node, ast.AnnAssign):
            parts = [node.value] if node.value else []
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            return
        elif isinstance(node, ast.keyword) and node.arg == "strict":
            parts = []  # it makes no difference where lengths are equal, which they are
        elif isinstance(node, ast.JoinedStr):
            parts = []  # places within texts are not known before Python 3.12
        else:
            parts = list(ast.iter_child_nodes(node))
        for start, end, after in self._of(node):
            before = self._source[start:end].decode()
            line = self._source.count(b"\n", 0, start) + 1
            yield Mistake(self._file, line, function, start, end, before, after)
        for part in parts:
            yield from self.within(part, function)

    def _of(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        match node:
            case ast.Compare():
                lefts = [node.left, *node.comparators[:-1]]
                for left, operator, right in zip(lefts, node.ops, node.comparators, strict=True):
                    yield from self._between(left, right, *COMPARED[type(operator)])
            case ast.BoolOp():
                words = (r"\band\b", "or") if isinstance(node.op, ast.And) else (r"\bor\b", "and")
                yield from self._between(node.values[0], node.values[1], *words)
            case ast.BinOp() if type(node.op) in CALCULATED:
                yield from self._between(node.left, node.right, *CALCULATED[type(node.op)])
            case ast.If() | ast.IfExp() | ast.While():
                yield (*self._span(node.test), f"(not ({self._text(node.test)}))")
            case ast.Return(value=ast.expr()) if not isinstance(node.value, ast.Constant):
                yield (*self._span(node.value), "None")
            case ast.expr() | ast.stmt() if after := self._instead(node):
                yield (*self._span(node), after)

    def _instead(self, node: ast.expr | ast.stmt) -> str | None:
        match node:
            case ast.UnaryOp(op=ast.Not()):
                return self._text(node.operand)
            case ast.Constant(value=bool() | int() | float() as value):
                return str(not value) if isinstance(value, bool) else f"{value + 1}"
            case ast.Name(id="min" | "max", ctx=ast.Load()):
                return "max" if node.id == "min" else "min"
            case ast.Continue() | ast.Break():
                return "break" if isinstance(node, ast.Continue) else "continue"
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.Expr(value=ast.Call()):
                return "pass"
        return "pass" if isinstance(node, ast.AugAssign | ast.Raise | ast.Delete) else None

    def _between(self, left: ast.expr, right: ast.expr, pattern: str, after: str) -> Iterator[tuple[int, int, str]]:
        start, end = self._span(left)[1], self._span(right)[0]
        between = re.sub(rb"#.*", lambda match: b" " * len(match[0]), self._source[start:end])
        if found := re.search(pattern.encode(), between):
            yield start + found.start(), start + found.end(), after

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset
