"""Finds constructions that make English read as translated, in docstrings, comments, messages and Markdown.

It prints `FILE:LINE: RULE: "MATCH": SUGGESTION` for each finding, and fails if there are more than MOST, or one in a
message, a help text, the README or the first screen of a page. Lower MOST with each change that removes some.
Lines with `dialect: ok`, code in Markdown and words in backticks are left out; a field of an f-string is a noun.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MOST = 10
PATHS = ("README.md", "docs", "tourney", "bots")
SCREEN = 25
"""Lines of a page that are seen at once."""


class Rule(NamedTuple):
    """A construction, and how a native writer says it."""

    name: str
    pattern: re.Pattern[str]
    suggestion: str
    in_markdown: bool = True


def rule(name: str, pattern: str, suggestion: str, *, in_markdown: bool = True) -> Rule:
    """Makes a rule."""
    return Rule(name, re.compile(pattern, re.MULTILINE), suggestion, in_markdown)


START = r"(?:^|(?<=[.;:] )|(?<=\| )|(?<=^- ))"
STOP = r"(?=[.,;:)\"]|$)"

# Nearly all findings read as translated; the docs of pytest, httpx and llm have next to none.
RULES = (
    rule(
        "is-no",
        r"(?<!\bthere )(?<!There )\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|fewer\b|one\b|matter\b|need\b|such\b|doubt\b"
        r"|different\b|better\b|worse\b)(?=[a-zA-Z])",
        '"is not a X", or just "not a X"',
    ),
    rule(
        "that-of",
        r"(?:\b(?:is|are|was|were|has|have|with|and|for|than|from|or|as|beside|of|like|without|before|shows|prints)|[,:;(]|default:) (?:that|those) of\b",
        'repeat the noun or use a possessive: "the bot\'s name", not "that of the bot"',
    ),
    rule(
        "so-many",
        r"\b[Ss]o (?:many|much)\b(?! (?:as|that|more|better|faster|less)\b)|\bat least as many"
        + STOP
        + r"|\bif there are as many\b",
        '"this many", or name the number',
    ),
    rule(
        "whoever",
        r"\b[Ww]ho(?:so)?ever\b|\b[Ww]homever\b|"
        + START
        + r"Who (?!is\b|are\b|was\b|to\b|beats\b|meets\b|wins\b|reads\b|plays\b|led\b)[a-z]+s?\b(?![^.;:|]*\?)"
        r"|\b(?:for|of|to|by|with|from|tells|asks) who (?=[a-z]+s\b)(?!is\b|was\b|has\b)",
        '"anyone who", "the user", "the player who", or "if you ..."',
    ),
    rule(
        "somebody",
        r"\b(?:[Ss]omebody|[Ee]verybody|[Aa]nybody)(?:'s| else's| else)?\b|\b(?:to|tell|of|for|helps|from|reaches|nor) nobody\b|\b[Nn]obody's\b",
        '"someone", "everyone", "anyone", "no one"; better: name the actor',
    ),
    rule(
        "all-that",
        r"\b[Aa]ll (?:that|who|whom|there is)\b(?! (?:time|matters))",
        '"everything that", "everyone who", or "all the X"',
    ),
    rule(
        "of-own",
        r"\bof (?:its|their|his) own\b|\b(?:the|an) own\b",
        '"its own X": "in its own process", not "in a process of its own"',
    ),
    rule("beside", r"\b[Bb]eside\b", '"next to", "besides", "along with", "compared with"'),
    rule("begun", r"\bbegun\b|" + START + r"Begins?\b", '"start", "started"; of a run: "created"'),
    rule(
        "as-because",
        r", as (?:there (?:is|are|was|were)|(?:it|this|that|he|she) (?:imagines|cannot|needs|would|may name|has no)|they (?:need|do|cannot|would)"
        r"|an? [a-z]+ (?:has|shows|was|may have) |no [a-z]+ |nobody |nothing |most |not all |groups |every [a-z]+ [a-z]+s )",
        '"because", or "since"',
    ),
    rule(
        "says",
        r"\b(?:says?|said|tells?|told) (?:who|what|which|how|it(?=[.,;])|where|why|whether|by|in|all|more)\b(?! you)(?! (?:the )?game)",
        '"states", "sets", "shows", "explains", or lead with the content ("See X for ...")',
    ),
    rule(
        "passive-told",
        r"\b(?:is|are|was|were|be|been) (?:told|said|heeded|meant|let|sent along|had)\b(?! (?:to be|apart|for)\b)",
        'active voice with an actor: "the bot receives ...", "X means ..."',
    ),
    rule(
        "ended",
        r"\b(?:is|are|was|were|be|been|gets?) ended\b|\b[Ee]nds (?:it|them|all|(?:the|a|its|this|that) (?:process|processes|child|spawner|command|bot|bots|worker|workers|server|program))\b",
        '"stopped", "killed", "terminated"',
    ),
    rule(
        "goes-on",
        r"\b(?:goes|go|went|going|gone) on\b(?! (?:to|the wire|a|stdout|stderr)\b)|\b(?:play|plays|played|run|runs|reads?) on\b(?=[.,;:)]|$| (?:from|until|where|to|by|as|with|after|in|instead|beyond|for)\b)",
        '"continues", "resumes", "keeps playing"',
    ),
    rule(
        "is-there",
        r"\b(?:is|are|was|were|has been|have been|be) there\b(?! (?:a|an|any|no|is|are|to|was|were)\b)(?!\?)",
        '"exists", "is present", "already"',
    ),
    rule(
        "archaic",
        r"\b(?:anew|afresh|meanwhile|whence|thereby|therein|hitherto|as ever|wholly|farther|in vain|at the most|for want of|thereupon|now and then|in doubt|for ever)\b"
        r"|\ball the same" + STOP,
        '"again", "in the meantime", "entirely", "further", "at most", "occasionally", or nothing',
    ),
    rule("any-more", r"\b(?:not|n't|no|nothing|nobody|none|cannot) (?:[a-z]+ ){0,6}any ?more\b", '"no longer"'),
    rule(
        "of-before",
        r"\bof (?:before|now|then|old)\b(?=[.,;:)\"]|$| (?:is|are|was|were|stays?|has|have|that|and|in|by|with)\b)",
        '"previous", "current"',
    ),
    rule(
        "stands",
        r"\b(?:stands?|stood|lies|lay|lain) (?:in|at|on|below|beside|behind|there|between|with|by|beyond|under|where|after|before|alone)\b(?! up)",
        '"is in", "appears in", "is listed under"',
    ),
    rule(
        "of-fronted",
        START + r"Of (?:an?|the|two|each|all|what|those|several|every|its|one|bots|such|them)\b",
        'subject first: "For an installed package, only ..."',
    ),
    rule(
        "is-of",
        r"\b(?:is|are|was|were|be) of (?:an?|one|the|another|no|other|others|version|this|that|its|several|all)\b(?! (?:use|interest|kind|type|right)\b)",
        '"belongs to", "is for", "has", or a possessive',
    ),
    rule("is-to-be", r"\b(?:is|are|was|were) (?:not )?to be\b", '"must be", "should be", "will be"'),
    rule("in-the-mean", r"\bin the mean\b(?! time)", '"on average"'),
    rule(
        "hold-event",
        r"\b[Hh]old(?:s|ing)? (?:an?|the) (?:[a-z]+ )?(?:competition|league|tournament|cup)\b",
        '"run a competition"',
    ),
    rule(
        "where-if",
        START
        + r"Where (?:an?|the|it|there|this|two|several|bots?|no|they|one|these|both|nothing|results|time|all)\b[^.;:?]{3,90}, (?:and )?(?!and\b)",
        '"If", "When"; keep "where" for places',
    ),
    rule(
        "those-that",
        r"\b(?:[Tt]hose|[Oo]nes) (?:that|which|whose)\b(?! follow )|\b(?:one|that) which\b",
        'repeat or drop the noun: "bots that ...", "commits without a bot"',
    ),
    rule(
        "what-noun",
        r"\b(?:[Ww]ith|[Bb]y|[Ff]rom|[Ii]n|[Ff]or|[Tt]han|but|removes|keeps|puts|holds|writes|has|gives|copies|prints|moves) what (?=(?:is|was|were|are|has|had|it|they|he|its|bots?|others?|a|an|the|each|every|comes|came|follows|stands|lies|makes|plays|played|there|matters|of)\b)"
        r"|\b[Ww]hat (?:there is|of|stays|comes of|came of|is of|is in the|was of|is there|was there|in|else)\b|"
        + START
        + r"What (?!is\b|happens\b)(?:[a-z]+ ){1,5}(?:is|are|was|were|has|have|may|can|had) [a-z]+(?:ed|en|ing)\b(?![^.;:|]*\?)",
        'name the thing: "the files", "the output", "the settings"',
    ),
    rule(
        "causative",
        START
        + r"(?:Has|Have|Lets) (?:it|them|this|those|these|an?|the|its|whoever|each|every|all|others|bots|workers) (?:[a-z]+ ){0,3}?(?!been\b|had\b|to\b|of\b)[a-z]+\b(?=[ .,;:])",
        'the direct verb: "Pauses a bot", not "Has a bot play no matches"',
        in_markdown=False,
    ),
    rule(
        "tells-whether",
        START + r"(?:Tells|Says|Knows|Sees|Finds out|Looks) (?:whether|who|what|which|how|to it|where|if|after)\b",
        '"Whether ...", "Returns ..."',
        in_markdown=False,
    ),
    rule(
        "by-means",
        r"\binstall (?:it|them) by\b|\b(?:continue|allow|choose|say|give|does it|overwrite) (?:it |that )?by:? (?=[`{<A-Z-])|\bas by:? (?=[`{<A-Zc-])|\b(?:saves?|done|asked|made|given|named) by (?=[`{<-])",
        '"with": "install it with: pip ..."',
    ),
    rule(
        "as-far-as",
        r"\bas far as (?:it|they) (?:is|are|was|were|has|have|went|go)\b|\bwell behaved\b",
        '"if present", "so far", "the part that ..."',
    ),
    rule("but-for", r"\bbut for\b|\bsave for\b", '"except (for)"'),
)


class Passage(NamedTuple):
    """Prose that belongs together: a paragraph, a docstring, a comment or a message."""

    kind: str
    text: str
    lines: list[tuple[int, int]]  # offset in the text, number of the line

    def line_at(self, offset: int) -> int:
        """The line of the file for an offset in the text."""
        return max(line for start, line in self.lines if start <= offset)


def passage(kind: str, lines: list[tuple[int, str]]) -> Passage:
    """Joins lines, with code hidden."""
    text, starts = "", []
    for number, line in lines:
        starts.append((len(text), number))
        text += line.strip() + " "
    for code in (r"`[^`]+`", r"(?<=\])\([^)\s]*\)", r"https?://\S+"):
        text = re.sub(code, lambda match: "C" * len(match[0]), text)
    return Passage(kind, text.rstrip(), starts)


def paragraphs(kind: str, first: int, text: str) -> Iterator[Passage]:
    """Splits a text at empty lines, list items, table rows and headings; leaves out code."""
    held: list[tuple[int, str]] = []
    fenced = False
    for number, line in enumerate([*text.splitlines(), ""], first):
        bare = line.strip()
        fence = bare.startswith("```")
        is_code, fenced = fence or fenced, fenced ^ fence
        if not bare or is_code or re.match(r"[-*] |[|#]|\d+\. ", bare):
            if held:
                yield passage(kind, held)
            held = []
        if bare and not is_code:
            held.append((number, bare))


def python_passages(source: str) -> Iterator[Passage]:
    """Docstrings, messages and comments; the docstrings of commands are messages."""
    tree = ast.parse(source)
    known: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        is_help = isinstance(node, ast.FunctionDef) and any(
            "command" in ast.unparse(each) for each in node.decorator_list
        )
        for child in body if isinstance(body, list) else ():
            if (
                isinstance(child, ast.Expr)
                and isinstance(child.value, ast.Constant)
                and isinstance(child.value.value, str)
            ):
                known.add(id(child.value))
                yield from paragraphs("message" if is_help else "docstring", child.lineno, child.value.value)
        if isinstance(node, ast.JoinedStr):
            known |= {id(part) for each in node.values for part in ast.walk(each)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(each.value) if isinstance(each, ast.Constant) else "{N}" for each in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in known:
            text = node.value
        else:
            continue
        if re.search(r"[a-z]{2,} [a-z{]", text):
            yield passage("message", [(node.lineno, " ".join(text.split()))])
    yield from comments(source)


def comments(source: str) -> Iterator[Passage]:
    """Comments, those on neighbouring lines as one."""
    held: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith(("# noqa", "# fmt", "# type", "#!")):
            if held and token.start[0] != held[-1][0] + 1:
                yield passage("comment", held)
                held = []
            held.append((token.start[0], token.string.lstrip("# ")))
    if held:
        yield passage("comment", held)


def passages(path: Path) -> Iterator[Passage]:
    """All prose of a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from python_passages(text)
        return
    if path.suffix == ".jinja":
        text = re.sub(
            r"\{[%#{].*?[%#}]\}|<[^>]*>", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL
        )
    yield from paragraphs("markdown", 1, text)


def main() -> int:
    """Prints what is found, and returns whether that is too much."""
    files = [
        file
        for path in map(Path, sys.argv[1:] or PATHS)
        for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
        if file.suffix in (".py", ".md", ".jinja")
    ]
    count = seen = 0
    for path in files:
        left_out = {
            n for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if "dialect: ok" in line
        }
        for each in passages(path):
            for one in RULES:
                for match in one.pattern.finditer(each.text) if one.in_markdown or each.kind != "markdown" else ():
                    line = each.line_at(match.start())
                    if line in left_out:
                        continue
                    count += 1
                    is_page = path.suffix == ".md" and path.parent.name != "rules"
                    first = each.kind == "message" or path.name == "README.md" or (is_page and line <= SCREEN)
                    seen += first
                    print(f'{path}:{line}: {one.name}: "{match[0].strip()}": {one.suggestion}{" (first seen)" * first}')
    print(
        f"{count} findings, {seen} of them where readers look first; at most {MOST} and 0 are allowed", file=sys.stderr
    )
    return int(count > MOST or seen > 0)


if __name__ == "__main__":
    sys.exit(main())
