"""What a person at the table is shown: what has happened, the seat's view, the legal actions, and what seer thinks."""

from collections.abc import Iterator, Mapping, Sequence

from tourney.bot import ActionEstimate
from tourney.cli.render.events import view_lines
from tourney.cli.render.text import plain, text_lines, wrapped
from tourney.cli.render.transcript import Transcript
from tourney.cli.screen import width
from tourney.errors import one_line
from tourney.game import Game, State
from tourney.live_match import unplayed_record
from tourney.match import Match, Record
from tourney.replay import ReplayEvent, trace
from tourney.wording import pairs_text

SHOWN = 12
"""How many actions a hint lists at the most."""
GAP = 3


class PersonTable:
    """Puts a match that is being played into lines for the person in a seat."""

    def __init__(self, match: Match, game: Game, seat: int, is_open: bool) -> None:
        """Takes the match, and whether the person sees the hands of all seats."""
        self._game = game
        self._seat = seat
        self._names = match.seats
        self._is_open = is_open
        self._transcript = Transcript(unplayed_record(match), game, None if is_open else seat, brief=True)

    def news(self, found: ReplayEvent) -> list[str]:
        """Returns the lines for what has happened; to be called with each event, in order."""
        lines = self._transcript.lines(found)
        if found.event.get("kind") == "deal" and not self._is_open:
            return ["", self._game.wording.heading(found.event)]  # the rest is in the view
        return lines

    def rest(self) -> list[str]:
        """Returns the lines that are left of what has happened; to be called after the last event before a decision."""
        return self._transcript.rest()

    def position(self, state: State) -> Iterator[str]:
        """Yields the lines for what the seat sees, and if all hands are open, for what the others hold."""
        own = state.view(self._seat).as_dict()
        yield from view_lines(own, self._game, history=False)
        if not self._is_open:
            return
        for seat, name in enumerate(self._names):
            if seat != self._seat:
                view = plain(state.view(seat).as_dict())
                news = {key: value for key, value in view.items() if own.get(key) != value}
                texts = [news.pop(key) for key in self._game.wording.texts if key in news]
                nothing = "" if texts else "nothing else"
                yield from wrapped(f"  seat {seat}, {name}: {pairs_text(news) or nothing}".rstrip(), "      ")
                for text in texts:
                    yield from text_lines(text, "      ")

    def actions(self, called: Sequence[str]) -> Iterator[str]:
        """Yields what the legal actions are called with their numbers, in as many columns as there is room for."""
        digits = len(str(len(called)))
        cells = [f"{number:{digits}} {one_line(name)}" for number, name in enumerate(called, 1)]
        widest = max(map(len, cells))
        across = max(1, (width() - 2 + GAP) // (widest + GAP))
        down = -(-len(cells) // across)
        for row in range(down):
            yield "  " + (" " * GAP).join([f"{cell:{widest}}" for cell in cells[row::down]]).rstrip()

    def end(self, record: Record) -> list[str]:
        """Returns the lines for the end of the match."""
        return Transcript(record, self._game, None).end()


def head_lines(match: Match, game: Game, seat: int, seed: int | str, is_open: bool) -> Iterator[str]:
    """Yields the lines before the match."""
    options = next(trace(unplayed_record(match), game))["options"]
    yield from wrapped(f"{game.title}, seed {seed}{f': {pairs_text(options)}' if options else ''}", "  ")
    seats = [f"{number} {name}" for number, name in enumerate(match.seats)]
    yield from wrapped(f"seats: {', '.join(seats)}; yours is {seat}", "  ")
    yield from wrapped(
        "Give the number of an action, or its text. ? shows the rules, h what seer would do, q stops.", "  "
    )
    if is_open:
        yield "All hands are open."


def hint_lines(estimates: Sequence[ActionEstimate], called: Mapping[int, str]) -> Iterator[str]:
    """Yields what `seer` would do, and how good it takes each action to be; `called` is what each is called."""
    yield from wrapped(
        f"seer would {called[estimates[0].action]}. The points in percent that it expects after each action, +- the "
        "standard error, and the number of playouts:",
        "  ",
    )
    widest = max([len(called[each.action]) for each in estimates])
    for each in estimates[:SHOWN]:
        error = "" if each.error is None else f"+-{each.error:.1f}"
        yield f"  {called[each.action]:{widest}}  {each.mean:5.1f}  {error:6}  {each.playouts:4}"
    if len(estimates) > SHOWN:
        yield f"  and {len(estimates) - SHOWN} more, down to {min([each.mean for each in estimates]):.1f}"
