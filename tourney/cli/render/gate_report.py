"""The verdict of a gate as text, Markdown and JUnit XML."""

import shlex
from pathlib import Path

from tourney.base.sheet import WIDTH, Column, TableFormat, columns_text, markdown_text
from tourney.cli.screen import wrapped
from tourney.standings.duel import Estimate
from tourney.standings.gate import SHOWN_FAULTS, Gate, headline

LITTLE = "Such a pass says little; to accept it, give the command again with --resume --allow-old-faults."


def ratio(gate: Gate) -> str:
    """The log-likelihood ratio between its bounds."""
    return f"LLR {gate.llr:.2f} ({gate.test.low:.2f}, {gate.test.high:.2f})"


def strength(estimate: Estimate) -> str:
    """The strength with its interval, in a few words; ±0 if every deal came out even."""
    elo, interval = estimate.texts
    return f"{elo} Elo" if estimate.is_exact else f"{elo} Elo [{interval.replace(' to ', ', ')}]"


def markdown(gate: Gate, path: Path) -> str:
    """The verdict as a section of a job's summary."""
    title = f"## Gate: {markdown_text(f'{gate.new} against {gate.old}')}"
    return "\n".join([title, "", *lines(gate, path, WIDTH, "markdown")])


def lines(gate: Gate, path: Path, width: int = WIDTH, form: TableFormat = "table") -> list[str]:
    """The lines of the verdict, of up to `width` columns but for the commands."""
    marked = form == "markdown"

    def shown(line: str) -> list[str]:
        return [markdown_text(line)] if marked else wrapped(line, "    ", width - 1)

    head = headline(gate)
    report = [f"**{markdown_text(head)}**"] if marked else shown(head)
    if gate.verdict == "invalid":
        report += ["", LITTLE] if marked else shown(LITTLE)
    report += ["", *_estimates(gate, form, width).split("\n"), ""]
    test = gate.test
    new, old = [len(gate.faults_of(bot)) for bot in (gate.new, gate.old)]
    footing = [
        *(["every deal came out exactly even"] if gate.total.estimate.is_exact else []),
        f"{ratio(gate)} for {test.elo0:g} against {test.elo1:g} Elo",
        f"faults: NEW {new}, OLD {old}, others {len(gate.faults) - new - old}",
    ]
    report += ["; ".join(footing)] if marked else [part for line in footing for part in shown(line)]
    report += [""] if marked and gate.faults else []
    for line in _fault_lines(gate, path):
        report += [f"- {markdown_text(line)}"] if marked else shown(f"  {line}")
    if gate.worst:
        report += ["", *shown(f"Where {gate.new} lost most against {gate.old}:"), *([""] if marked else [])]
        report += _losses(gate, form, width).split("\n")
    if (match := _worst_match(gate)) is not None:
        command = f"tourney replay {shlex.quote(str(path))} {match}"
        report += ["", "To see the worst:", *(["", f"    {command}"] if marked else [f"  {command}"])]
    return report


def _estimates(gate: Gate, form: TableFormat, width: int) -> str:
    rows = gate.named_duels
    strengths = [duel.estimate.texts for _, duel in rows]
    columns = [
        Column("game", [name for name, _ in rows], is_text=True),
        Column("deals", [str(duel.deals) for _, duel in rows], expendable=2),
        Column("score %", [f"{100 * duel.score:.1f}" for _, duel in rows], expendable=1),
        Column("Elo", [elo for elo, _ in strengths]),
        Column("95 % interval", [interval for _, interval in strengths]),
    ]
    return columns_text(columns, form, width)


def _losses(gate: Gate, form: TableFormat, width: int) -> str:
    worst = gate.worst
    columns = [
        Column("deal", [str(loss.deal) for loss in worst], expendable=1),
        Column("game", [f"{loss.game}, {loss.seats} seats" for loss in worst], is_text=True, expendable=2),
        Column("score %", [f"{100 * loss.score:.1f}" for loss in worst]),
        Column("its worst match", [loss.match for loss in worst], is_text=True),
    ]
    return columns_text(columns, form, width)


def _fault_lines(gate: Gate, path: Path) -> list[str]:
    lines = [
        f"{each.match}: {each.bot}, {each.fault.kind} at decision {each.fault.decision} ({each.fault.what})"
        for each in gate.faults[:SHOWN_FAULTS]
    ]
    if more := len(gate.faults) - len(lines):
        lines.append(f"and {more} more: tourney matches {shlex.quote(str(path))} --faults")
    return lines


def _worst_match(gate: Gate) -> str | None:
    """The match to look at first; None if there is no such match."""
    if faults := gate.faults_of(gate.new):
        return faults[0].match
    return gate.worst[0].match if gate.worst else None


def junit(gate: Gate, path: Path) -> bytes:
    """Returns two test cases as JUnit XML: NEW makes no faults, and NEW is strong enough."""
    from xml.etree import ElementTree  # only here, to keep the start of other commands quick

    faulty, unsettled = gate.too_many_faults, gate.verdict in (None, "invalid")
    weak = gate.verdict == "failed" and not faulty
    suite = ElementTree.Element(
        "testsuite",
        name="tourney gate",
        tests="2",
        failures=str(int(faulty) + int(weak)),
        errors=str(int(unsettled)),
        skipped=str(int(faulty)),
    )
    group = f"{gate.new} against {gate.old}"
    first = ElementTree.SubElement(suite, "testcase", classname=group, name="faults")
    second = ElementTree.SubElement(suite, "testcase", classname=group, name="strength")
    report = "\n".join(lines(gate, path))
    if faulty:
        ElementTree.SubElement(first, "failure", type="faults", message=headline(gate)).text = report
        ElementTree.SubElement(second, "skipped", message="the gate ended by a fault")
    elif weak or unsettled:
        kind, tag = (gate.verdict or "undecided", "error") if unsettled else ("weaker", "failure")
        ElementTree.SubElement(second, tag, type=kind, message=headline(gate)).text = report
    ElementTree.SubElement(suite, "system-out").text = report
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"
