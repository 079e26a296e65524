"""Who may have which fact of a run, and when: one table, asked by every output that leaves the organiser's terminal.

docs/guarantees-and-security.md#who-learns-what shows the table; a test compares the two.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from os.path import isabs
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from tourney.base.errors import RunError
from tourney.contracts.rng import commitment
from tourney.journal.notes import MatchNotes
from tourney.journal.run import RunFolder

Fact: TypeAlias = Literal["seeds", "notes", "logs", "tracebacks", "paths", "authors", "refusals", "cards"]
Reader: TypeAlias = Literal["organiser", "author", "everybody"]
Answer: TypeAlias = Literal["yes", "own", "asked", "no"]
"""`own`: the facts of the author's bots; `asked`: only if the organiser asks for it."""


class Rule(NamedTuple):
    """Who may have a kind of fact; the organiser may have all of them."""

    author: Answer
    meanwhile: Answer
    """What everybody gets while others still play the deals: of a league, and of an unfinished or extended run."""
    afterwards: Answer
    """What everybody gets once nobody plays the deals any more."""


RULES: Mapping[Fact, Rule] = {
    "seeds": Rule("no", "no", "asked"),
    "notes": Rule("own", "no", "asked"),
    "logs": Rule("own", "no", "no"),
    "tracebacks": Rule("own", "no", "no"),
    "paths": Rule("no", "no", "no"),
    "authors": Rule("own", "asked", "asked"),
    "refusals": Rule("own", "no", "no"),
    "cards": Rule("own", "yes", "yes"),
}
_QUOTED = re.compile(r"""(?<=["'])/[^"'\n]*/""")
_PATH = re.compile(r"(?<![\w./:])/(?:[^\s/\"']+/)+")


class Told:
    """What an output of some runs tells its reader."""

    def __init__(self, runs: Iterable[RunFolder], reader: Reader = "everybody", asked: Collection[Fact] = ()) -> None:
        """`asked` are the facts that the organiser asks for."""
        self._runs, self._reader, self._asked = list(runs), reader, set(asked)
        if all([run.tournament.page.authors for run in self._runs]):
            self._asked.add("authors")

    def has(self, fact: Fact) -> bool:
        """Whether the reader may have facts of a kind; an author only has those of the author's bots."""
        if self._reader == "organiser":
            return True
        rule = RULES[fact]
        answer = rule.author if self._reader == "author" else rule.meanwhile if self.why_secret() else rule.afterwards
        return answer in ("yes", "own") or (answer == "asked" and fact in self._asked)

    def require_asked(self) -> None:
        """Raises a `RunError` if the organiser asks for what is still secret."""
        for fact in RULES:
            if fact in self._asked and not self.has(fact) and (why := self.why_secret()):
                raise RunError(f"{why}, so its {fact} are still secret; leave them out")

    def why_secret(self) -> str | None:
        """Which run has deals that others still play, and why; None if nobody does."""
        for run in self._runs:
            if run.plan.goes_on:
                return f"{run}: is a league, which never ends"
            if run.tournament.salts:
                return f"{run}: was extended and can be again"
            if not run.is_ranked:
                return f"{run}: is not over"
        return None

    def seed(self, seed: str) -> str:
        """The seed, or the commitment to it, which does not tell it."""
        return seed if self.has("seeds") else commitment(seed)

    def notes(self, noted: MatchNotes | None) -> MatchNotes | None:
        """The notes of a match, if they may be told."""
        return noted if self.has("notes") else None

    def path(self, path: Path | str) -> str:
        """A path as commands name it; where it leads through folders of the machine, its last part alone."""
        text = str(path)
        return text if self.has("paths") or not (isabs(text) or ".." in Path(text).parts) else Path(text).name

    def text(self, text: str) -> str:
        """A text whose full paths, as in tracebacks, are cut to their last part."""
        return text if self.has("paths") else _PATH.sub("", _QUOTED.sub("", text))
