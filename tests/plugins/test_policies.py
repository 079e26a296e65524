"""Policies of other distributions: searches find them by the name of the game, wherever the bot runs."""

import json
from importlib import import_module
from math import nan
from pathlib import Path

import pytest

from tests.conftest import mostly_slow, with_plugins
from tourney.base.errors import PluginError
from tourney.contracts.policies import Policy, check_policy
from tourney.plugins.registry import load_game, load_policy

GAME = Path(__file__).with_name("coins.py").read_text(encoding="utf-8")
POLICY = '''
from pathlib import Path

from tourney import Policy


class Modest(Policy):
    """Takes nothing, and is sure of that."""

    name = "coins"

    def act(self, view, legal):
        return 0

    def settles(self, view):
        return True
'''
GAME_ENTRY = "[tourney.games]\ncoins = coins:Coins\n"
POLICY_ENTRY = "[tourney.policies]\ncoins = modest:Modest\n"
RUN = """
name = "t"
seed = 1
deals = 1
bots = ["first"]
[[bot]]
name = "seer"
options = { playouts = 40 }
host = "HOST"
[[game]]
name = "coins"
"""


@pytest.fixture
def coins(plugin, tmp_path):
    """Runs a command where the game is installed, and, from `policy()` on, its policy."""
    plugin("coins-game", GAME_ENTRY, coins=GAME)

    class Installed:
        def policy(self, distribution="coins-policy", module="modest", text=POLICY):
            plugin(distribution, POLICY_ENTRY.replace("modest", module), **{module: text})

        def run(self, *arguments, host="inline", game="coins"):
            (tmp_path / "t.toml").write_text(RUN.replace("HOST", host).replace("coins", game))
            return with_plugins(tmp_path, "run", "t.toml", "--out", "run", "--quiet", *arguments)

        def scores_of_seer(self):
            shown = with_plugins(tmp_path, "standings", "run", "--format", "json").stdout
            return next(row["mean_score"] for row in json.loads(shown) if row["bot"] == "seer")

    return Installed()


@pytest.mark.parametrize("host", ["inline", pytest.param("sandbox", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_seer_finds_the_policy_of_another_distribution_and_goes_on_with_no_other(coins, host):
    assert coins.run(host=host).returncode == 0
    assert coins.scores_of_seer() > 2, "without a policy it takes coins"
    assert coins.run("--resume", host=host).returncode == 0
    coins.policy()
    refused = coins.run("--resume", host=host)
    assert refused.returncode == 2
    assert "games.coins" in refused.stderr
    assert coins.run("--overwrite", host=host).returncode == 0
    assert coins.scores_of_seer() == 0


CANNOT_BE_USED = {
    "two for a game": ("name = 'coins'", "provided by a-policy and b-policy; uninstall or rename one"),
    "another name": ("name = 'coin'", 'write name = "coins"'),
    "no policy": ("", "modest:Modest is not a subclass of"),
    "an exception": ("1 / 0", "ZeroDivisionError: division by zero; fix or uninstall it (line 10 of modest.py)"),
    "no playouts": ("name = 'coins'; playouts = 0", "playouts is 0: Expected `int` >= 1"),
}


@pytest.mark.parametrize("case", mostly_slow(CANNOT_BE_USED, "two for a game", "another name"))
def test_a_policy_that_cannot_be_used_is_refused_before_anything_is_played(coins, tmp_path, case):
    line, says = CANNOT_BE_USED[case]
    text = POLICY.replace('name = "coins"', line)
    coins.policy("a-policy", text=text.replace("(Policy)", "") if case == "no policy" else text)
    if case == "two for a game":
        coins.policy("b-policy", "modest2")
    refused = coins.run()
    assert refused.returncode == 2
    assert says in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_faulty_policy_of_a_game_does_not_matter_to_tournaments_of_others(coins):
    coins.policy(text="1 / 0")
    played = coins.run(game="vole")
    assert (played.returncode, played.stderr) == (0, "")


class Seen(Policy):
    """A policy whose attributes a test sets."""

    name = "vole"

    def act(self, view, legal):
        return legal[0]


@pytest.mark.parametrize(
    ("name", "value"), [("playouts", 0.5), ("horizon", 0), ("draws", True), ("gate", -1), ("drop", nan), ("chance", 2)]
)
def test_what_a_policy_sets_for_a_match_is_checked(name, value):
    policy = Seen(None)
    setattr(policy, name, value)
    with pytest.raises(PluginError, match=f'^policy "vole": Seen: {name} is .*: Expected'):
        check_policy(policy)
    check_policy(type("Computed", (Seen,), {name: property(lambda self: 1)})(None))


NUMBERED = {
    "bang": "anticipate wait bang hold",
    "cold-blooded": "draw pass trade:0 sniper:0 knife:0 bomb uprising accept decline shell sacrifice stay hide "
    "say:nothing say:guard accuse=say:accuse:0 trust=say:trust:0",
    "leon": "leon=leon:2c bare=leon bid=bid:0 trump=trump:c confess",
}
"""The actions that policies have by number, with the names of the constants where these are others."""


@pytest.mark.parametrize("game", NUMBERED)
def test_the_actions_that_a_policy_has_by_number_are_those_of_its_game(game):
    known = vars(import_module(load_policy(game).__module__))
    for each in NUMBERED[game].split():
        constant, _, action = each.rpartition("=")
        constant = constant or action.removesuffix(":0").replace(":", "_")
        assert known[constant.upper()] == load_game(game).action(action), each
