"""A match's twins: the other matches of its block, on the same deal with the bots in other seats."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from tourney.contracts.match import Record
from tourney.table.sentences import seat_names

MOST = 4000
"""Decisions of the twins in a page; each takes up to 100 bytes."""


def in_page(twins: Sequence[Record]) -> Iterator[Record]:
    """Yields the twins that a page has room for."""
    room = MOST
    for twin in twins:
        room -= twin.decisions
        if room < 0:
            return
        yield twin


def described(record: Record, twins: Collection[Record], seats: Sequence[int]) -> list[dict[str, Any]]:
    """The twins for the viewer, each with its parting; `seats` has the seat of each decision of the record."""
    return [
        {
            "match": twin.match,
            "names": seat_names(twin.seats),
            "scores": twin.scores,
            "parts": _parting(record, twin, seats),
        }
        for twin in twins
    ]


def _parting(record: Record, twin: Record, seats: Sequence[int]) -> dict[str, Any] | None:
    """The first decision at which a seat did otherwise, or at which one bot failed; None if there is none.

    Before it all actions are the same, and with them the states and every seat's view.
    """
    pairs = enumerate(zip(record.actions.split(), twin.actions.split(), strict=False), 1)
    failed, other_failed = [{fault.decision for fault in each.faults} for each in (record, twin)]
    of_one = failed ^ other_failed
    decision = next((number for number, (own, other) in pairs if own != other or number in of_one), 0)
    if not decision:
        return None
    seat = seats[decision - 1]
    return {"decision": decision, "seat": seat, "gap": abs(record.scores[seat] - twin.scores[seat])}
