"""The page on the wire protocol shows messages as they are."""

import pickle
import re
import socket
import subprocess
import sys
from random import Random

import orjson
import pytest

from tests.hosts.play import ROOT
from tourney.contracts.bot import Clock, Outcome, SeatFacts
from tourney.hosts.faults import as_action
from tourney.hosts.process import protocol
from tourney.plugins.registry import game_names, load_game

PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
SHOWN = [(sign, orjson.loads(text)) for sign, text in re.findall(r"^([<>]) (.*)$", PAGE, re.M)]
VOLE = load_game("vole")
STATE = VOLE.start(2, VOLE.options(2, {}), 1)


def messages_of_a_match() -> dict[str, dict]:
    clock = Clock(lambda: 10.0, 10.0, 0.05, None, False)
    lines = [
        protocol.HELLO,
        protocol.start_message(SeatFacts(VOLE, VOLE.options(2, {}), 2, 0, Random(1), clock), 1),
        protocol.text_act_message(1, STATE.view(0), STATE.legal(), VOLE, clock),
        protocol.end_message(Outcome((18, 11), (1, 2))),
        protocol.RESET,
    ]
    return {message["type"]: message for message in map(orjson.loads, lines)}


def test_every_message_is_shown_with_the_keys_that_it_has():
    messages = messages_of_a_match()
    shown = [message for sign, message in SHOWN if sign == ">"]
    assert {message["type"] for message in shown} == set(messages)
    for message in shown:
        assert list(message) == list(messages[message["type"]])
    start = next(message for message in shown if message["type"] == "start")
    assert list(start["options"]) == list(messages["start"]["options"])
    assert start["clock"] == messages["start"]["clock"]


def test_every_answer_that_is_shown_is_taken():
    for (_, message), (sign, answer) in zip(SHOWN[::2], SHOWN[1::2], strict=True):
        assert sign == "<"
        line = orjson.dumps(answer)
        if "fault" in answer:
            continue
        found = protocol.parse_answer(line, message["type"])
        if message["type"] == "act":
            chosen = protocol.parse_choice(found, message["decision"], VOLE, python=False)
            assert as_action(chosen, len(VOLE.names)) is not None
            assert answer["action"] in message["legal"]


def test_in_the_python_form_a_question_is_pickled_and_has_the_keys_of_the_text_form():
    clock = Clock(lambda: 9.5, 10.0, 0.05, None, False)
    line, _, pickled = protocol.QuestionWriter().act_message(3, STATE.view(0), STATE.legal(), clock).partition(b"\n")
    message = pickle.loads(pickled)
    assert line.decode() == f"{len(pickled)} new"
    assert list(message) == list(messages_of_a_match()["act"])
    assert message == {"type": "act", "decision": 3, "view": STATE.view(0), "legal": STATE.legal(), "left_ms": 9500}
    answer = protocol.parse_answer(b'{"type":"act","decision":3,"action":18}', "act")
    assert protocol.parse_choice(answer, 3, VOLE, python=True) == 18


@pytest.mark.parametrize("name", game_names())
def test_in_the_python_form_a_bot_reads_the_views_of_a_whole_match(name):
    game = load_game(name)
    seats = game.seats[0]
    state = game.start(seats, game.options(seats, {}), 3)
    writers = [protocol.QuestionWriter() for _ in range(seats)]
    readers = [protocol.MessageReader() for _ in range(seats)]
    rng = Random(3)
    while (seat := state.seat) is not None:
        view, legal = state.view(seat), state.legal()
        message, rest = readers[seat].next_message(writers[seat].act_message(1, view, legal)) or ({}, b"")
        assert (message["view"], message["legal"], rest) == (view, legal, b"")
        state.apply(rng.choice(legal))


def test_the_server_plays_a_tournament_as_it_stands(tourney, write, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    text = re.findall(r"```python\n(?!# )(.*?)```", PAGE, re.S)[0].replace("8000", str(port))
    server = subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.DEVNULL)
    try:
        bots = "".join([f'[[bot]]\nname = "{name}"\nurl = "http://127.0.0.1:{port}"\n' for name in ("here", "there")])
        tourney("run", write(bots='["random"]', extra=bots), "--out", "run", "--quiet").check_returncode()
    finally:
        server.kill()
        server.wait()
    assert '"faults":[{' not in (tmp_path / "run" / "journal.jsonl").read_text()
