"""The verdict of a gate as data, text, Markdown and JUnit XML."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tourney.cli.render.text import wrapped
from tourney.column_layout import Column
from tourney.match import GameSetup
from tourney.stats.paired_comparison import Comparison, Estimate, MatchFault
from tourney.text_tables import WIDTH, TableFormat, columns_text, markdown_text

SHOWN_FAULTS = 3
"""How many faults are named."""
LET_GO = "Such a pass says little; to let it count, give the command again with --resume --allow-old-faults."

Data = dict[str, Any]


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


def ratio(comparison: Comparison) -> str:
    """Returns the log-likelihood ratio between its bounds."""
    return f"LLR {comparison.llr:.2f} ({comparison.test.low:.2f}, {comparison.test.high:.2f})"


def strength(estimate: Estimate) -> str:
    """Returns the strength with its interval, in a few words; ±0 if every deal came out even."""
    if estimate.exactly_equal:
        return "±0 Elo"
    if estimate.low is None or estimate.high is None:
        return f"{_elo(estimate.elo)} Elo [unknown]"
    return f"{_elo(estimate.elo)} Elo [{_elo(estimate.low)}, {_elo(estimate.high)}]"


def replay_command(comparison: Comparison, path: Path) -> str | None:
    """Returns the command that shows the match to look at first; None if there is no such match."""
    match = _first_to_see(comparison)
    return None if match is None else f"tourney replay {shlex.quote(str(path))} {match}"


def text(comparison: Comparison, path: Path) -> str:
    """Returns the verdict as text of 80 columns."""
    return "\n".join(lines(comparison, path, WIDTH))


def lines(comparison: Comparison, path: Path, width: int) -> list[str]:
    """Returns the lines of the verdict as text, of up to `width` columns but for the commands."""
    return "\n".join(_lines(comparison, path, "table", width)).split("\n")


def markdown(comparison: Comparison, path: Path) -> str:
    """Returns the verdict as a section of a job's summary."""
    return "\n".join(
        [
            f"## Gate: {markdown_text(f'{comparison.new} against {comparison.old}')}",
            "",
            *_lines(comparison, path, "markdown", WIDTH),
        ]
    )


def _lines(comparison: Comparison, path: Path, form: TableFormat, width: int) -> list[str]:
    marked = form == "markdown"

    def folded(line: str) -> list[str]:
        return wrapped(line, "    ", width - 1)

    head = headline(comparison)
    lines = [f"**{markdown_text(head)}**"] if marked else folded(head)
    if comparison.verdict == "invalid":
        lines += ["", LET_GO] if marked else folded(LET_GO)
    footing = _footing(comparison, marked)
    lines += ["", _estimates(comparison, form, width), ""]
    lines += footing if marked else [part for line in footing for part in folded(line)]
    for line in _fault_lines(comparison, path):
        lines += [f"- {markdown_text(line)}"] if marked else folded(f"  {line}")
    if comparison.worst:
        title = f"Where {comparison.new} lost most against {comparison.old}:"
        lines += ["", markdown_text(title), ""] if marked else ["", *folded(title)]
        lines.append(_losses(comparison, form, width))
    command = replay_command(comparison, path)
    if command is not None:
        lines += ["", "To see the worst:", *(["", f"    {command}"] if marked else [f"  {command}"])]
    return lines


def _footing(comparison: Comparison, marked: bool) -> list[str]:
    test = comparison.test
    new, old = [len(comparison.faults_of(bot)) for bot in (comparison.new, comparison.old)]
    bound = f"{ratio(comparison)} for {test.elo0:g} against {test.elo1:g} Elo"
    faults = f"faults: NEW {new}, OLD {old}, others {len(comparison.faults) - new - old}"
    even = ["every deal came out exactly even"] if comparison.estimate.exactly_equal else []
    if not marked:
        return [*even, bound, faults]
    return ["; ".join([*even, bound, faults]), *([""] if comparison.faults else [])]


def _losses(comparison: Comparison, form: TableFormat, width: int) -> str:
    worst = comparison.worst
    columns = [
        Column("deal", [str(loss.deal) for loss in worst], expendable=1),
        Column("game", [_game(loss.game, loss.seats) for loss in worst], is_text=True, expendable=2),
        Column("score %", [_percent(loss.score) for loss in worst]),
        Column("its worst match", [loss.match for loss in worst], is_text=True),
    ]
    return columns_text(columns, form, width)


def _estimates(comparison: Comparison, form: TableFormat, width: int) -> str:
    rows = [(_setup(setup), estimate) for setup, estimate in comparison.games]
    if len(rows) > 1:
        rows.append(("all", comparison.estimate))
    columns = [
        Column("game", [name for name, _ in rows], is_text=True),
        Column("deals", [str(estimate.deals) for _, estimate in rows], expendable=2),
        Column("score %", [_percent(estimate.score) for _, estimate in rows], expendable=1),
        Column("Elo", [_strength(estimate) for _, estimate in rows]),
        Column("95 % interval", [_interval(estimate) for _, estimate in rows]),
    ]
    return columns_text(columns, form, width)


def _strength(estimate: Estimate) -> str:
    return "±0" if estimate.exactly_equal else _elo(estimate.elo)


def _interval(estimate: Estimate) -> str:
    if estimate.exactly_equal:
        return "±0"
    if estimate.low is None or estimate.high is None:
        return "unknown"
    return f"{_elo(estimate.low)} to {_elo(estimate.high)}"


def _fault_lines(comparison: Comparison, path: Path) -> list[str]:
    lines = [_fault(charged) for charged in comparison.faults[:SHOWN_FAULTS]]
    more = len(comparison.faults) - len(lines)
    if more:
        lines.append(f"and {more} more: tourney matches {shlex.quote(str(path))} --faults")
    return lines


def _fault(charged: MatchFault) -> str:
    fault = charged.fault
    return f"{charged.match}: {charged.bot}, {fault.kind} at decision {fault.decision} ({fault.what})"


def _first_to_see(comparison: Comparison) -> str | None:
    if faults := comparison.faults_of(comparison.new):
        return faults[0].match
    return comparison.worst[0].match if comparison.worst else None


def _setup(setup: GameSetup) -> str:
    return _game(setup.game, setup.seats)


def _game(name: str, seats: int) -> str:
    return f"{name}, {seats} seats"


def _elo(value: float) -> str:
    return f"{round(value):+d}"


def _percent(score: float) -> str:
    return f"{100 * score:.1f}"


def junit(comparison: Comparison, path: Path) -> bytes:
    """Returns two test cases as JUnit XML: NEW makes no faults, and NEW is strong enough."""
    from xml.etree import ElementTree  # only here, to keep the start of other commands quick

    faulty, unsettled = comparison.too_many_faults, comparison.verdict in (None, "invalid")
    weak = comparison.verdict == "failed" and not faulty
    suite = ElementTree.Element(
        "testsuite",
        name="tourney gate",
        tests="2",
        failures=str(int(faulty) + int(weak)),
        errors=str(int(unsettled)),
        skipped=str(int(faulty)),
    )
    group = f"{comparison.new} against {comparison.old}"
    first = ElementTree.SubElement(suite, "testcase", classname=group, name="faults")
    second = ElementTree.SubElement(suite, "testcase", classname=group, name="strength")
    report = text(comparison, path)
    if faulty:
        ElementTree.SubElement(first, "failure", type="faults", message=headline(comparison)).text = report
        ElementTree.SubElement(second, "skipped", message="the gate ended by a fault")
    elif weak or unsettled:
        kind, tag = (comparison.verdict or "undecided", "error") if unsettled else ("weaker", "failure")
        ElementTree.SubElement(second, tag, type=kind, message=headline(comparison)).text = report
    ElementTree.SubElement(suite, "system-out").text = report
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"
