"""Matches as environments of PettingZoo: its own tests, seeds as deals, points as rewards, and what is refused."""

import contextlib
import copy
import io
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from tests.conftest import ROOT, called, mostly_slow
from tests.environments import installed_wheel
from tests.games.test_plain_game import High
from tests.project.test_docs import check_session, shown_files, write_files
from tourney import config
from tourney._api.pettingzoo import env
from tourney.base.errors import ActionError, ConfigError
from tourney.plugins.registry import game_names, load_game
from tourney.schedule.base import schedule

games = pytest.mark.parametrize("name", mostly_slow(game_names(), "vole"))


@games
@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # it would rather have arrays than dicts
def test_an_environment_passes_the_tests_of_pettingzoo(name):
    with contextlib.redirect_stdout(io.StringIO()):
        for seats in {load_game(name).seats[0], load_game(name).seats[-1]}:
            api_test(env(name, seats=seats), num_cycles=100)
        seed_test(lambda: env(name), num_cycles=50)
        render_test(lambda render_mode: env(name, render_mode=render_mode))


def to_the_end(made) -> dict[str, float]:
    """Plays the match at random; returns the sum of the rewards of each agent."""
    rng, gained = np.random.default_rng(1), dict.fromkeys(made.possible_agents, 0.0)
    for agent in made.agent_iter():
        observation, reward, over, _, _ = made.last()
        gained[agent] += reward
        made.step(None if over else rng.choice(np.flatnonzero(observation["action_mask"])))
    return gained


def test_a_seed_and_its_deals_are_those_of_a_tournament(tmp_path):
    text = 'name = "t"\nseed = 7\ndeals = 3\nbots = ["random", "first"]\n[[game]]\nname = "vole"\n'
    blocks = list(schedule(config.parse(text, tmp_path / "t.toml")).blocks())
    game, made = load_game("vole"), env("vole")
    views = [game.start(2, game.options(2, {}), block.seed).view(1) for block in blocks]
    made.reset(seed=7)
    assert made.view("seat_1") == views[0]
    to_the_end(made)
    made.reset()
    assert made.view("seat_1") == views[1]
    made.reset(seed=8)
    assert made.view("seat_1") != views[0]
    made.reset(seed=7, options={"deal": 2})
    assert made.view("seat_1") == views[2]
    made.reset(seed=np.int64(7), options={"deal": np.int64(2)})
    assert made.view("seat_1") == views[2]
    for options in ({"deal": -1}, {"deal": True}, {"deal": 2.0}, {"deel": 2}):
        with pytest.raises(ConfigError, match="deal"):
            made.reset(seed=8, options=options)
        assert made.view("seat_1") == views[2], "a reset that is refused changes nothing"
    with pytest.raises(ConfigError, match="seed"):
        made.reset(seed=7.5)


@games
def test_a_copy_and_a_pickle_of_an_environment_go_on_alone_to_the_same_end(name):
    made = env(name)
    made.reset(seed=4)
    for _ in range(9):
        made.step(np.flatnonzero(made.observe(made.agent_selection)["action_mask"])[-1])
    ends = [to_the_end(each) for each in (copy.deepcopy(made), pickle.loads(pickle.dumps(made)), made)]
    assert ends[0] == ends[1] == ends[2]
    with pytest.raises(ConfigError, match="over"):
        made.step(0)


@pytest.mark.parametrize(("name", "seats"), [("vole", 2), ("leon", 3)])
def test_the_rewards_are_the_points_of_the_match(name, seats):
    made = env(name, seats=seats)
    made.reset(seed=3)
    gained = to_the_end(made)
    assert sum(gained.values()) == pytest.approx(seats / 2)
    assert 0 <= min(gained.values()) < max(gained.values()) <= 1


def test_who_is_not_to_act_has_no_legal_action_and_an_illegal_one_changes_nothing():
    made = env("vole")
    made.reset(seed=1)
    agent = made.agent_selection
    (other,) = set(made.agents) - {agent}
    assert made.observe(other)["action_mask"].sum() == 0
    mask = made.observe(agent)["action_mask"]
    before = made.view(agent)
    legal = int(np.flatnonzero(mask)[-1])
    for action in (int(np.flatnonzero(mask == 0)[0]), len(mask), -1, None, legal + 0.7, float(legal), "x"):
        with pytest.raises(ActionError, match=f"is not legal for {agent}; choose an action with action_mask 1"):
            made.step(action)
    assert (made.view(agent), made.agent_selection) == (before, agent)


def test_what_is_rendered_is_the_view_and_at_the_end_the_result(capsys):
    made, loud = [env("vole", options={"target": 2}, render_mode=mode) for mode in ("ansi", "human")]
    shown = []
    for each in (made, loud):
        each.reset(seed=1)
        while each.agents:
            shown.append(each.render())
            agent, legal = each.agent_selection, each.observe(each.agent_selection)["action_mask"]
            each.step(None if each.terminations[agent] else int(np.flatnonzero(legal)[0]))
    view = made.view("seat_1").as_dict()
    assert (view["over"], made.rewards, loud.metadata["name"]) == (True, loud.rewards, "tourney_vole")
    texts = [text for text in shown if text is not None]
    assert re.match(r"(?s)vole, seat_1 to act\nseat: 1\nround: 1\nhand: .*\nleader: seat_1\n.*\nlegal: play:", texts[0])
    scores, places = view["scores"], [1 + (view["scores"][i] < view["scores"][1 - i]) for i in (0, 1)]
    over = f"over: seat_0 {scores[0]} (place {places[0]}), seat_1 {scores[1]} (place {places[1]})"
    assert set(texts[-2:]) == {over}
    printed = capsys.readouterr().out
    assert printed.startswith(texts[0] + "\n" + texts[0] + "\n" + texts[1])
    assert printed.endswith(over + "\n")


WRONG = {
    'no render mode "rgb_array"; known: human, ansi': lambda: env("vole", render_mode="rgb_array"),
    "vole is for 2 seats, not 3": lambda: env("vole", seats=3),
    'options of vole: no key "targt"; did you mean "target"': lambda: env("vole", options={"targt": 6}),
    "call reset first": lambda: env("vole").step(0),
    "has no render mode": lambda: (made := env("vole")).reset() or made.render(),
    "high has no observations": lambda: env(High()),
}


@pytest.mark.parametrize("says", WRONG)
def test_wrong_use_is_refused_in_one_line(says):
    with pytest.raises(ConfigError, match=says):
        WRONG[says]()


def test_without_the_extra_the_import_names_it():
    names = "from tourney import *\nimport tourney\nassert not hasattr(tourney, 'pettingzoo')"
    code = f"import sys; sys.modules['pettingzoo'] = None\n{names}\nfrom tourney import pettingzoo"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        "tourney.base.errors.MissingExtraError: tourney.pettingzoo requires pettingzoo; "
        "install it with: pip install 'tourney-cards[pettingzoo]'"
    )


@pytest.mark.slow
@pytest.mark.needs("dev")
def test_the_page_leads_from_the_wheel_to_answers_and_to_bots_that_have_learned(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "train-a-bot.md").read_text(encoding="utf-8")
    write_files(page, tmp_path)
    files = {name: len(text.splitlines()) for name, text in shown_files(page).items()}
    assert files["learned.py"] <= 25
    assert files["clone.py"] + files["cloned.py"] <= 60
    (folder := tmp_path / "environment").mkdir()
    python = installed_wheel(folder, "dev")
    subprocess.run([python, "-c", re.findall(r"```python\n(?!# )(.*?)```", page, re.DOTALL)[0]], check=True)
    monkeypatch.setenv("PATH", f"{python.parent}:{os.environ['PATH']}")
    for commands in re.findall(r"```\n((?:tourney|python) .*?)```", page, re.DOTALL):
        subprocess.run(["bash", "-ec", commands], cwd=tmp_path, check=True, capture_output=True)
    assert check_session("".join(re.findall(r"```\n(\$ .*?)```", page, re.DOTALL)), tmp_path, python.parent) == 1
    for name in ("learned", "cloned"):
        standings = called(["standings", name, "--format", "csv"], tmp_path).stdout
        assert standings.splitlines()[1].startswith(f"1,{name}"), standings
