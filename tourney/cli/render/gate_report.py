"""The verdict of a gate as text, Markdown and JUnit XML."""

import shlex
from pathlib import Path

from tourney.cli.render.text import wrapped
from tourney.contracts.match import GameSetup
from tourney.standings.gate import SHOWN_FAULTS, Comparison, Estimate, MatchFault, headline
from tourney.standings.tables import WIDTH, Column, TableFormat, columns_text, markdown_text

LET_GO = "Such a pass says little; to let it count, give the command again with --resume --allow-old-faults."


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
