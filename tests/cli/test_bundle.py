"""`tourney bundle`: a bot's author gets what the bot saw and did, and nothing else."""

from zipfile import ZipFile

from tests.conftest import tournament_text
from tourney import config
from tourney.journal import folder
from tourney.journal.reader import read_blocks
from tourney.plugins.registry import load_game
from tourney.schedule.base import schedule
from tourney.table.replay import trace

BOT = """
import sys
class Bot:
    def act(self, view, legal):
        print("{name}'s own words", file=sys.stderr)
        return legal[0] if len(legal) < {least} else legal.nothing
"""
BOTS = '[[bot]]\nname = "{name}"\nuse = "{name}.py:Bot"\nhost = "process"\n'


def test_a_bundle_has_the_matches_of_a_bot_as_its_seat_saw_them_and_nothing_of_others(tourney, tmp_path):
    for name, least in (("kate", 8), ("ben", 99)):
        (tmp_path / f"{name}.py").write_text(BOT.format(name=name, least=least))
    extra = "".join([BOTS.format(name=name) for name in ("kate", "ben")])
    text = tournament_text("cup", seed='"not for kate"', deals="2", bots='["random"]', extra=extra)
    (tmp_path / "cup.toml").write_text(text)
    assert tourney("run", "cup.toml", "--quiet", "--workers", "1").returncode == 0
    for name in ("kate.zip", "again.zip"):
        assert tourney("bundle", "cup", "--bot", "kate", "-o", name).returncode == 0
    assert (tmp_path / "kate.zip").read_bytes() == (tmp_path / "again.zip").read_bytes()
    with ZipFile(tmp_path / "kate.zip") as bundle:
        files = {name.removeprefix("kate/"): bundle.read(name).decode() for name in bundle.namelist()}
    run = tmp_path / "results" / "cup"
    manifest = folder.read_manifest(run)
    blocks = read_blocks(run, schedule(config.of_manifest(manifest)))
    hers = [record for found in blocks for record in found.records if "kate" in record.seats]
    seen = {f"matches/{each.match}-seat-{each.seats.index('kate')}" for each in hers}
    more = {"standings.txt", "standings.json", "faults.txt", "log.txt"}
    assert files.keys() == more | {f"{name}.{ending}" for name in seen for ending in ("txt", "jsonl")}
    assert files["standings.txt"] == (run / "standings.txt").read_text()
    assert len(files["faults.txt"].splitlines()) == sum([len(record.faults) for record in hers]) > 0
    assert "kate's own words" in files["log.txt"]
    assert 'File "kate.py"' in files["log.txt"]
    everything = "\n".join(files.values())
    secrets = [str(tmp_path), "not for kate", manifest["tournament"]["seed"], "ben's own words"]
    for record in hers:
        secrets.append(record.seed)
        for event in trace(record, load_game(record.game)):
            if event["kind"] == "deal":
                secrets += [" ".join(event["deck"]), '","'.join(event["deck"])]
                hand = event["hands"][1 - record.seats.index("kate")]
                secrets += [between.join(cards) for cards in (hand, sorted(hand)) for between in (" ", '","')]
    assert [secret for secret in secrets if secret in everything] == []
    assert tourney("bundle", "cup", "--bot", "cate", "-o", "x.zip").returncode == 2
