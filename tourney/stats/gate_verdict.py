"""The verdict of a gate as data, and in a sentence."""

from dataclasses import asdict
from typing import Any, TypeAlias

from tourney.stats.paired_comparison import Comparison, Estimate

SHOWN_FAULTS = 3
"""How many faults are named."""

Data: TypeAlias = dict[str, Any]


def verdict_data(comparison: Comparison, settings: Data) -> Data:
    """Returns the verdict and the figures that it rests on; nothing in it depends on the time or the machine."""
    faults = [
        {"match": charged.match, "bot": charged.bot, "kind": charged.fault.kind, "decision": charged.fault.decision}
        for charged in comparison.faults
    ]
    return {
        "verdict": comparison.verdict or "undecided",
        "because": _because(comparison),
        "new": comparison.new,
        "old": comparison.old,
        "settings": settings,
        "deals": comparison.deals,
        "matches": comparison.matches,
        "llr": round(comparison.llr, 4),
        "llr_low": round(comparison.test.low, 4),
        "llr_high": round(comparison.test.high, 4),
        "all": _estimate_data(comparison.estimate),
        "games": [
            {"game": setup.game, "seats": setup.seats, "options": setup.options} | _estimate_data(estimate)
            for setup, estimate in comparison.games
        ],
        "faults": {
            "new": len(comparison.faults_of(comparison.new)),
            "old": len(comparison.faults_of(comparison.old)),
            "all": len(faults),
            "old_matches": asdict(comparison.old_faulty),
            "field_matches": asdict(comparison.field_faulty),
        },
        "first_faults": faults[:SHOWN_FAULTS],
        "worst": [loss._asdict() | {"score": round(loss.score, 4)} for loss in comparison.worst],
    }


def _because(comparison: Comparison) -> str:
    if comparison.too_many_faults:
        return "faults"
    if comparison.verdict == "invalid":
        return "old faults" if comparison.old_faulty.too_many else "field faults"
    return "cap" if comparison.verdict is None else "llr"


def _estimate_data(estimate: Estimate) -> Data:
    return {
        "score": round(estimate.score, 4),
        "elo": round(estimate.elo, 1) + 0.0,  # no -0.0
        "elo_low": None if estimate.low is None else round(estimate.low, 1) + 0.0,
        "elo_high": None if estimate.high is None else round(estimate.high, 1) + 0.0,
    }


def headline(comparison: Comparison) -> str:
    """Returns the verdict in a sentence."""
    new, old, test = comparison.new, comparison.old, comparison.test
    played = f"{comparison.deals} deal{'' if comparison.deals == 1 else 's'}, {comparison.matches} matches"
    if comparison.too_many_faults:
        first, *more = comparison.faults_of(new)
        made = f"{len(more) + 1} faults, the first: {first.fault.kind}" if more else f"a fault: {first.fault.kind}"
        return f"FAILED: {new} made {made} at decision {first.fault.decision} of {first.match} ({played})"
    match comparison.verdict:
        case "passed":
            return f"PASSED: {_relation(new, old, test.elo0, more=True)} ({played})"
        case "failed":
            return f"FAILED: {_relation(new, old, test.elo1, more=False)} ({played})"
        case "invalid":
            return f"INVALID: {new} would pass, but {_faulty_matches(comparison)} ({played})"
    return f"UNDECIDED: the most deals were played without a verdict on {new} and {old} ({played})"


def _faulty_matches(comparison: Comparison) -> str:
    """Returns who made too many faults for a pass to count, and in how many matches."""
    by_old = comparison.old_faulty.too_many
    who, found = (comparison.old, comparison.old_faulty) if by_old else ("the field", comparison.field_faulty)
    return f"{who} made faults in {found.faulty} of its {found.matches} matches, more than a tenth"


def _relation(new: str, old: str, elo: float, more: bool) -> str:
    """Returns the accepted hypothesis: NEW is stronger (or weaker) than OLD, or than OLD by a number of Elo."""
    if elo == 0:
        return f"{new} is {'stronger' if more else 'weaker'} than {old}"
    if (elo < 0) == more:
        return f"{new} is not {'weaker' if more else 'stronger'} than {old} by {abs(elo):g} Elo or more"
    return f"{new} is {'stronger' if more else 'weaker'} than {old} by more than {abs(elo):g} Elo"
