"""What strangers ask a server about other actions: within bounds, without an entrant's code, and wrong in one line."""

import httpx
import pytest
from starlette.exceptions import HTTPException

from tests.cli.runs import WAIT_S
from tests.conftest import tournament_text
from tests.report.runs import play
from tourney.journal.run import RunFolder
from tourney.plugins.registry import load_game
from tourney.table.replay import Replay
from tourney.web import answers
from tourney.web.serve import Site
from tourney.web.server import address_of, application, listen, serving

MARK = """
from pathlib import Path
Path(r"{}").touch()
class Mark:
    def act(self, view, legal):
        return legal[0]
"""


@pytest.fixture
def ask(tmp_path):
    """Asks a server about a match of a bot that leaves a mark wherever it is loaded."""
    (tmp_path / "marks.py").write_text(MARK.format(tmp_path / "ran"))
    play(tmp_path, t=tournament_text("t", bots='["steady", "marks.py:Mark"]', deals="1"))
    (tmp_path / "ran").unlink()
    listener, said = listen("127.0.0.1", 0), []
    site = Site(tmp_path / "t", tmp_path, said.append)
    app = application(site.routes(), listener)
    app.add_exception_handler(HTTPException, site.miss)
    with serving(app, listener), httpx.Client(base_url=address_of(listener)[0], timeout=WAIT_S) as client:
        yield lambda match="vole-00000-0", what="what-if", **query: client.get(
            f"/runs/t/matches/{match}/{what}", params=query
        )
    assert not (tmp_path / "ran").exists()
    assert said == []


def refused(answer, status, says):
    assert (answer.status_code, answer.text.count("\n")) == (status, 1)
    assert says in answer.text


def test_strangers_get_answers_of_the_standard_policy_within_bounds(ask, tmp_path, monkeypatch):
    (record, *_) = RunFolder(tmp_path / "t").records()
    steps = [step for step in Replay(record, load_game("vole")).steps() if len(step.legal) > 1]
    (one, other), text = [step.decision for step in steps[-2:]], load_game("vole").text
    seat, legal = steps[-2].seat, list(map(text, steps[-2].legal))
    foreign = next(name for name in load_game("vole").names if name not in legal)
    most = record.decisions
    for query, status, says in [
        ({}, 400, f"from 1 to {most}"), ({"decision": "1e9"}, 400, "from 1"), ({"decision": most + 1}, 400, "from 1"),
        ({"decision": one, "action": "play:zz"}, 400, "no such"), ({"decision": one, "seat": 2}, 400, "no such seat"),
        ({"decision": one, "action": foreign}, 400, "is not legal"), ({"match": "v-9-0"}, 404, "no such match"),
        ({"decision": one, "seat": 1 - seat}, 400, "has no choice"),
        ({"decision": one, "match": 'vole-00000-0","game":"vole'}, 404, "no such match"),
        ({"what": "beliefs", "seat": 0, "first": most + 1, "end": most + 9}, 400, "from first to end"),
    ]:  # fmt: skip
        refused(ask(**query), status, says)
    points = ask(decision=one)
    assert sorted(action for action, *_ in points.json()["cost"]["values"]) == sorted(legal)
    assert "steady plays all seats" in points.json()["said"]
    assert ask(decision=one, action=legal[-1]).json()["match"]["places"]
    monkeypatch.setattr(answers, "AT_ONCE", 0)
    assert ask(decision=one).content == points.content
    refused(ask(decision=other), 503, answers.BUSY)
    monkeypatch.setattr(answers, "AT_ONCE", 1)
    monkeypatch.setattr(answers, "KEPT", 1)
    monkeypatch.setattr(answers, "MOST_S", 0)
    refused(ask(decision=other), 503, answers.SLOW)
    refused(ask(decision=one), 503, answers.SLOW)
