"""The access rules for a run's facts: one table, used by every output that leaves the organiser's terminal.

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
    """The readers of a kind of fact; the organiser may read all of them."""

    author: Answer
    meanwhile: Answer
    """For `everybody` while others still play the deals: in a league, and in an unfinished or extended run."""
    afterwards: Answer
    """For `everybody` once the deals are no longer played."""


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
    """The facts of some runs that an output's reader may have."""

    def __init__(self, runs: Iterable[RunFolder], reader: Reader = "everybody", asked: Collection[Fact] = ()) -> None:
        """`asked` are the facts requested by the organiser."""
        self._runs, self._reader, self._asked = list(runs), reader, set(asked)
        if all([run.tournament.page.authors for run in self._runs]):
            self._asked.add("authors")

    def has(self, fact: Fact) -> bool:
        """Whether the reader may have a kind of fact; authors may have only their own bots' facts."""
        if self._reader == "organiser":
            return True
        rule = RULES[fact]
        answer = rule.author if self._reader == "author" else rule.meanwhile if self.why_secret() else rule.afterwards
        return answer in ("yes", "own") or (answer == "asked" and fact in self._asked)

    def require_asked(self) -> None:
        """Raises a `RunError` if the organiser asks for secret facts."""
        for fact in RULES:
            if fact in self._asked and not self.has(fact) and (why := self.why_secret()):
                raise RunError(f"{why}, so its {fact} are still secret; leave them out")

    def why_secret(self) -> str | None:
        """The run whose deals others still play, and why; None if there is none."""
        for run in self._runs:
            if run.plan.goes_on:
                return f"{run}: is a league, which never ends"
            if run.tournament.salts:
                return f"{run}: was extended and can be again"
            if not run.is_ranked:
                return f"{run}: is not over"
        return None

    def seed(self, seed: str) -> str:
        """The seed, or the commitment to it, which does not reveal it."""
        return seed if self.has("seeds") else commitment(seed)

    def notes(self, noted: MatchNotes | None) -> MatchNotes | None:
        """A match's notes, if the reader may have them."""
        return noted if self.has("notes") else None

    def path(self, path: Path | str) -> str:
        """A path as commands name it; only its last part if it leads through folders of the machine."""
        text = str(path)
        return text if self.has("paths") or not (isabs(text) or ".." in Path(text).parts) else Path(text).name

    def text(self, text: str) -> str:
        """A text whose full paths, as in tracebacks, are cut to their last part."""
        return text if self.has("paths") else _PATH.sub("", _QUOTED.sub("", text))
