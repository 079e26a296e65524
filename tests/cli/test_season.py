"""A league's season as a class has it, from the first mail to the final."""

import re
import shutil
import stat
from pathlib import Path

import pytest

from tests.cli.runs import begin, wait_for
from tests.cli.test_inbox import BOT, zipped
from tests.conftest import apart, with_code
from tests.hosts.test_stopped import processes, stop

AUTHORS = [f"a{number:02}" for number in range(1, 27)]
LINKED, LINKING, BOMBER, COPIER, SLOW = AUTHORS[:5]


@pytest.mark.slow
def test_a_season_from_the_first_mail_to_the_final(tmp_path):
    def done(*arguments: object, code: int = 0, folder: Path = tmp_path) -> str:
        return with_code(apart(folder, *arguments), code).stdout

    def inbox() -> dict[str, str]:
        return dict(line.split(": ", 1) for line in done("league", "inbox", "cup", "inbox").splitlines())

    done("league", "new", "cup", "--game", "vole")
    league = tmp_path / "results" / "cup"
    settings = (league / "tournament.toml").read_text().replace('"vole",', '"vole", options = { target = 1 },')
    (league / "tournament.toml").write_text(f"max_mb = 2\n{settings}\n[defaults]\nmove_ms = 1500\n")

    # The first week: what 26 authors hand in.
    for number, author in enumerate(AUTHORS):
        (tmp_path / "inbox" / author).mkdir(parents=True)
        code = BOT.format("Bot", (0, -1, "len(legal) // 2")[number % 3]) + f"# {author}\n"
        (tmp_path / "inbox" / author / "bot.py").write_text(code)
    shutil.rmtree(tmp_path / "inbox" / LINKED)
    (tmp_path / "inbox" / LINKED).symlink_to("a26")
    (tmp_path / "inbox" / LINKING / "bot.py").unlink()
    (tmp_path / "inbox" / LINKING / "bot.py").symlink_to("../a26/bot.py")
    (tmp_path / "inbox" / BOMBER / "bot.py").unlink()
    zipped(tmp_path / "inbox" / BOMBER / "bot.zip", {"bot.py": b"#" * (3 << 20)}, mode=stat.S_IFREG | 0o644)
    shutil.copy(tmp_path / "inbox" / "a26" / "bot.py", tmp_path / "inbox" / "a25")
    slow = "import time\n" + BOT.format("Bot", 0).replace("        ", "        time.sleep(0.02)\n        ")
    (tmp_path / "inbox" / SLOW / "bot.py").write_text(slow)
    done("report", "cup", "--out", "start.html")
    said = inbox()
    refused = {entry.partition("/")[0].rstrip(":") for entry, text in said.items() if "entered as" not in text}
    assert refused == {LINKED, LINKING, BOMBER}
    assert "The same files as a25@1 of another author." in said["a26/bot.py"]
    assert "more than max_mb = 2" in (tmp_path / "inbox" / BOMBER / "RESULT.txt").read_text()
    assert inbox() == {}
    done("report", "cup", "--out", "entered.html")
    assert "a26@1" in (tmp_path / "entered.html").read_text()
    done("league", "play", "cup", "--matches", 60, "--quiet")

    # The second: a machine that stops, and one who hands in again.
    (tmp_path / "inbox" / BOMBER / "bot.zip").unlink()
    (tmp_path / "inbox" / BOMBER / "bot.py").write_text(BOT.format("Bot", -1))
    (tmp_path / "inbox" / "a06" / "bot.py").write_text(BOT.format("Bot", "len(legal) // 3"))
    assert {text.split(";")[0] for text in inbox().values()} == {f"entered as {BOMBER}@1", "entered as a06@2"}
    size = (league / "journal.jsonl").stat().st_size
    play = begin(tmp_path, "play", "cup", "--matches", 60, "--quiet", command="league")
    for _ in range(2):
        wait_for(lambda: (league / "journal.jsonl").stat().st_size > size or play.poll() is not None)
        stop(processes(play.pid), 2.5)
    assert play.wait(60) == 0
    play.communicate()
    assert "timeout" not in done("matches", "cup", "--faults")

    # The third: matches are voided and played again, one leaves.
    match = re.findall(r"vole-\d+-0", done("matches", "cup"))[0]
    done("league", "void", "cup", match, "--why", "the lights went out")
    done("league", "void", "cup", "--timeouts", code=2)
    done("league", "retire", "cup", "a07", "--why", "ill")
    done("league", "play", "cup", "--matches", 60, "--quiet")
    assert "voided" in next(line for line in done("matches", "cup").splitlines() if match in line)

    # The last night.
    done("league", "close", "cup")
    (tmp_path / "inbox" / "a08" / "bot.py").write_text(BOT.format("Bot", -1))
    (text,) = inbox().values()
    assert text.startswith("refused: submissions closed")
    assert "a07@1" not in done("league", "final", "cup", "--best", 4, "--deals", 1, "-o", "final.toml")
    second = tmp_path / "second"
    shutil.copytree(league, second / "copied")
    league.rename(tmp_path / "away")
    done("league", "final", "copied", "--best", 4, "--deals", 1, "-o", "final.toml", folder=second)
    assert (second / "final.toml").read_bytes() == (tmp_path / "final.toml").read_bytes()
    (tmp_path / "away").rename(league)
    for folder in (tmp_path, second):
        done("run", "final.toml", "--quiet", folder=folder)
    journals = [(folder / "results" / "cup-final" / "journal.jsonl").read_bytes() for folder in (tmp_path, second)]
    assert journals[0] == journals[1]
    certificates = done("standings", "cup-final", "--format", "markdown", folder=second)
    assert certificates.startswith("| ")
    done("report", "cup", "--out", "end.html")
    page = (tmp_path / "end.html").read_text()
    assert "the lights went out" in page
    assert "a07@1" in page

    # The next season, with another game.
    done("league", "new", "spring", "--like", "cup", "--game", "voleur:2")
    playing = [done("league", "field", league).count("  plays  ") for league in ("cup", "spring")]
    assert playing[0] == playing[1] > 20
    done("league", "play", "spring", "--matches", 30, "--quiet")
    assert "voleur" in done("matches", "spring", "--limit", 1)
