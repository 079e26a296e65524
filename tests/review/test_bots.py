"""The bots of a run are looked for where its tournament file may have been."""

from tests.conftest import tournament_text
from tourney import config
from tourney.base.errors import RunError
from tourney.journal.run import RunFolder
from tourney.review.bots import RunBots

BOTS = (
    'use = "gone.py:Bot"', 'use = "own.py:Bot"', 'use = "first"\nreads = ["own.py", "gone"]', 'command = ["./gone"]',
    'command = ["./own.py"]', 'command = ["sh", "-x", "/gone", "gone.sh"]', 'command = ["sh", "gone.sh", "own.py"]',
    f'command = ["sh", "{300 * "x"}"]', 'command = ["sh", "-x"]', 'use = "first"',
)  # fmt: skip


def test_a_folder_has_all_files_of_the_bots_or_the_first_that_is_missing_is_named(golden, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "own.py").write_text("class Bot:\n    def act(self, view, legal): ...")
    monkeypatch.chdir(tmp_path / "here")
    recorded, found = {"bots": {"bot": {"version": "", "sha256": "0"}}}, []
    for keys in BOTS:
        text = tournament_text("t", bots='["random"]', extra=f'[[bot]]\nname = "bot"\n{keys}')
        for folder in (None, tmp_path, tmp_path / "here"):
            given, trusted = config.of_text(text, tmp_path / "t.toml"), []
            try:
                run = RunFolder(tmp_path / "results" / "run")
                run.manifest, run.tournament = recorded, given
                bots = RunBots(run, folder, trusted.append)
                found.append(f"{keys!r}: {bots.tournament.folder}, {trusted}, {bots.changed('bot')}")
            except RunError as error:
                found.append(f"{keys!r}: {error}")
    golden("bots.txt", "\n".join(found).replace(str(tmp_path), "HERE"))
