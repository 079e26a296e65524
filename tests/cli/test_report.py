"""`tourney report`: where the page goes, what is refused, how it is renewed during a run; several runs together."""

import re
import subprocess
import sys
from hashlib import sha256

import orjson
import pytest

from tests.cli.runs import WAIT_S, Held, begin, cut, journal, one_line, wait_for
from tests.conftest import called, tournament_text, with_code
from tests.report.runs import begun, play
from tourney.journal.folder import read_manifest

VOLE = {"deals": "2", "game": '[[game]]\nname = "vole"\nweight = 3'}
LEON = '[[game]]\nname = "leon"\nseats = 2\noptions = { max_cards = 2 }'
GAMES = {
    "two": VOLE,
    "three": {"deals": "2", "format": '"swiss"', "rounds": "1", "game": '[[game]]\nname = "voleur"\nseats = 3'},
    "climb": {"format": '"ladder"', "max_matches": "100", "game": LEON},
    "fewer": {"bots": '["random", "steady"]', "game": LEON},
    "again": VOLE,
    "other": {"bots": '["random", "steady"]', "bot": '[{ name = "first", use = "random" }]', "game": LEON},
}
UNFIT = {
    "climb": "climb: cannot rank a ladder with other runs",
    "fewer": "fewer: first is only in this run or only in two",
    "again": "again: plays vole, like two",
    "other": "other: first differs from the bot in two",
    "gate": "gate: cannot rank a gate with other runs",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return play(tmp_path_factory.mktemp("runs"), "small")


def refresh_of(file):
    """After how many seconds a page loads itself again; None if it does not."""
    return orjson.loads(file.read_text(encoding="utf-8").split('id="data">')[1].split("</script>")[0])["refresh"]


def test_what_is_given_away_tells_no_seed_by_which_others_still_play(folder):
    """Of a run that is over, the page does if it is asked to, and so do exports; of others, nothing does."""
    seed = read_manifest(folder / "small")["tournament"]["seed"]
    deals = {orjson.loads(line)["seed"] for line in journal(folder / "small").splitlines()}
    called(["run", "small.toml", "--extend", "small", "--out", "league", "--quiet"], folder)
    begun(folder / "small", 20, "begun")
    for run in ("small", "begun", "league"):
        ask, site = ["report", run, "--matches", "1", "--out", "new/folder/"], folder / "new" / "folder"
        assert called(ask, folder).returncode == 0
        given = "".join([page.read_text(encoding="utf-8") for page in site.rglob("*.html")])
        given += called(["export", run, "--format", "csv"], folder).stdout
        assert sha256(seed.encode()).hexdigest() in given
        with_seed, match = called([*ask, "--with-seed"], folder), called(["export", run, "vole-0-0"], folder)
        if run == "small":
            assert seed in (site / "index.html").read_text(encoding="utf-8")
            assert match.returncode == 0
        else:
            one_line(with_seed, 2, f"{run}: ", "secret")
            one_line(match, 2, f"{run}: ", "secret")
        assert {each for each in (seed, *deals) if each in given} == (deals if run == "small" else set())


def test_a_folder_has_the_viewer_once(folder):
    assert called(["report", "small", "--matches", "5", "--out", "several/"], folder).returncode == 0
    *pages, script = [
        file.read_text() for file in (*(folder / "several/matches").iterdir(), folder / "several/viewer.js")
    ]
    assert ["class Viewer" in text for text in (*pages, script)] == [False] * 5 + [True]


def test_the_pictures_alone_are_written_into_a_folder(folder):
    told = called(["report", "small", "--format", "svg"], folder).stdout
    pictures = {str(file.relative_to(folder)): file.read_text() for file in (folder / "small/pictures").iterdir()}
    assert set(re.findall(r"(?m)^wrote (\S+\.svg): \w", told)) == pictures.keys() != set()
    assert all(picture.startswith("<svg") for picture in pictures.values())


def without(folder, modules, *arguments):
    """`tourney report` where some modules are not installed."""
    code = f"import sys; sys.modules |= dict.fromkeys({modules})\nfrom tourney.cli.main import run\nrun()"
    command = [sys.executable, "-c", code, "report", "small", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("modules", "form", "extra", "names"),
    [
        (("altair", "vl_convert"), "html", "report", "altair"),
        (("altair", "vl_convert"), "svg", "pictures", "altair, vl-convert"),
        (("", "vl_convert"), "png", "pictures", "vl-convert"),
    ],
)
def test_without_an_extra_it_says_how_to_install_it(folder, modules, form, extra, names):
    done = without(folder, modules, "--format", form)
    one_line(done, 2, f" {names}; ", f"pip install 'tourney-cards[{extra}]'")


@pytest.mark.slow
def test_pages_are_written_without_the_extra_for_pictures_and_link_to_none(folder):
    def written(modules, to):
        with_code(without(folder, modules, "--matches", "1", "--out", to), 0)
        pages = sorted((folder / to).rglob("*.html"))
        shown = ["og:image" in page.read_text(encoding="utf-8") for page in pages]
        return set(shown), (folder / to / "picture.png").exists()

    assert written(("", "vl_convert"), "bare/") == ({False}, False)
    assert written(("", ""), "full/") == ({True}, True)


def test_a_page_names_the_licences_of_the_scripts_that_draw_its_charts(folder):
    assert called(["report", "small", "--out", "page.html"], folder).returncode == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    (version,) = re.findall(r"Vega-Lite (\d+)\.", page)
    assert f"vega-lite/v{version}." in page
    assert "University of Washington Interactive Data Lab" in page
    assert "Redistributions in binary form must reproduce the above copyright notice" in page


@pytest.mark.slow
def test_a_page_is_renewed_until_the_run_ends(tmp_path):
    text = tournament_text("held", deals="3", bots=f'["{Held.BOT}", "random"]')
    (tmp_path / "held.toml").write_text(text, encoding="utf-8")
    held = Held(tmp_path, "held.toml", "--out", "held", "--quiet")
    watching = begin(tmp_path, "held", "--watch", command="report")
    page = tmp_path / "held" / "report.html"
    wait_for(lambda: page.exists() or watching.poll() is not None)
    assert refresh_of(page) > 0
    assert held.finish().returncode == 0
    printed, errors = watching.communicate(timeout=WAIT_S)
    assert watching.returncode == 0, errors
    assert re.match(r"wrote held/report.html \((\d+ kB|\d\.\d MB)\); ", printed)
    assert errors.count("held/report.html") == 1
    assert refresh_of(page) is None
    assert not list(page.parent.glob("*.new"))


def test_each_game_weighs_in_one_table_and_on_one_page_what_its_file_says(tmp_path):
    folder = play(tmp_path, **{name: tournament_text(name, **GAMES[name]) for name in ("two", "three")})

    def shares(*names):
        table = orjson.loads(called(["standings", *names, "--format", "json"], folder).stdout)
        return {row["bot"]: (row["points_percent"], row["matches"]) for row in table}

    two, three, both = shares("two"), shares("three"), shares("two", "three")
    for bot, (percent, matches) in both.items():
        assert percent == pytest.approx((3 * two[bot][0] + three[bot][0]) / 4, abs=1e-3)
        assert matches == two[bot][1] + three[bot][1]
    assert shares("two", "three", "--game", "vole") == two
    cut(folder / "three", -1)
    matches = sum([len(journal(folder / name).splitlines()) for name in ("two", "three")])
    told = called(["standings", "two", "three"], folder).stderr
    assert told.startswith(f"incomplete: {matches} of {matches + 1} matches")
    one_line(called(["report", "two", "three"], folder), 2, "several runs", "--out")
    assert called(["report", "two", "three", "--out", "both.html"], folder).returncode == 0
    page = (folder / "both.html").read_text(encoding="utf-8")
    assert re.search("2 runs", page)
    assert {"vole-00000-0", "voleur-00000-0"} <= set(re.findall(r"vole\w*-0+-0", page))


def test_runs_that_do_not_fit_are_refused(tmp_path):
    folder = play(tmp_path, **{name: tournament_text(name, **GAMES[name]) for name in GAMES if name != "three"})
    gate = "gate steady --against random --game leon:2 --max-deals 2 --out gate --quiet"
    assert called(gate.split(), folder).returncode in (0, 1, 3)
    for name, says in UNFIT.items():
        one_line(called(["standings", "two", name], folder), 2, says)
        one_line(called(["report", "two", name, "--out", "both.html"], folder), 2, says)
