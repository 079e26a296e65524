"""Environments for one seat, and tables of checkpoints."""

import subprocess
import sys

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import tourney
from tests.conftest import ROOT, called, mostly_slow
from tests.project.test_docs import write_files
from tourney import pettingzoo
from tourney.base.errors import ActionError, ConfigError
from tourney.plugins.registry import game_names, load_game

TOLD = []


class Noisy(tourney.Bot):
    """Plays at random, and notes what it is told."""

    def start(self, facts):
        super().start(facts)
        TOLD.append((facts.seat, facts.rng.getstate()))

    def act(self, view, legal):
        return tourney.pick(legal, self.facts.rng)

    def end(self, outcome):
        TOLD.append(outcome)


@pytest.mark.parametrize("name", mostly_slow(game_names(), "vole"))
@pytest.mark.filterwarnings("ignore:.*Not able to test alternative render modes:UserWarning")
def test_an_environment_of_one_seat_passes_the_check_of_gymnasium(name):
    for seats in {load_game(name).seats[0], load_game(name).seats[-1]}:
        check_env(tourney.gym(name, against=["random", "first"], seats=seats))


def played(env, **keys):
    """A match with the last legal action each time: what was observed first, and how it ended."""
    seen, facts = env.reset(**keys)
    over = False
    while not over:
        _, reward, over, truncated, ended = env.step(np.flatnonzero(env.action_masks())[-1])
        assert not truncated
        assert over or (reward, ended) == (0, {})
    assert not env.action_masks().any()
    return seen.tolist(), facts, reward, ended


def test_matches_have_the_deals_of_a_tournament_and_repeat_and_the_seat_moves_on():
    env = tourney.gym("vole", against=[Noisy, "random"], options={"target": 2})
    first, second = played(env, seed=7), played(env)
    assert [facts for _, facts, *_ in (first, second)] == [{"deal": 0, "seat": 0}, {"deal": 1, "seat": 1}]
    both = pettingzoo.env("vole", options={"target": 2})
    both.reset(seed=7)
    assert first[0] == both.observe("seat_0")["observation"].tolist()
    for seen, _, reward, ended in (first, second):
        assert reward in (0, 0.5, 1)
        assert len(seen) == env.observation_space.shape[0]
        assert len(ended["scores"]) == len(ended["places"]) == 2
    assert first[2] == {1: 1.0, 2: 0.0}.get(first[3]["places"][0], 0.5)
    told, TOLD[:] = [*TOLD], []
    assert told[0][0] == 1
    assert (told[1].scores, told[1].places) == (first[3]["scores"], first[3]["places"])
    assert told[2][0] == 0, "it sits in both of the first two deals"
    assert played(env, seed=7) == first
    assert played(env, options={"deal": 1}) == second
    assert TOLD[0] == told[0]
    played(env)
    assert len(TOLD) == 4, "the other bot sits in the third deal"
    fixed = tourney.gym("vole", against=["random"], seat=1)
    assert [fixed.reset()[1]["seat"] for _ in range(3)] == [1, 1, 1]


def test_an_illegal_action_loses_the_match_and_what_a_bot_raises_is_raised():
    env = tourney.gym("vole", against=["random"])
    env.reset(seed=1)
    assert env.view().seat == 0
    for wrong in (-1, None, 0.5, len(env.game.names)):
        with pytest.raises(ActionError, match="is not an action"):
            env.step(wrong)
    _, reward, over, _, ended = env.step(np.flatnonzero(~env.action_masks())[0])
    assert (reward, over, ended) == (0.0, True, {"fault": "illegal"})
    with pytest.raises(ConfigError, match="call reset"):
        env.step(0)

    def fails(act):
        return type("Fails", (), {"act": act})

    with pytest.raises(ZeroDivisionError):
        played(tourney.gym("vole", against=[fails(lambda self, view, legal: 1 / 0)]), seed=1)
    with pytest.raises(ActionError, match="bot Fails: answered None, which is not legal in seat 1 of deal 0"):
        played(tourney.gym("vole", against=[fails(lambda self, view, legal: None)]), seed=1)
    for keys, says in (
        ({"seat": 2}, "seat: expected"),
        ({"against": []}, "against: expected"),
        ({"seats": 3}, "2 seats"),
    ):
        with pytest.raises(ConfigError, match=says):
            tourney.gym("vole", **({"against": ["random"]} | keys))


@pytest.mark.needs("dev")
def test_a_folder_of_checkpoints_is_entered_in_order_and_gives_its_payoffs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    for step in (100, 20, 3):
        (tmp_path / "runs" / f"step_{step}.json").write_text(str(step))

    def load(file):
        with open(file) as text:
            step = int(text.read())
        return type("Step", (), {"act": lambda self, view, legal: legal[-1] if step == 100 else None})()

    keys = {"load": load, "games": [{"name": "vole", "options": {"target": 2}}], "deals": 2, "workers": 1}
    frame = tourney.checkpoints("runs/", "*.json", against=["random"], **keys)
    assert [*frame.index] == [*frame.columns] == ["step_3", "step_20", "step_100", "random"]
    assert frame.loc["step_100", "step_3"] == 1, "which faults"
    assert frame.loc["step_3", "step_20"] == frame.loc["step_20", "step_20"] == 0.5
    assert frame.loc["random", "step_100"] == pytest.approx(1 - frame.loc["step_100", "random"])
    assert frame.attrs["faults"] == {"step_3": 12, "step_20": 12}
    run = tourney.load(frame.attrs["run"])
    assert run.payoffs().equals(frame)
    (tmp_path / "runs" / "step_3.json").write_text("100")
    with pytest.raises(tourney.RunError, match="force"):
        tourney.checkpoints("runs/", "*.json", against=["random"], resume=True, **keys)
    with pytest.raises(ConfigError, match=r"runs: no file matches \*.pt"):
        tourney.checkpoints("runs", "*.pt", **keys)


@pytest.mark.slow
@pytest.mark.needs("sb3-contrib")
def test_the_page_leads_to_checkpoints_that_play_without_faults(tmp_path):
    write_files((ROOT / "docs" / "train-a-bot.md").read_text(encoding="utf-8"), tmp_path)
    for file in ("ppo.py", "payoffs.py"):
        done = subprocess.run([sys.executable, file], cwd=tmp_path, check=True, capture_output=True, text=True)
    names = ["ppo_10240_steps", "ppo_20480_steps", "random"]
    assert [line.split()[0] for line in done.stdout.splitlines()] == [names[0], *names]
    assert called(["matches", "checkpoints-runs", "--faults"], tmp_path).stdout == ""
