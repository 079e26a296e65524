"""What authors hand in: forms of bots × kinds of links × commands that take them in; and leagues are left whole."""

import contextlib
import os
import random
import shutil
import socket
import stat
import sys
from pathlib import Path
from signal import SIGKILL

import pytest

from tests.cli.runs import begin, one_line, wait_for
from tests.cli.test_disk import disk, leave  # noqa: F401 - a fixture
from tests.conftest import ROOT, apart, called, commit, mostly_slow, tournament_text, with_code
from tourney.journal.events import read_events

BOT = "class Bot:\n    def act(self, view, legal):\n        return legal[-1]\n"
HELPED = "import helper\nclass Bot:\n    def act(self, view, legal):\n        return legal[helper.LAST]\n"
WIRE = (ROOT / "bots" / "wire" / "random_bot.py").read_text()
FORMS = {
    "file": ("mal/bot.py", {}, "mal/bot.py:Bot"),
    "imported": ("mal/helper.py", {"mal/bot.py": HELPED}, "mal/bot.py:Bot"),
    "package": ("mal/pkg", {}, "mal/pkg:Bot"),
    "in a package": ("mal/pkg/table", {"mal/pkg/__init__.py": BOT}, "mal/pkg:Bot"),
    "in a folder": ("mal/plain/table", {"mal/plain/bot.py": BOT}, "mal/plain:Bot"),
    "program": ("mal/prog/main.py", {}, "python3 mal/prog/main.py"),
    "in a program's folder": ("mal/prog/table", {"mal/prog/main.py": WIRE}, "python3 mal/prog/main.py"),
    "word": ("mal/prog/table", {"mal/prog/main.py": WIRE}, "python3 mal/prog/main.py mal/prog/table"),
    "reads": ("mal/table", {"mal/bot.py": BOT}, "mal/bot.py:Bot"),
}
"""Where the link is, the other files, and the bot."""
NAMED = ("file", "package", "program", "word", "reads")
"""The forms whose link is named itself."""
KINDS = (
    "nothing", "outside", "folder outside", "inside", "folder inside", "dangling", "loop", "circle", "hard", "device",
    "pipe", "socket",
)  # fmt: skip
DOORS = ("run", "check", "gate")
CASES = [f"{door}, {form}" for i, form in enumerate(FORMS) for door in ("submit", DOORS[i % 3])]
"""Every form where leagues take it in, and by another door."""


def put(kind, spot, content):
    """Puts a link, or something else, into its place; what it leads to has the content that belongs there."""
    real = spot.with_name(f"real{spot.suffix}") if "inside" in kind else Path("ann") / f"real{spot.suffix}"
    for path in (spot, real):
        path.parent.mkdir(parents=True, exist_ok=True)
    if "folder" in kind or content is None:
        real.mkdir()
        (real / "__init__.py").write_text(BOT)
    else:
        real.write_text(content)
    links = {"dangling": "gone", "loop": spot.name, "circle": "."}
    if kind.endswith("side"):
        spot.symlink_to(os.path.relpath(real, spot.parent))
    elif kind in links:
        spot.symlink_to(links[kind])
    elif kind == "hard" and content is not None:
        os.link(real, spot)
    elif kind == "device" and os.geteuid() == 0:
        os.mknod(spot, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    elif kind in ("device", "pipe"):
        os.mkfifo(spot)
    elif kind == "socket":
        with contextlib.chdir(spot.parent), socket.socket(socket.AF_UNIX) as server:
            server.bind(spot.name)
    else:
        shutil.move(real, spot)


def say(*words, code=0):
    """Runs a command here; in another process where bots are checked."""
    words = [*map(str, words)]
    done = apart(Path(), *words) if words[0] == "check" else called(words, Path())
    return done if code is None else with_code(done, code)


def hand_in(door, bot, reads):
    is_program = bot.startswith("python3")
    if door == "submit":
        options = [*(["--command"] if is_program else []), *(["--reads", reads] if reads else [])]
        return say("league", "submit", "cup", bot, "--as", "mal", "--author", "mal", *options, code=None)
    own = f"command = {[sys.executable, *bot.split()[1:]]}" if is_program else f'use = "{bot}"'
    table = f'[[bot]]\nname = "mal"\n{own}\n' + (f'reads = ["{reads}"]' if reads else "")
    Path("t.toml").write_text(tournament_text("t", deals="1", bots='["random"]', extra=table))
    gate = ("gate", "mal", "--against", "random", "--config", "t.toml", "--game", "vole", "--max-deals", 1, "--quiet")
    commands = {"run": ("run", "t.toml", "--quiet"), "check": ("check", "t.toml", "mal"), "gate": gate}
    return say(*commands[door], code=None)


@pytest.mark.parametrize("case", mostly_slow(CASES, "submit, in a package", "check, imported"))
def test_no_link_out_is_followed_or_left_out_in_silence(case, tmp_path, monkeypatch):
    door, _, form = case.partition(", ")
    spot, files, bot = FORMS[form]
    content = {"file": BOT, "imported": "LAST = -1\n", "package": None, "program": WIRE}.get(form, "secret\n")
    for kind in KINDS:
        place = tmp_path / kind
        place.mkdir()
        monkeypatch.chdir(place)
        for name, text in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        if door == "submit":
            say("league", "new", "cup", "--game", "vole")
        put(kind, Path(spot), content)
        done = hand_in(door, bot, spot if form == "reads" else "")
        told = done.stdout + done.stderr
        own = ("nothing", "hard") if form in NAMED else ("nothing", "hard", "inside", "folder inside")
        is_taken = kind in own and (form, kind) != ("imported", "folder inside")
        if form == "in a program's folder" and door != "submit":  # where programs are their words alone
            is_taken = True
        assert (done.returncode in (0, 3), "Traceback" in told) == (is_taken, False), (kind, told)
        copies = [path.read_text(errors="replace") for path in place.glob("results/cup/bots/**/*") if path.is_file()]
        if is_taken and door == "submit":
            assert (BOT if "folder" in kind else content) in (None, *copies), kind
        elif not is_taken:
            assert Path(spot).name.removesuffix(".py") in told, (kind, told)
            assert done.returncode == (1 if door == "check" else 2) or form == "imported", (kind, told)
            assert not any(["secret" in text for text in copies]), kind


@pytest.fixture
def cup(tmp_path, monkeypatch):
    """A league in the working folder."""
    monkeypatch.chdir(tmp_path)
    say("league", "new", "cup", "--game", "vole")
    return tmp_path / "results" / "cup"


def submit(bot, name, *options, code=0):
    return say("league", "submit", "cup", bot, "--as", name, *options, code=code)


def test_a_program_takes_no_other_bot_of_its_folder_along_and_equal_bots_are_told(cup):
    inbox = Path("inbox")
    inbox.mkdir()
    (inbox / "ann.py").write_text(BOT)
    (inbox / "ben.py").write_text(WIRE)
    one_line(submit("python3 inbox/ben.py", "ben", "--command", code=2), 2, "ann.py is another bot in its folder")
    submit("inbox/ann.py:Bot", "ann", "--author", "ann")
    (inbox / "ann.py").rename(inbox / "data.txt")
    one_line(submit("python3 inbox/ben.py", "ben", "--command", code=2), 2, "data.txt", "is ann@1 of another author")
    (inbox / "mal.py").write_text(BOT)
    assert "the same files as ann@1 of another author" in submit("inbox/mal.py:Bot", "mal", "--author", "mal").stdout
    assert {path.parent.name for path in cup.glob("bots/*/*.py")} == {"ann@1", "mal@1"}


@pytest.mark.slow
def test_a_name_is_of_who_first_submitted_it_and_no_refused_bot_takes_a_number(cup):
    file = cup / "tournament.toml"
    file.write_text(file.read_text().replace("bot = []", 'bot = [{ name = "House", use = "steady" }]'))
    for name, text in (("a", BOT), ("b", BOT.replace("-1", "0")), ("bad", BOT.replace("legal[-1]", "None"))):
        Path(f"{name}.py").write_text(text)
    assert "refused ann@1" in submit("bad.py:Bot", "ann", "--author", "Ann@x", code=1).stdout
    for name, *author in (
        ["ann", "--author", "mal"],
        ["ann"],
        ["Ann", "--author", "ann@x"],
        ["house", "--author", "b"],
    ):
        one_line(submit("b.py:Bot", name, *author, code=2), 2, "enter this one under another name")
    assert "added ann@1" in submit("a.py:Bot", "ann", "--author", "ann@X").stdout
    assert "refused ann@2" in submit("bad.py:Bot", "ann", "--author", "ann@x", code=1).stdout
    assert "added ann@2" in submit("b.py:Bot", "ann", "--author", "ann@x").stdout
    assert {event.author for event in read_events(cup) if event.event == "submitted"} == {"Ann@x"}
    assert "added House@1" in submit("b.py:Bot", "House").stdout
    for name in ("-", "--help", ""):
        one_line(submit("a.py:Bot", name, code=2), 2, name)
    for bot in ("", " ", "-"):
        one_line(submit(bot, "x", code=2), 2, f'no bot "{bot}"')
    one_line(say("check", "", code=2), 2, 'no bot ""')
    say("run", ROOT / "configs" / "quick.toml", "--out", "results/cap", "--quiet")
    one_line(say("league", "field", "capp", code=2), 2, "no such league here or under results/; known: cup")
    one_line(say("league", "field", "", code=2), 2, 'no league ""')


@pytest.mark.usefixtures("cup")
@pytest.mark.parametrize("host", mostly_slow(["process", "sandbox"], "process"))
def test_what_lies_beside_a_bot_is_taken_alike_by_leagues_and_runs(host):
    load = "from pathlib import Path\nLAST = int(Path(__file__).with_name('table.txt').read_text())\n"
    for folder in ("file", "folder"):
        Path(folder).mkdir()
        Path(folder, "bot.py").write_text(HELPED)
        Path(folder, "helper.py").write_text(load)
        Path(folder, "table.txt").write_text("-1")
    Path("folder", "__pycache__").mkdir()
    told = submit("file/bot.py:Bot", "file", "--host", host, code=None)
    assert (told.returncode, "copy it with --reads table.txt" in told.stdout) == (1, True)
    assert "helper.py, table.txt" in submit("file/bot.py:Bot", "file", "--host", host, "--reads", "table.txt").stdout
    assert "helper.py" in submit("folder:Bot", "folder", "--host", host).stdout
    tables = f'[[bot]]\nname = "a"\nuse = "file/bot.py:Bot"\nreads = ["file/table.txt"]\nhost = "{host}"\n'
    tables += f'[[bot]]\nname = "b"\nuse = "folder:Bot"\nhost = "{host}"\n'
    Path("t.toml").write_text(tournament_text("t", deals="1", bots="[]", extra=tables))
    say("run", "t.toml", "--quiet")
    assert '"faults":[{' not in Path("results/t/journal.jsonl").read_text()
    Path("file/helper.py").write_text("LAST = 0\n")
    one_line(say("run", "t.toml", "--quiet", "--resume", code=2), 2, "bots.a.sha256")
    Path("folder/other.py").write_text(BOT)
    one_line(submit("folder:Bot", "x", code=2), 2, "name one as folder/FILE.py:NAME")


LOOKS = """
import os
class Bot:
    def act(self, view, legal):
        assert not any([os.path.exists(path) and os.path.getsize(path) for path in HIDDEN])
        return legal[-1]
"""


@pytest.mark.needs("bubblewrap")
@pytest.mark.usefixtures("cup")
@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ('use = "mal/bot.py:Bot"\nreads = ["."]', ""),
        ('use = "mal/bot.py:Bot"\nreads = ["t.toml"]', "t.toml is a tournament file"),
        ('use = "mal/bot.py:Bot"\nreads = ["mal/hard"]', "hard is a tournament file"),
        ('command = ["python3", "mal/bot.py", "mal/hard"]', "hard is a tournament file"),
        ('use = "mal/bot.py:Bot"\nreads = ["ann/bot.py"]', "bot.py belongs to bot ann"),
        ('use = "mal/bot.py:Bot"\nreads = ["mal/own"]', "own belongs to bot ann"),
        ('use = "mal/bot.py:Bot"\nreads = ["results/cup/manifest.json"]', "manifest.json belongs to the run"),
    ],
)
def test_what_is_hidden_wins_over_what_is_shown(keys, told):
    hidden = [os.path.abspath(path) for path in ("t.toml", "results/cup/tournament.toml", "ann/bot.py")]
    for name, text in (("ann", BOT), ("mal", LOOKS.replace("HIDDEN", repr(hidden)))):
        Path(name).mkdir()
        Path(name, "bot.py").write_text(text)
    bots = f'[[bot]]\nname = "ann"\nuse = "ann/bot.py:Bot"\n[[bot]]\nname = "mal"\n{keys}\n[defaults]\nhost = "sandbox"'
    Path("t.toml").write_text(tournament_text("t", deals="1", bots="[]", extra=bots))
    os.link("t.toml", "mal/hard")
    os.link("ann/bot.py", "mal/own")
    done = say("run", "t.toml", "--quiet", code=2 if told else 0)
    assert told in done.stderr
    assert told or '"faults":[{' not in Path("results/t/journal.jsonl").read_text()


def test_too_much_is_refused_before_it_is_copied(cup):
    Path("big").mkdir()
    Path("big", "__init__.py").write_text(BOT)
    with Path("big", "data").open("wb") as file:
        file.truncate(300 << 20)
    one_line(submit("big:Bot", "big", code=2), 2, "max_mb = 100")
    file = cup / "tournament.toml"
    file.write_text(f"max_files = 1\nmax_mb = 400\n{file.read_text()}")
    one_line(submit("big:Bot", "big", code=2), 2, "max_files = 1")
    assert not [*cup.glob("bots/*")]


def left(cup):
    """What is in the folder of submissions, apart from bots that were entered or refused."""
    known = {event.bot for event in read_events(cup)}
    return [path.name for path in cup.glob("bots/*") if path.name not in known]


def test_what_a_killed_submission_leaves_is_gone_with_the_next_command(cup):
    Path("bot.py").write_text(f"import time, os\nif os.path.exists('slow'): time.sleep(60)\n{BOT}")
    Path("slow").touch()
    process = begin(Path(), "submit", "cup", "bot.py:Bot", command="league")
    wait_for(lambda: left(cup))
    say("league", "submit", "cup", "random")
    assert left(cup) == [".bot@1"], "it is still being checked"
    process.send_signal(SIGKILL)
    process.communicate()
    say("league", "pause", "cup", "random")
    assert (left(cup), {event.bot for event in read_events(cup)}) == ([], {"random@1"})
    Path("slow").unlink()
    assert "added bot@1" in submit("bot.py:Bot", "bot").stdout


@pytest.mark.needs("a disk")
@pytest.mark.slow
def test_submissions_on_a_disk_that_fills_leave_nothing_half_done(disk, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(disk)
    chance, entered, ended = random.Random(1), 0, set()
    say("league", "new", "cup", "--game", "vole", "--host", "inline")
    cup = disk / "results" / "cup"
    for bot in ("random", "first"):
        submit(bot, bot)
    for number in range(20):
        bot = tmp_path / f"bot{number}"
        bot.mkdir()
        (bot / "__init__.py").write_text(f"{BOT}# {number}\n")
        (bot / "data").write_bytes(bytes(20_000))
        leave(chance.choice([0, 4096, 8192, 16384, 24576, 32768, 36864, 40960]), disk)
        done = submit(f"{bot}:Bot", f"bot{number}", code=None)
        ended.add(done.returncode)
        assert done.returncode in (0, 4), done.stderr
        if done.returncode:
            one_line(done, 4, "No space left on device")
        entered += not done.returncode
        assert left(cup) == []
        (disk / "ballast").unlink()
    assert ended == {0, 4}
    events = read_events(cup)
    assert [sum([each.event == kind for each in events]) for kind in ("submitted", "entered")] == [entered + 2] * 2
    assert len([*cup.glob("bots/bot*/*/data")]) == entered
    say("league", "play", "cup", "--matches", 20, "--workers", 1, "--quiet")


@pytest.mark.needs("git")
def test_a_commit_with_a_link_out_of_it_has_no_bot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("ann.py").write_text(BOT)
    Path("mine").mkdir()
    for link in (True, False):
        Path("mine/bot.py").unlink(missing_ok=True)
        Path("mine/bot.py").symlink_to("../ann.py") if link else Path("mine/bot.py").write_text(BOT)
        commit(Path("mine"))
    track = ("track", "bot.py:Bot", "--game", "vole", "--repo", "mine", "--deals", 20, "--out", "run", "--workers", 1)
    told = say(*track, code=None)
    assert "is a link to ../ann.py; name what it leads to" in told.stdout + told.stderr
