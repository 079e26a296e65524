"""Tournaments of every format as a user runs them: the same bytes whatever happens, readable by every command."""

import random
from statistics import fmean

import orjson
import pytest

from tests.cli.runs import DAMAGE, change_manifest, journal, kill_again_and_again, one_line, same_run
from tests.conftest import BAD, mostly_slow
from tourney.contracts.match import Match, record_as
from tourney.journal import folder
from tourney.journal.reader import parse_sealed_record

MANY = "\n".join(
    [f'[[bot]]\nname = "{use}-{i}"\nuse = "{use}"' for use in ("random", "first", "steady") for i in (2, 3)]
)
FORMATS = {
    "round-robin": {"groups": "9", "deals": "4"},
    "gauntlet": {"challengers": '["steady", "first-2"]', "deals": "4"},
    "swiss": {"rounds": "4", "deals": "3", "seatings": '"all"'},
    "knockout": {"deals": "5"},
    "mirror": {"deals": "5"},
}
RANKED = {
    "round-robin": "Ranked by points %; ties by share of matches won.",
    "gauntlet": "Ranked by rating; ties by points %.",
    "swiss": "Ranked by sum of the round scores; ties by rating, Buchholz, points %.",
    "knockout": "Ranked by round reached; ties by points % of the last meeting, points %.",
    "mirror": "Ranked by points %; ties by share of matches won.",
}
SHORT = '[[game]]\nname = "vole"\noptions = { target = 6 }\nweight = 2'
THREE = '[[game]]\nname = "bang"\nseats = 3'
CASES = {  # every format, with two seats and with three
    **{form: (form, {"game": SHORT}) for form in FORMATS},
    **{f"{form} of three": (form, {"game": THREE, "deals": "1"}) for form in FORMATS},
    "swiss at smaller tables": ("swiss", {"game": THREE.replace("3", "4"), "deals": "1", "seatings": '"rotations"'}),
}
PLAYED = ("round-robin of three", "gauntlet", "swiss", "swiss at smaller tables", "knockout", "mirror of three")
RESUMED = (
    "round-robin",
    "gauntlet of three",
    "swiss of three",
    "knockout of three",
    "mirror",
    "swiss at smaller tables",
)
"""Of each format a case in each test, with two seats in the one and with three in the other."""


@pytest.fixture
def config(write):
    """Writes a tournament of a format between nine bots."""

    def config(form: str, **keys: str):
        return write(form, format=f'"{form}"', extra=MANY, **{"game": SHORT} | FORMATS[form] | keys)

    return config


@pytest.mark.parametrize("case", mostly_slow(PLAYED, "swiss"))
def test_one_worker_and_two_write_the_same_bytes_and_every_command_reads_them(tourney, config, tmp_path, case):
    form, keys = CASES[case]
    file = config(form, **keys)
    for out, workers in (("A", 1), ("B", 2)):
        result = tourney("run", file, "--out", out, "--workers", workers)
        assert result.returncode == 0, result.stderr
    assert journal(tmp_path / "A") == journal(tmp_path / "B")
    lines = journal(tmp_path / "A").splitlines(keepends=True)
    assert f"{form}: {form} of " in result.stderr
    assert f", {len(lines)} matches, 2 workers" in " ".join(result.stderr.split())
    assert tourney("verify", "A").stdout == f"{len(lines)} of {len(lines)} records hold\n"
    assert tourney("standings", "A").stdout == result.stdout == (tmp_path / "B/standings.txt").read_text("utf-8")
    assert RANKED[form] in " ".join(result.stdout.split())
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert [line.split()[1] for line in result.stdout.splitlines()[2:11]] == [row["bot"] for row in standings(tourney)]
    last = tourney("matches", "A").stdout.splitlines()[-1].split()[0]
    assert tourney("replay", "A", last).returncode == 0
    # an unfinished run, within a round and within a block
    (tmp_path / "A" / "journal.jsonl").write_bytes(b"".join(lines[: len(lines) * 2 // 3]) + lines[-1][:50])
    for command in ("standings", "verify"):
        result = tourney(command, "A")
        assert result.returncode == 0
        assert result.stderr == f"not finished: {len(lines) * 2 // 3} of {len(lines)} matches were played\n"
        if (form, command) == ("swiss", "standings"):
            assert "Ranked by sum of the round scores after 2 of 4 rounds; ties by" in result.stdout
    assert len(tourney("matches", "A").stdout.splitlines()) == len(lines) * 2 // 3
    assert tourney("run", file, "--out", "A", "--resume").returncode == 0
    assert journal(tmp_path / "A") == journal(tmp_path / "B")


def standings(tourney, *options) -> list:
    """Returns the standings of the run in the folder A."""
    result = tourney("standings", "A", "--format", "json", *options)
    assert result.returncode == 0, result.stderr
    return orjson.loads(result.stdout)


def test_the_winner_of_the_final_wins_the_knockout(tourney, config, played, tmp_path):
    played(config("knockout"), "A")
    lines = journal(tmp_path / "A").splitlines(keepends=True)
    final = [orjson.loads(line) for line in lines[-10:]]
    points: dict[str, int] = {}
    for record in final:
        for name, place in zip(record["seats"], record["places"], strict=True):
            points[name] = points.get(name, 0) - place
    rows = standings(tourney)
    assert {row["bot"] for row in rows if row["reached"] in ("winner", "final")} == set(points)
    assert rows[0]["reached"] == "winner"
    assert points[rows[0]["bot"]] == max(points.values())
    assert [row["reached"] for row in rows[1:]] == ["final", "round 3", "round 3"] + ["round 2"] * 4 + ["round 1"]
    assert f"{rows[0]['bot']} won the cup." in tourney("standings", "A").stdout
    (tmp_path / "A" / "journal.jsonl").write_bytes(b"".join(lines[:-1]))
    unfinished = tourney("standings", "A")
    assert "won the cup" not in unfinished.stdout
    assert [row["reached"] for row in standings(tourney)[:3]] == ["final", "final", "round 3"]


def test_a_swiss_ranks_by_round_scores_and_a_part_of_it_by_points(tourney, write):
    extra = f'{MANY}\n[[bot]]\nname = "bad"\nuse = "{BAD}:RaisesLater"'
    file = write("A", format='"swiss"', rounds="3", deals="2", extra=extra, game=SHORT)
    result = tourney("run", file, "--out", "A")
    assert result.returncode == 0, result.stderr
    rows = standings(tourney)
    assert sum(row["round_score"] for row in rows) == 3 * 5  # five pairs in each round
    order = [(row["round_score"], row["rating"], row["buchholz"], row["points_percent"]) for row in rows]
    assert order == sorted(order, reverse=True)
    assert [row["rank"] for row in rows] == [1 + sum(other > own for other in order) for own in order]
    assert (rows[-1]["bot"], rows[-1]["round_score"], rows[-1]["faults"]) == ("bad", 0, 12)
    by_rating = standings(tourney, "--by", "rating")
    assert [row["bot"] for row in by_rating] == [row["bot"] for row in sorted(rows, key=lambda row: -row["rating"])]
    assert {row["bot"]: row["buchholz"] for row in by_rating} == {row["bot"]: row["buchholz"] for row in rows}
    some = standings(tourney, "--without-faults")
    assert {row["round_score"] for row in some} == {row["buchholz"] for row in some} == {None}
    assert [row["bot"] for row in some[:9]] == [
        row["bot"] for row in sorted(some[:9], key=lambda r: -r["points_percent"])
    ]
    assert sum(row["matches"] for row in some) == sum(row["matches"] for row in rows) - 2 * 12


def test_the_rounds_of_a_swiss_show_who_met_rested_and_floated(tourney, config, played, tmp_path):
    """Nine bots: four tables, and one rests; as a table, JSON and CSV, also where the run was stopped."""
    played(config("swiss"), "A")
    rounds = orjson.loads(tourney("standings", "A", "--rounds", "--format", "json").stdout)
    assert [(each["round"], each["name"], each["finished"]) for each in rounds] == [
        (i, f"round {i}", True) for i in (1, 2, 3, 4)
    ]
    scores = dict.fromkeys([row["bot"] for row in standings(tourney)], 0)
    for each in rounds:
        entrants = [row for table in each["tables"] for row in table] + each["resting"]
        assert [len(table) for table in each["tables"]] == [2] * 4
        assert {row["bot"] for row in entrants} == set(scores)
        assert {row["bot"]: row["score_before"] for row in entrants} == scores
        for one, other in each["tables"]:
            up = one["score_before"] < other["score_before"]
            down = one["score_before"] > other["score_before"]
            assert (one["upfloats"], one["downfloats"], other["upfloats"], other["downfloats"]) == (up, down, down, up)
            assert one["points_percent"] + other["points_percent"] == 100
            won = (one["points_percent"] > other["points_percent"]) - (one["points_percent"] < other["points_percent"])
            assert (one["round_score"], other["round_score"]) == ((1 + won) / 2, (1 - won) / 2)
        (rests,) = each["resting"]
        assert (rests["points_percent"], rests["round_score"], rests["advanced"]) == (None, 1, None)
        scores = {row["bot"]: row["score_before"] + row["round_score"] for row in entrants}
    assert scores == {row["bot"]: row["round_score"] for row in standings(tourney)}
    head, *lines = tourney("standings", "A", "--rounds", "--format", "csv").stdout.splitlines()
    assert head == ("round,finished,table,bot,score_before,upfloats,downfloats,points_percent,round_score,advanced")
    first = rounds[0]["tables"][0][0]
    assert lines[0] == f"1,true,1,{first['bot']},0.0,0,0,{first['points_percent']},{first['round_score']},"
    assert lines[8] == f"1,true,,{rounds[0]['resting'][0]['bot']},0.0,0,0,,1.0,"
    assert len(lines) == 4 * 9
    text = tourney("standings", "A", "--rounds").stdout.splitlines()
    assert text[0].split() == ["round", "table", "bot", "before", "floats", "pts", "%", "score"]
    assert text[2].split() == [
        "round", "1", "1", first["bot"], "0.0", f"{first['points_percent']:.1f}", f"{first['round_score']:.1f}",
    ]  # fmt: skip
    assert text[10].split() == ["rests", rounds[0]["resting"][0]["bot"], "0.0", "1.0"]
    lines = journal(tmp_path / "A").splitlines(keepends=True)  # 24 a round
    (tmp_path / "A" / "journal.jsonl").write_bytes(b"".join(lines[:51]))
    stopped = orjson.loads(tourney("standings", "A", "--rounds", "--format", "json").stdout)
    assert stopped[:2] == rounds[:2]
    (third,) = stopped[2:]
    assert (third["finished"], len(third["resting"])) == (False, 1)
    assert [[row["bot"] for row in table] for table in third["tables"]] == [
        [row["bot"] for row in table] for table in rounds[2]["tables"]
    ]
    assert {(row["points_percent"], row["round_score"]) for table in third["tables"] for row in table} == {(None, None)}


@pytest.mark.parametrize("game", [SHORT, pytest.param(THREE, marks=pytest.mark.slow)])
def test_the_bracket_of_a_knockout_shows_who_advanced(tourney, config, played, game):
    played(config("knockout", game=game, deals="1"), "A")
    rounds = orjson.loads(tourney("standings", "A", "--rounds", "--format", "json").stdout)
    assert [each["name"] for each in rounds] == [*[f"round {i}" for i in range(1, len(rounds))], "final"]
    left = {row["bot"] for row in standings(tourney)}
    for each in rounds:
        playing = [row for table in each["tables"] for row in table]
        assert {row["bot"] for row in [*playing, *each["resting"]]} == left
        assert all(row["advanced"] for row in each["resting"])
        for table in each["tables"]:
            through = [row["points_percent"] for row in table if row["advanced"]]
            out = [row["points_percent"] for row in table if not row["advanced"]]
            assert min(through) >= max(out)
        left = {row["bot"] for row in [*playing, *each["resting"]] if row["advanced"]}
    assert left == {standings(tourney)[0]["bot"]}
    shown = tourney("standings", "A", "--rounds", "--format", "markdown").stdout
    assert "\n| final " in shown
    assert [part.strip() for part in shown.splitlines()[0].strip("|").split("|")] == [
        "round", "table", "bot", "pts %", "advances",
    ]  # fmt: skip


def test_the_matches_of_a_round_are_listed_and_a_format_without_rounds_says_so(tourney, config, played, tmp_path):
    played(config("knockout", deals="1"), "A")
    every = tourney("matches", "A").stdout.splitlines()
    by_round = [tourney("matches", "A", "--round", i).stdout.splitlines() for i in (1, 2, 3, 4)]
    assert [line for lines in by_round for line in lines] == every
    assert [len(lines) for lines in by_round] == [2, 8, 4, 2]
    one_line(tourney("matches", "A", "--round", 5), 2, "no round 5", "rounds begun: 4")
    lines = journal(tmp_path / "A").splitlines(keepends=True)
    (tmp_path / "A" / "journal.jsonl").write_bytes(b"".join(lines[:11]))
    assert tourney("matches", "A", "--round", 3).stdout.splitlines() == by_round[2][:1]
    one_line(tourney("matches", "A", "--round", 4), 2, "no round 4", "rounds begun: 3")
    played(config("gauntlet", deals="1"), "B")
    one_line(tourney("matches", "B", "--round", 1), 2, "--round: the format gauntlet has no rounds")
    one_line(tourney("standings", "B", "--rounds"), 2, "--rounds: the format gauntlet has no rounds")
    assert tourney("standings", "A", "--rounds", "--cross").returncode == 2
    assert tourney("standings", "A", "--rounds", "--without-faults").returncode == 2


@pytest.mark.slow
def test_standings_by_runoff_count_those_who_remain_among_themselves(tourney, config, played):
    """The last two are ranked by their matches with each other; a part of the run has a run-off of its own."""
    played(config("round-robin", groups="36", game=f"{SHORT}\n{THREE}", deals="1"), "A")
    rows = standings(tourney, "--by", "runoff")
    assert rows[-1]["runoff_order"] == 1
    orders = [row["runoff_order"] for row in rows]
    assert orders == sorted(orders, reverse=True)
    assert [row["rank"] for row in rows] == [1 + sum(other > own for other in orders) for own in orders]
    vole = standings(tourney, "--by", "runoff", "--game", "vole")
    cross = orjson.loads(tourney("standings", "A", "--cross", "--format", "json", "--game", "vole").stdout)
    left = [row["bot"] for row in vole]
    for row in reversed(vole[2:]):
        shares = {bot: fmean([cross[bot][other]["percent"] for other in left if other != bot]) for bot in left}
        assert row["runoff_percent"] == pytest.approx(shares[row["bot"]], abs=0.001)
        assert shares[row["bot"]] <= min(shares.values()) + 0.001
        if row["runoff_order"] != vole[left.index(row["bot"]) - 1]["runoff_order"]:
            left = [each["bot"] for each in vole if each["runoff_order"] > row["runoff_order"]]
    told = tourney("standings", "A", "--by", "runoff").stdout
    assert "Ranked by instant run-off, in which 1 went out first." in told
    assert {row["runoff_order"] for row in standings(tourney)} == {None}


def test_several_games_have_standings_separately_and_together(tourney, write, played):
    games = '[[game]]\nname = "vole"\noptions = { target = 6 }\n[[game]]\nname = "bang"\nseats = 3\nweight = 3'
    played(write("A", game=games), "A")
    whole, vole, bang = [
        {row["bot"]: row for row in standings(tourney, *options)}
        for options in ((), ("--game", "vole"), ("--game", "bang"))
    ]
    for name, row in whole.items():
        parts = vole[name], bang[name]
        for key in ("points_percent", "rating"):
            assert row[key] == pytest.approx((parts[0][key] + 3 * parts[1][key]) / 4, abs=0.001)
        assert row["mean_score"] is row["mean_place"] is None
        assert all(part["mean_score"] is not None and part["mean_place"] is not None for part in parts)
        assert row["matches"] == sum(part["matches"] for part in parts)
    for by in ("score", "place"):
        one_line(tourney("standings", "A", "--by", by), 2, f"by {by}: ", "choose one game")
        assert tourney("standings", "A", "--by", by, "--game", "bang").returncode == 0
    told = tourney("standings", "A").stdout
    assert "\nSeats of vole, points %: " in told
    assert "\nSeats of bang, points %: " in told
    assert "vole" not in tourney("standings", "A", "--game", "bang").stdout


@pytest.mark.slow
def test_a_run_with_a_list_and_a_table_among_its_options_is_read_and_resumed(tourney, write):
    bang = '[[game]]\nname = "bang"\nseats = 2\noptions = { bang_on = ["pair", "ten"], max_turns = 12 }\n'
    duke = '[[game]]\nname = "cold-blooded"\nseats = 4\noptions = { deck = { sniper = 9 }, target = 1 }'
    bots = '["random", "first"]\n[[bot]]\nname = "r"\nuse = "random"\n[[bot]]\nname = "f"\nuse = "first"'
    config = write("A", game=bang + duke, bots=bots)
    for more in ((), ("--resume",)):
        assert tourney("run", config, "--out", "A", *more).returncode == 0
    for command in ("standings", "verify", "matches"):
        assert tourney(command, "A").returncode == 0


def test_scores_of_one_game_with_different_seats_cannot_be_compared(tourney, write):
    games = [f'[[game]]\nname = "bang"\nseats = {seats}\noptions = {{ max_turns = 12 }}' for seats in (2, 3)]
    assert tourney("run", write("A", game="\n".join(games)), "--out", "A").returncode == 0
    for by in ("score", "place"):
        one_line(tourney("standings", "A", "--by", by, "--game", "bang"), 2, f"by {by}: ", "rank by something else")


@pytest.mark.slow
@pytest.mark.parametrize("case", ["swiss of three", "knockout of three"])
def test_a_tournament_killed_at_random_moments_and_resumed_writes_the_same_bytes(tourney, config, tmp_path, case):
    form, keys = CASES[case]
    larger = {"deals": "12", "game": '[[game]]\nname = "vole"'} if keys["game"] == SHORT else {"deals": "4"}
    file = config(form, **keys | larger)
    assert tourney("run", file, "--out", "whole").returncode == 0
    kill_again_and_again(tmp_path, random.Random(case), 3, file)
    assert tourney("run", file, "--out", "killed", "--resume").returncode == 0
    same_run(tmp_path / "killed", tmp_path / "whole")


@pytest.mark.parametrize("case", mostly_slow(RESUMED, "knockout of three"))
def test_a_tournament_can_be_resumed_after_any_line(tourney, config, played, tmp_path, case):
    form, keys = CASES[case]
    file = config(form, **keys | {"deals": "1"})
    played(file)
    whole = journal(tmp_path / "run")
    lines = whole.splitlines(keepends=True)
    for kept in random.Random(case).sample(range(len(lines)), 2):
        (tmp_path / "run" / "journal.jsonl").write_bytes(b"".join(lines[:kept]) + b'{"match":"vo')
        assert tourney("run", file, "--out", "run", "--resume", "--workers", 2).returncode == 0
        assert journal(tmp_path / "run") == whole


@pytest.mark.parametrize("form", mostly_slow(["gauntlet", "swiss", "knockout", "mirror"], "swiss"))
def test_a_damaged_journal_is_refused_with_one_line_and_verify_says_which_records_hold(tourney, config, played, form):
    file = config(form, deals="1")
    path = played(file) / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    for damage in ("another JSON", "a record missing", "two records swapped", "a record too many"):
        path.write_bytes(b"".join(DAMAGE[damage](lines)))
        one_line(tourney("standings", "run"), 2, "journal.jsonl, line ")
        result = tourney("verify", "run")
        assert (result.returncode, result.stderr.count("Traceback")) == (1, 0)
    one_line(tourney("run", file, "--out", "run", "--resume"), 2, "journal.jsonl, line ")
    first = orjson.loads(lines[0])
    places = b'"places":' + orjson.dumps(first["places"])
    assert places in lines[0]
    path.write_bytes(b"".join([lines[0].replace(places, b'"places":[3,3]'), *lines[1:]]))
    told = tourney("verify", "run").stdout.splitlines()
    assert told[0].startswith(f"match {first['match']} (line 1): ")
    assert "places" in told[0]
    assert told[1:] == [f"{len(lines) - 1} of {len(lines)} records hold"]


def test_a_pairing_that_is_not_in_the_schedule_is_refused(tourney, config, played):
    """Two entrants have swapped seats in every record of the first round, and all seals hold."""
    file = config("swiss", deals="1")
    path = played(file) / "journal.jsonl"
    records = [parse_sealed_record(line, "") for line in path.read_bytes().splitlines(keepends=True)]
    one, other = records[0].seats[0], records[2].seats[0]

    def forged(names: dict[str, str]) -> list[bytes]:
        """Returns the journal with other names in the first round, which has four groups with two matches each."""
        found = []
        for number, each in enumerate(records):
            seats = tuple([names.get(name, name) if number < 8 else name for name in each.seats])
            match = Match(each.match, each.setup, each.block, int(each.seed, 16), seats)
            found.append(record_as(match, each).line())
        return found

    swapped = forged({one: other, other: one})
    path.write_bytes(b"".join(swapped))
    one_line(tourney("standings", "run"), 2, "journal", "seats is ", "the schedule says ")
    told = tourney("verify", "run")
    assert told.returncode == 1
    assert "seats is " in told.stdout.splitlines()[0]
    path.write_bytes(b"".join(swapped[:7]))
    one_line(tourney("run", file, "--out", "run", "--resume"), 2, "seats is ", "the schedule says ")
    assert path.read_bytes() == b"".join(swapped[:7])
    path.write_bytes(b"".join(forged({one: "stranger"})))
    one_line(tourney("standings", "run"), 2, "journal", "seats is ")


@pytest.mark.slow
def test_a_faulty_bot_affects_only_its_own_matches(tourney, write, tmp_path):
    """It plays a Swiss to the end, and another run writes the same bytes."""
    extra = f'[[bot]]\nname = "bad"\nuse = "{BAD}:KillsItselfLater"\n[limits]\nmatch_s = 20'
    file = write("bad", format='"swiss"', rounds="2", deals="1", bots='["first", "random", "steady"]', extra=extra)
    for out, workers in (("A", 1), ("B", 2)):
        assert tourney("run", file, "--out", out, "--workers", workers).returncode == 0
    assert journal(tmp_path / "A") == journal(tmp_path / "B")
    assert {
        orjson.loads(line)["faults"][0]["kind"] for line in journal(tmp_path / "A").splitlines() if b'"bad"' in line
    } == {"crash"}


def test_a_manifest_without_a_possible_schedule_is_refused_with_one_line(tourney, config, played):
    path = played(config("swiss", deals="1"))
    tournament = folder.read_manifest(path)["tournament"]
    for key, value in (
        ("rounds", None),
        ("rounds", 0),
        ("groups", 3),
        ("seatings", 3),
        ("weights", [1, 2]),
        ("weights", [0]),
    ):
        change_manifest(path, tournament=tournament | {key: value})
        one_line(tourney("standings", "run"), 2, "the manifest is damaged")
