"""What a tournament's deals can tell, before it is played."""

import re

from tests.conftest import with_code


def told(result) -> tuple[int, int]:
    """The deals and the Elo of the line."""
    deals, elo = re.search(r"(\d+) deals tell bots apart that differ by (\d+) Elo, in four", result.stdout).groups()
    return int(deals), int(elo)


def test_a_dry_run_says_what_its_deals_tell_and_how_many_tell_more(tourney, write):
    dry = ("--dry-run", "--workers", 1)
    wide = with_code(tourney("run", config := write(deals="50"), *dry))
    assert told(wide)[0] == 50
    assert "last field" not in wide.stdout
    with_code(tourney("run", config, "--quiet"))
    assert re.search(
        r"; [12] neighbours? of the last field lies? closer", " ".join(tourney("run", config, *dry).stdout.split())
    )
    needed = with_code(tourney("run", config, *dry, "--resolve", 20)).stdout.splitlines()[-1]
    deals = int(needed.rpartition(" = ")[2])
    assert told(with_code(tourney("run", write(deals=str(deals)), *dry))) == (deals, 20)
    assert told(with_code(tourney("run", write(deals=str(deals // 2)), *dry)))[1] > 20
    knockout = write("cup", format='"knockout"')
    assert "tell" not in with_code(tourney("run", knockout, *dry)).stdout
    refused = with_code(tourney("run", knockout, *dry, "--resolve", 20), 2).stderr
    assert "in a knockout" in refused
