"""A gate that can be played: its tournament, its test and its folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from tourney import config
from tourney.bot_classes import PickledBot
from tourney.config import Tournament, mirror_file
from tourney.stats.paired_comparison import Comparison
from tourney.stats.sprt import Hypotheses

MARGIN_ELO = 25.0
"""The default distance between the two strengths, in Elo, that a gate distinguishes."""
MOST_ELO = 500.0
"""The largest strength that can be tested, in Elo."""


class Settings(NamedTuple):
    """What a gate tests, and how many deals and faults it allows. The field names are the keys in gate.json."""

    elo0: float
    """The strength against the old bot at which the new one fails."""
    elo1: float
    """The strength at which it passes."""
    alpha: float
    """The risk that it passes at `elo0`."""
    beta: float
    """The risk that it fails at `elo1`."""
    max_deals: int
    """After how many deals the gate stops undecided."""
    allow_faults: int
    """How many faults the new bot may make."""
    allow_old_faults: bool
    """Whether the new bot may pass although the others made many faults."""


class GatePlan(NamedTuple):
    """A gate that can be played."""

    tournament: Tournament
    text: str
    """The text of its tournament file."""
    path: Path
    settings: dict[str, Any]
    comparison: Comparison

    @classmethod
    def of_tables(
        cls,
        bots: Sequence[mirror_file.Table],
        games: Sequence[mirror_file.Table],
        limits: mirror_file.Table,
        seed: int | str,
        settings: Settings,
        out: Path | None,
        pickled: Mapping[str, PickledBot] = {},
    ) -> Self:
        """Plans the gate of the bots in these `[[bot]]` tables: the new one, the old one, and the field.

        Args:
            bots: The tables; see `mirror_file.bot_tables`.
            games: The `[[game]]` tables.
            limits: The `[limits]` table.
            seed: The seed of the deals.
            settings: What is tested.
            out: The folder; by default one under results/ that is called after the bots.
            pickled: The classes of those bots that are sent along, by the name of the entrant.

        Raises:
            ConfigError: A table is refused, or a bot cannot be loaded.
        """
        name = f"gate-{bots[0]['name']}-vs-{bots[1]['name']}"
        deals = settings.max_deals
        text = mirror_file.tournament_text(bots, games, limits, name=name[:60], seed=seed, format="mirror", deals=deals)
        tournament = config.with_classes(config.of_text(text, Path("gate")), pickled)
        config.examine_bots(tournament, Path("gate"))
        test = Hypotheses(settings.elo0, settings.elo1, settings.alpha, settings.beta)
        comparison = Comparison(tournament, test, settings.allow_faults, settings.allow_old_faults)
        path = out if out is not None else Path("results") / name
        return cls(tournament, text, path, settings._asdict(), comparison)


def strengths(stronger: bool, elo0: float | None, elo1: float | None) -> tuple[float, float]:
    """Returns the strengths at which a new bot fails and passes, filled in where they are not given.

    Args:
        stronger: Whether it has to be stronger than the old one, and not only not weaker.
        elo0: The strength at which it fails.
        elo1: The strength at which it passes.
    """
    low, high = (0.0, MARGIN_ELO) if stronger else (-MARGIN_ELO, 0.0)
    return low if elo0 is None else elo0, high if elo1 is None else elo1


def are_strengths(low: float, high: float) -> bool:
    """Whether a gate can distinguish these strengths."""
    return -MOST_ELO <= low < high <= MOST_ELO
