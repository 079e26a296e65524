"""The verdict of a gate as text, Markdown and JUnit XML."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tourney.base.sheet import WIDTH, Column, TableFormat, columns_text, commands, markdown_text
from tourney.cli.render.standings_report import LookCommands
from tourney.cli.screen import wrapped
from tourney.journal.run import RunFolder
from tourney.journal.search import FirstFaults
from tourney.review.comparison import Parting, partings
from tourney.standings.duel import Estimate
from tourney.standings.gate import SHOWN_FAULTS, Gate, estimate_texts, headline, slowdown_text

LITTLE = "Such a pass says little; to accept it, give the command again with --resume --allow-old-faults."


class Look(NamedTuple):
    """Suggestions for a look after a gate."""

    partings: Sequence[Parting]
    commands: Sequence[str]  # commands that show the new bot's first fault, or else the worst pair
    pins: Sequence[str] = ()  # the lines about the pins at which the new bot failed, and so did not play

    @classmethod
    def of(cls, gate: Gate, run: RunFolder, faults: FirstFaults) -> "Look":
        """Reads the gate's run, whose first faults are known."""
        parted = partings(run, gate.new, gate.old, [(loss.match, loss.other_match) for loss in gate.worst])
        look = LookCommands(run.path, run.tournament, None)
        if gate.new in faults:
            return cls(parted, [look.fault(gate.new, faults[gate.new])])
        shown = [f"tourney replay {shlex.quote(str(run.path))} {match}" for match in _watched(gate, parted)[:1]]
        shown += [look.decision(gate.new, each.plays[0].match, each.decision) for each in parted[:1] if each.plays]
        return cls(parted, shown)


def ratio(gate: Gate) -> str:
    """The log-likelihood ratio between its bounds."""
    return f"LLR {gate.llr:.2f} ({gate.test.low:.2f}, {gate.test.high:.2f})"


def strength(estimate: Estimate | None) -> str:
    """The strength with its interval, in a few words; ±0 if every deal came out even."""
    elo, interval = estimate_texts(estimate)
    return (
        f"{elo} Elo" if estimate is not None and estimate.is_exact else f"{elo} Elo [{interval.replace(' to ', ', ')}]"
    )


def markdown(gate: Gate, path: Path, look: Look) -> str:
    """The verdict as a section of a job's summary."""
    title = f"## Gate: {markdown_text(f'{gate.new} against {gate.old}')}"
    return "\n".join([title, "", *lines(gate, path, look, WIDTH, "markdown")])


def lines(gate: Gate, path: Path, look: Look, width: int = WIDTH, form: TableFormat = "table") -> list[str]:
    """The lines of the verdict, up to `width` columns wide, except for the commands."""
    marked = form == "markdown"
    if look.pins:
        head, fence = _failed_pins(gate), ["```"] * marked
        return [f"**{markdown_text(head)}**" if marked else head, *fence, *look.pins, *fence]

    def shown(line: str) -> str:
        return markdown_text(line) if marked else "\n".join(wrapped(line, "    ", width - 1))

    test, head = gate.test, headline(gate)
    new, old = [len(gate.faults_of(bot)) for bot in (gate.new, gate.old)]
    footing = [
        *(["every deal came out exactly even"] if gate.total.estimate.is_exact else []),
        f"{ratio(gate)} for {test.elo0:g} against {test.elo1:g} Elo",
        f"faults: NEW {new}, OLD {old}, others {len(gate.faults) - new - old}",
        *_time_lines(gate),
    ]
    faults = [f"- {markdown_text(line)}" if marked else shown(f"  {line}") for line in _fault_lines(gate, path)]
    sections = [
        [f"**{markdown_text(head)}**" if marked else shown(head), shown(LITTLE) if gate.verdict == "invalid" else ""],
        [_estimates(gate, form, width)],
        ["; ".join(footing) if marked else "\n".join(map(shown, footing)), "\n".join(faults)],
    ]
    if gate.worst:
        title = shown(f"Where {gate.new} lost most against {gate.old}:")
        sections.append([title, _losses(gate, look.partings, form, width)])
    if look.commands:
        sections.append(["To see the worst:", commands(look.commands)(form, width)])
    between = "\n\n" if marked else "\n"
    return "\n\n".join([between.join(filter(None, section)) for section in sections]).split("\n")


def _time_lines(gate: Gate) -> list[str]:
    if gate.too_slow:
        return []
    if text := slowdown_text(gate):
        return [text]
    few = gate.test.max_slower is not None and not gate.pace.is_enough
    return ["the deals are too few to compare how long both think"] if few else []


def _estimates(gate: Gate, form: TableFormat, width: int) -> str:
    rows = gate.named_duels
    strengths = [estimate_texts(estimate) for *_, estimate in rows]
    columns = [
        Column("game", [name for name, *_ in rows], is_text=True),
        Column("deals", [str(duel.deals) for _, duel, _ in rows], expendable=2),
        Column("score %", [f"{100 * duel.score:.1f}" for _, duel, _ in rows], expendable=1),
        Column("Elo", [elo for elo, _ in strengths]),
        Column("95 % interval", [interval for _, interval in strengths]),
    ]
    return columns_text(columns, form, width)


def _watched(gate: Gate, parted: Sequence[Parting]) -> list[str]:
    """The match of each worst pair in which the new bot decides at the parting, or else its worst."""
    pairs = zip(gate.worst, parted, strict=True)
    return [parting.plays[0].match if parting.plays else loss.match for loss, parting in pairs]


def _losses(gate: Gate, parted: Sequence[Parting], form: TableFormat, width: int) -> str:
    worst = gate.worst

    def played(side: int) -> list[str]:
        return [parting.plays[side].action if parting.plays else "" for parting in parted]

    columns = [
        Column("deal", [str(loss.deal) for loss in worst], expendable=1),
        Column("game", [f"{loss.game}, {loss.seats} seats" for loss in worst], is_text=True, expendable=2),
        Column("score %", [f"{100 * loss.score:.1f}" for loss in worst]),
        Column("match", _watched(gate, parted), is_text=True),
        Column("decision", [str(parting.decision) for parting in parted]),
        Column("NEW plays", played(0), is_text=True),
        Column("OLD plays", played(1), is_text=True),
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


def _failed_pins(gate: Gate) -> str:
    return f"FAILED: {gate.new} answers pinned decisions wrongly; nothing was played"


def junit(gate: Gate, path: Path, look: Look) -> bytes:
    """Returns test cases as JUnit XML: NEW makes no faults (or fails no pins), is strong enough, and quick enough."""
    from xml.etree import ElementTree  # only here, to keep the start of other commands quick

    first_name, head = ("pins", _failed_pins(gate)) if look.pins else ("faults", headline(gate))
    faulty, slow = gate.too_many_faults or bool(look.pins), gate.too_slow
    unsettled = not faulty and gate.verdict in (None, "invalid")
    weak, timed = gate.verdict == "failed" and not (faulty or slow), gate.test.max_slower is not None
    suite = ElementTree.Element(
        "testsuite",
        name="tourney gate",
        tests="3" if timed else "2",
        failures=str(int(faulty or weak or slow)),
        errors=str(int(unsettled)),
        skipped=str(int(faulty)),
    )
    group = f"{gate.new} against {gate.old}"
    names = [first_name, "strength", *(["time"] if timed else [])]
    first, second, *third = [ElementTree.SubElement(suite, "testcase", classname=group, name=name) for name in names]
    report = "\n".join(lines(gate, path, look))
    if faulty:
        ElementTree.SubElement(first, "failure", type=first_name, message=head).text = report
        ElementTree.SubElement(second, "skipped", message=f"the gate ended by a {first_name[:-1]}")
    elif weak or unsettled:
        kind, tag = (gate.verdict or "undecided", "error") if unsettled else ("weaker", "failure")
        ElementTree.SubElement(second, tag, type=kind, message=head).text = report
    if slow:
        ElementTree.SubElement(third[0], "failure", type="slower", message=head).text = report
    ElementTree.SubElement(suite, "system-out").text = report
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"
