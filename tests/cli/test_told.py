"""What is told of a run, to whom and when: a marker of each kind of fact is looked for in all that is given away."""

import base64
import gzip
import io
import re
import shutil
from html import unescape
from types import SimpleNamespace
from zipfile import ZipFile

import orjson
import pytest

from tests.cli.runs import one_line, wait_for
from tests.conftest import ROOT, called, tournament_text, with_code
from tests.environments import made_once
from tests.web.test_serve import served
from tourney import load, load_game
from tourney.journal.folder import read_manifest
from tourney.journal.told import RULES
from tourney.table.replay import trace

BOT = """
import os, sys
import tourney
class Bot:
    def act(self, view, legal):
        print("LOG-{name}", file=sys.stderr)
        if os.path.exists(r"{broken}"):
            raise ValueError("TRACE-{name}")
        return tourney.Noted(legal[0], value=0.5, thought="NOTE-{name}")
"""
SEED = "SEED-0123456789abcdef"
NAMES = ("ann", "ben", "cid", "gustav")
BUNDLE = "bundle cup --bot ann -o out.zip"
GIVEN = [
    "report cup --out out.html", "report cup --matches 9 --out out/", "report cup --format svg --out out/",
    "export cup --format csv", "export cup --decisions --open --format csv",
    "export cup --decisions --format jsonl -o out",
    "replay cup {match} --json", "replay cup {match} --html out.html",
]  # fmt: skip
"""What everybody may be given of a run."""
OF_A_SEAT = ["replay cup {match} --seat {seat} --json", "replay cup {match} --seat {seat} --html out.html"]


def unpacked(data):
    """All texts in a file: also those of the matches in a page, and of the files in an archive."""
    if data[:2] == b"PK":
        with ZipFile(io.BytesIO(data)) as archive:
            return "".join([f"{name}\n{unpacked(archive.read(name))}" for name in archive.namelist()])
    text = data.decode(errors="replace")
    blocks = re.findall(r'class="match-data"[^>]*>([^<]+)<', text)
    return "\n".join([unescape(text), *[gzip.decompress(base64.b64decode(block)).decode() for block in blocks]])


def markers_of(run, *places):
    """The texts that show each kind of fact, each with the bot that it is of; `""` for those of nobody."""
    seed, records = read_manifest(run)["tournament"]["seed"], list(load(run).records())
    kinds = {"notes": "NOTE-{}", "logs": "LOG-{}", "tracebacks": "TRACE-{}", "authors": "{}@mail.example"}
    markers = {kind: {text.format(name): name for name in NAMES} for kind, text in kinds.items()}
    markers["seeds"] = dict.fromkeys([SEED, seed, *{record.seed for record in records}], "")
    return markers | {"paths": dict.fromkeys(map(str, places), ""), "refusals": {"gustav": "gustav"}}


def told_in(text, markers):
    """The kinds of facts that a text tells, each with the bots that they are of."""
    found = {kind: {bot for text_, bot in texts.items() if text_ in text} for kind, texts in markers.items()}
    return {kind: bots for kind, bots in found.items() if bots}


def given(place, command, match="", seat=0):
    """Everything that a command writes or prints for others."""
    for old in place.glob("out*"):
        old.unlink() if old.is_file() else shutil.rmtree(old)
    done = with_code(called(command.format(match=match, seat=seat).split(), place))
    files = [
        file for out in place.glob("out*") for file in (out.rglob("*") if out.is_dir() else [out]) if file.is_file()
    ]
    return "\n".join([done.stdout * (not files), *[f"{file.name}\n{unpacked(file.read_bytes())}" for file in files]])


def write_bot(place, name):
    (place / f"{name}.py").write_text(BOT.format(name=name, broken=place / f"{name} is broken"))


def league_in(place):
    """A league of ann, of a team, ben, cid, who is paused for faults, and gustav, whose bot is refused."""
    with_code(called(["league", "new", "cup", "--game", "vole", "--host", "process", "--seed", SEED], place))
    file = place / "results" / "cup" / "tournament.toml"
    text = file.read_text().replace('name = "vole",', 'name = "vole", options = { target = 6 },')
    file.write_text(re.sub("(?m)^max_faults_in_row = .*", "max_faults_in_row = 2", text))
    (place / "gustav is broken").touch()
    for name in NAMES:
        write_bot(place, name)
        submit = ["league", "submit", "cup", f"{name}.py:Bot", "--as", name, "--author", f"{name}@mail.example"]
        with_code(
            called([*submit, *(["--display", "Team Ann"] if name == "ann" else [])], place), int(name == "gustav")
        )
    play = ["league", "play", "cup", "--workers", "1", "--quiet", "--matches"]
    with_code(called([*play, "12"], place))
    (place / "cid is broken").touch()
    with_code(called([*play, "24"], place))


def run_in(place):
    """A run that is over, of ann and ben."""
    bot = '[[bot]]\nname = "{0}"\nuse = "{0}.py:Bot"\nhost = "process"\ndisplay = "{1}"\n'
    extra = bot.format("ann", "Team Ann") + bot.format("ben", "")
    for name in ("ann", "ben"):
        write_bot(place, name)
    (place / "cup.toml").write_text(tournament_text("cup", seed=f'"{SEED}"', deals="2", bots="[]", extra=extra))
    with_code(called(["run", "cup.toml", "--quiet", "--workers", "1"], place))


def copied(shared_folder, tmp_path_factory, make):
    """A copy of what is made once, for the tests of this process."""
    made = made_once(shared_folder / f"told-{make.__name__}", make)
    place = shutil.copytree(made, tmp_path_factory.mktemp("told") / "place")
    run = place / "results" / "cup"
    markers = markers_of(run, place, made)
    return SimpleNamespace(place=place, run=run, markers=markers, match=next(load(run).records()).match)


@pytest.fixture(scope="module")
def cup(shared_folder, tmp_path_factory):
    return copied(shared_folder, tmp_path_factory, league_in)


@pytest.fixture(scope="module")
def over(shared_folder, tmp_path_factory):
    return copied(shared_folder, tmp_path_factory, run_in)


@pytest.mark.parametrize("command", GIVEN)
def test_everybody_is_told_nothing_of_a_league_but_how_it_stands(cup, command):
    text = given(cup.place, command, cup.match)
    assert told_in(text, cup.markers) == {}
    assert "ann@1" in text
    assert ("Team Ann" in text) == (command.startswith("report") and "svg" not in command)


def test_a_server_tells_everybody_no_more(cup):
    with served(cup.place) as client:
        wait_for(lambda: "data-page" in client.get("/runs/cup/").text)
        pages = ["/", "/runs/cup/", "/runs/cup/matches/", f"/runs/cup/matches/{cup.match}"]
        text = "\n".join([unpacked(client.get(page).content) for page in pages])
    assert (told_in(text, cup.markers), "Team Ann" in text) == ({}, True)


@pytest.mark.parametrize("command", GIVEN)
def test_afterwards_everybody_is_told_more_if_it_is_asked_for(over, command):
    opens = {"report": set(), "replay": {"seeds", "notes"}, "export": {"seeds", "notes"}}[command.split()[0]]
    assert told_in(given(over.place, command, over.match), over.markers).keys() <= opens
    if command.startswith("report") and "svg" not in command:
        told = told_in(given(over.place, f"{command} --with-seed --with-notes"), over.markers)
        assert told == {"seeds": {""}, "notes": {"ann", "ben"}}


def test_what_is_secret_is_refused_in_a_line(cup):
    for option, fact in (("--with-seed", "seeds"), ("--with-notes", "notes")):
        one_line(
            called(["report", "cup", option, "--out", "x.html"], cup.place), 2, "league", f"{fact} are still secret"
        )
    one_line(called(["export", "cup", cup.match], cup.place), 2, "league", "secret seed")


def test_an_author_gets_all_of_the_own_bots_but_seeds_and_paths_and_nothing_of_others(cup, over):
    for name, kinds in (("ann", {"notes", "logs"}), ("cid", {"notes", "logs", "tracebacks"}), ("gustav", None)):
        told = told_in(given(cup.place, BUNDLE.replace("ann", name)), cup.markers)
        assert set().union(*told.values()) == {name}
        assert told.keys() == (kinds or {"logs", "tracebacks", "refusals"})
    assert told_in(given(over.place, BUNDLE), over.markers) == {"notes": {"ann"}, "logs": {"ann"}}


@pytest.mark.parametrize("command", [*OF_A_SEAT, BUNDLE.replace("ann", "ann@1")])
def test_a_seat_is_shown_its_own_cards_and_notes(cup, command):
    record = next(record for record in load(cup.run).records() if "ann@1" in record.seats)
    seat = record.seats.index("ann@1")
    text = given(cup.place, command, record.match, seat)
    told = told_in(text, cup.markers)
    assert told.pop("notes") == {"ann"}
    assert told.keys() <= ({"logs"} if command.startswith("bundle") else set())
    (deal, *_) = [event for event in trace(record, load_game("vole")) if event["kind"] == "deal"]
    hand = deal["hands"][1 - seat]
    assert not [between for between in (" ", '","', ", ") if between.join(hand) in text]


@pytest.mark.slow
def test_authors_stand_on_a_page_if_the_league_says_so(cup):
    file = cup.run / "tournament.toml"
    before = file.read_text()
    file.write_text(f"{before}\n[page]\nauthors = true\n")
    try:
        with_code(called(["league", "play", "cup", "--matches", "2", "--quiet"], cup.place))
        told = told_in(given(cup.place, GIVEN[0]), cup.markers)
        assert told == {"authors": {"ann", "ben", "cid"}}
    finally:
        file.write_text(before)
        with_code(called(["league", "play", "cup", "--matches", "2", "--quiet"], cup.place))


def test_the_page_says_who_learns_what():
    page = (ROOT / "docs" / "guarantees-and-security.md").read_text(encoding="utf-8")
    table = page.partition("### Who learns what\n")[2].partition("\n|---")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]]
    assert {fact: tuple([cell.partition(" ")[0].rstrip(",:") for cell in cells]) for fact, *cells in rows} == RULES


def test_a_run_is_shown_as_it_was(cup, tmp_path):
    """Of a league before a bot came or at an event, and of a knockout after a round."""
    events = (cup.run / "events.jsonl").read_text().splitlines()
    line = next(str(number) for number, each in enumerate(events, 1) if '"paused"' in each)
    text = given(cup.place, f"report cup --at {line} --out out.html")
    assert "cid@1 is paused" not in re.sub("<[^>]*>", "", text)
    assert "cid@1 is paused" in re.sub("<[^>]*>", "", given(cup.place, GIVEN[0]))
    count = sum(record.block < orjson.loads(events[int(line) - 1])["block"] for record in load(cup.run).records())
    assert f"{count} matches on" in text
    with served(cup.place, "cup", "--at", line) as client:
        assert "cid@1 is paused" not in client.get("/runs/cup/").text
        assert client.get("/runs/cup/matches/").text.count('<th scope="row"') == count
    one_line(called(["serve", "--at", line], cup.place), 2, "--at requires a league")
    one_line(called(["report", "cup", "--at", "submitted:ann@1"], cup.place), 2, "nothing was played before")
    bots = '["random", "first", "steady", "seer"]'
    (tmp_path / "k.toml").write_text(tournament_text("k", format='"knockout"', deals="2", bots=bots))
    with_code(called(["run", "k.toml", "--quiet"], tmp_path))
    whole = given(tmp_path, "report k --out out.html")
    hidden = given(tmp_path, "report k --hide-after 1 --out out.html")
    assert ("won the cup" in whole, "won the cup" in hidden) == (True, False)
    assert hidden.count("advanced</span>") == 2
    one_line(called(["report", "k", "--hide-after", "1", "--with-notes"], tmp_path), 2, "not over")
