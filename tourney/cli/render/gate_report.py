"""The verdict of a gate as text, Markdown and JUnit XML."""

import shlex
from pathlib import Path

from tourney.base.sheet import WIDTH, Column, TableFormat, columns_text, markdown_text
from tourney.cli.screen import wrapped
from tourney.standings.gate import SHOWN_FAULTS, Comparison, Estimate, headline

LITTLE = "Such a pass says little; to accept it, give the command again with --resume --allow-old-faults."


def ratio(comparison: Comparison) -> str:
    """The log-likelihood ratio between its bounds."""
    return f"LLR {comparison.llr:.2f} ({comparison.test.low:.2f}, {comparison.test.high:.2f})"


def strength(estimate: Estimate) -> str:
    """The strength with its interval, in a few words; ±0 if every deal came out even."""
    elo, interval = estimate.texts
    return f"{elo} Elo" if estimate.exactly_equal else f"{elo} Elo [{interval.replace(' to ', ', ')}]"


def markdown(comparison: Comparison, path: Path) -> str:
    """The verdict as a section of a job's summary."""
    title = f"## Gate: {markdown_text(f'{comparison.new} against {comparison.old}')}"
    return "\n".join([title, "", *lines(comparison, path, WIDTH, "markdown")])


def lines(comparison: Comparison, path: Path, width: int = WIDTH, form: TableFormat = "table") -> list[str]:
    """The lines of the verdict, of up to `width` columns but for the commands."""
    marked = form == "markdown"

    def shown(line: str) -> list[str]:
        return [markdown_text(line)] if marked else wrapped(line, "    ", width - 1)

    head = headline(comparison)
    found = [f"**{markdown_text(head)}**"] if marked else shown(head)
    if comparison.verdict == "invalid":
        found += ["", LITTLE] if marked else shown(LITTLE)
    found += ["", *_estimates(comparison, form, width).split("\n"), ""]
    test = comparison.test
    new, old = [len(comparison.faults_of(bot)) for bot in (comparison.new, comparison.old)]
    footing = [
        *(["every deal came out exactly even"] if comparison.estimate.exactly_equal else []),
        f"{ratio(comparison)} for {test.elo0:g} against {test.elo1:g} Elo",
        f"faults: NEW {new}, OLD {old}, others {len(comparison.faults) - new - old}",
    ]
    found += ["; ".join(footing)] if marked else [part for line in footing for part in shown(line)]
    found += [""] if marked and comparison.faults else []
    for line in _fault_lines(comparison, path):
        found += [f"- {markdown_text(line)}"] if marked else shown(f"  {line}")
    if comparison.worst:
        found += ["", *shown(f"Where {comparison.new} lost most against {comparison.old}:"), *([""] if marked else [])]
        found += _losses(comparison, form, width).split("\n")
    if (match := _worst_match(comparison)) is not None:
        command = f"tourney replay {shlex.quote(str(path))} {match}"
        found += ["", "To see the worst:", *(["", f"    {command}"] if marked else [f"  {command}"])]
    return found


def _estimates(comparison: Comparison, form: TableFormat, width: int) -> str:
    rows = comparison.named_estimates
    strengths = [estimate.texts for _, estimate in rows]
    columns = [
        Column("game", [name for name, _ in rows], is_text=True),
        Column("deals", [str(estimate.deals) for _, estimate in rows], expendable=2),
        Column("score %", [f"{100 * estimate.score:.1f}" for _, estimate in rows], expendable=1),
        Column("Elo", [elo for elo, _ in strengths]),
        Column("95 % interval", [interval for _, interval in strengths]),
    ]
    return columns_text(columns, form, width)


def _losses(comparison: Comparison, form: TableFormat, width: int) -> str:
    worst = comparison.worst
    columns = [
        Column("deal", [str(loss.deal) for loss in worst], expendable=1),
        Column("game", [f"{loss.game}, {loss.seats} seats" for loss in worst], is_text=True, expendable=2),
        Column("score %", [f"{100 * loss.score:.1f}" for loss in worst]),
        Column("its worst match", [loss.match for loss in worst], is_text=True),
    ]
    return columns_text(columns, form, width)


def _fault_lines(comparison: Comparison, path: Path) -> list[str]:
    found = [
        f"{each.match}: {each.bot}, {each.fault.kind} at decision {each.fault.decision} ({each.fault.what})"
        for each in comparison.faults[:SHOWN_FAULTS]
    ]
    if more := len(comparison.faults) - len(found):
        found.append(f"and {more} more: tourney matches {shlex.quote(str(path))} --faults")
    return found


def _worst_match(comparison: Comparison) -> str | None:
    """The match to look at first; None if there is no such match."""
    if faults := comparison.faults_of(comparison.new):
        return faults[0].match
    return comparison.worst[0].match if comparison.worst else None


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
    report = "\n".join(lines(comparison, path))
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
