"""The workers of a cluster come, go, lose tasks and differ, in an order that the test chooses."""

import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from tests.cli.runs import alive, wait_for
from tests.conftest import with_code
from tests.runner.cluster.test_runs import MIXED, mixed
from tourney import config
from tourney.base.errors import ClusterLostError, GameError, RunError, SystemLimitError, TourneyError
from tourney.cli.render import progress
from tourney.contracts.match import Fault
from tourney.hosts import linux
from tourney.hosts.process.spawner import LOG_BYTES
from tourney.runner.cluster import cluster, player
from tourney.runner.cluster.messages import REPLIES, Played, Ready, Refused, encode, machine_facts
from tourney.runner.cluster.scheduler import Answer, Event
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.local import LocalPool
from tourney.runner.pool.ordered import Machines, OrderedPool, TaskQueue
from tourney.schedule.base import schedule

LOST = None, None
READY = "ready"
ERRORS = {
    "refused": ([(encode(Refused("desk", "ConfigError", "no bot")), None)], RunError, "desk: no bot"),
    "a limit": ([(encode(Refused("desk", "SystemLimitError", "full")), None)], SystemLimitError, "desk: full"),
    "nothing there": ([(None, ImportError("none\nat all"))], RunError, "a: cannot play (ImportError: none); install"),
    "no scheduler": ([None], ClusterLostError, "tcp://here:1: lost the connection to the scheduler"),
    "no worker": (["silence"], ClusterLostError, "tcp://here:1: no workers for 0.2 s; start some"),
    "a game fails": ([READY, (encode(Refused("desk", "GameError", "it fails")), None)], GameError, "it fails"),
    "a bug": ([READY, (None, ValueError("odd"))], RunError, "HOST: cannot play (ValueError: odd); install"),
    "losses": ([READY, LOST] * 10, RunError, "lost 10 workers with the same task, the last on HOST; check"),
    "all gone": ([READY, "gone"], ClusterLostError, "tcp://here:1: no workers for 0.2 s; start some"),
}


class Wire:
    """A connection whose workers are played by this process, which calls their functions when it is asked for events.

    `replies` gives what a worker replies instead, by its address and how often such a function was called, or what to
    make of its reply.
    """

    def __init__(self, present: dict[str, int], replies: Callable[[str, str, int], object] = lambda *_: ...) -> None:
        self.present = present
        self.replies = replies
        self.calls: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.late: list[Answer] = []
        self.closed = False
        self._waiting: dict[int, tuple] = {}
        self._known: dict[str, int] = {}
        self._asked = 0

    def close(self) -> None:
        self.closed = True

    def dashboard(self) -> str:
        return "http://here:2"

    def ask(self, address: str, function, *arguments) -> int:
        self._asked += 1
        self._waiting[self._asked] = address, function, arguments
        self.most |= Counter(each for each, *_ in self._waiting.values())
        return self._asked

    def forget(self, number: int) -> None:
        self.late.append(Answer(number, None))
        del self._waiting[number]

    def events(self, _timeout_s: float) -> Iterator[Event]:
        if self.present != self._known:
            self._known = dict(self.present)
            yield self._known
        yield from self.late
        for number, (address, function, arguments) in list(self._waiting.items())[:1]:
            self.calls[function.__name__] += 1
            reply = self.replies(address, function.__name__, self.calls[function.__name__])
            if reply is None:
                yield None
            elif reply == "silence":
                continue
            elif number in self._waiting:
                del self._waiting[number]
                change = reply if callable(reply) else bytes
                yield Answer(number, *(reply if isinstance(reply, tuple) else (change(function(*arguments)), None)))


@pytest.fixture
def connected(tmp_path, monkeypatch):
    def connected(wire: Wire, say=print, more: str = MIXED, **keys) -> tuple[cluster.Cluster, config.Tournament]:
        monkeypatch.setattr(cluster, "Connection", lambda address, _: {"tcp://here:1": wire}[address])
        tournament = config.read(mixed(tmp_path, more))
        return cluster.Cluster("tcp://here:1", tournament, say, **keys), tournament

    yield connected
    player.prepare(b"")  # ends the process of the last tournament


def played(pool: OrderedPool, tournament: config.Tournament) -> bytes:
    pool.show_prints = [].append
    with pool:
        return b"".join([done.lines for done in pool.play(schedule(tournament).blocks()) if done is not None])


@pytest.mark.slow
def test_every_match_is_played_once_whatever_becomes_of_the_workers(connected, tmp_path, monkeypatch):
    def replies(address: str, function: str, count: int) -> object:
        if function == "prepare" and (count == 1 or address == "limited"):
            return LOST if count == 1 else (encode(Refused("desk", "SystemLimitError", "no room")), None)
        if function == "prepare" and address.startswith("other"):
            return encode(Ready(replace(facts, host="desk", missing=["no bot", "no game"]))), None
        if function == "do":
            wire.present = later.get(count, wire.present)
            for process in set(linux.own_children()) - before if count in (10, 14) else ():
                killed = next(linux.descendants(process)) if count == 10 else process
                os.kill(killed, signal.SIGKILL)  # what starts the worker of a process, or else the process
                wait_for(lambda: not alive(killed))  # noqa: B023 - it is called at once
        return LOST if (function, count) == ("do", 1) else ...

    later = {5: {"a": 2}, 8: {"a": 2, "limited": 1, "other": 1, "other too": 1}, 18: {"a": 2, "other too": 1, "e": 1}}
    record_time = TaskQueue.record_time  # below, of a machine whose speed is known
    monkeypatch.setattr(TaskQueue, "record_time", lambda queue, blocks, _: record_time(queue, blocks, 0.01 * blocks))
    said: list[str] = []
    before = set(linux.own_children())
    wire = Wire({"a": 2, "b": 1}, replies)
    connecting, tournament = connected(wire, said.append)
    facts, matches = machine_facts(tournament), schedule(tournament).size().matches
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "apart.txt").write_bytes(b"." * (LOG_BYTES - 9))
    with connecting as there:
        assert (there.slots, [worker.host for worker in there.ready]) == (3, [facts.host] * 2)
        pool = cluster.ClusterPool(tournament, there, FaultMonitor(tournament, matches), tmp_path / "logs")
        found = played(pool, tournament)
        assert pool.machines == Machines(1, 2, 1), "of those that were lost, one had been admitted"
    assert wire.closed
    assert found == played(LocalPool(tournament, 1, FaultMonitor(tournament, matches), tmp_path), tournament)
    assert said == [f"desk: {why}; this worker gets no matches" for why in ("no room", "no bot (and 1 more)")]
    assert (wire.most["a"], wire.most["b"]) == (4, 2), "each has as many tasks as it does, and as many in reserve"
    assert (tmp_path / "logs" / "apart.txt").stat().st_size == LOG_BYTES


def test_a_machine_where_a_bot_fails_alone_is_refused_and_nobody_is_charged(connected, tmp_path):
    def spoilt(data: bytes) -> bytes:
        """The reply of a machine without something that steady needs."""
        result, lines, results = REPLIES.decode(data).result, [], []
        for line, (scores, places, faults) in zip(result.lines.splitlines(True), result.results, strict=True):
            seats = json.loads(line)["seats"]
            charged = [Fault(at, "error", 1, None, "ImportError") for at, name in enumerate(seats) if name == "steady"]
            lines.append(b"spoilt\n" if charged else line)
            results.append((scores, places, (*faults, *charged)))
        return encode(Played(result._replace(lines=b"".join(lines), results=results)))

    def replies(address: str, function: str, _: int) -> object:
        if function == "prepare":
            return lambda _: encode(Ready(replace(facts, host=address)))
        return spoilt if address == "poor" else ...

    said: list[str] = []
    fails = '[[bot]]\nname = "raises"\nuse = "bots.py:RaisesLater"'
    connecting, tournament = connected(Wire({"poor": 2, "a": 1, "b": 1}, replies), said.append, fails)
    facts, matches = machine_facts(tournament), schedule(tournament).size().matches
    with connecting as there:
        found = played(cluster.ClusterPool(tournament, there, FaultMonitor(tournament, matches)), tournament)
        assert [worker.address for worker in there.ready] == ["a", "b"], "raises fails everywhere"
    assert found == played(LocalPool(tournament, 1, FaultMonitor(tournament, matches), tmp_path), tournament)
    (line,) = said
    assert line.startswith("poor: bot steady fails there (error: ImportError) and not on ")


@pytest.mark.parametrize("case", ERRORS)
def test_what_ends_a_run_on_a_cluster_is_one_line(case, connected):
    script, kind, says = ERRORS[case]

    def replies(*_: object) -> object:
        reply = left.pop(0) if len(left) > 1 else left[0]
        if reply == "gone":
            wire.present = {}
            return LOST
        return (encode(Ready(facts)), None) if reply == READY else reply

    left, wire = list(script), Wire({"a": 1}, replies)
    connecting, tournament = connected(wire, patience_s=0.2)
    facts = machine_facts(tournament)
    with pytest.raises(TourneyError) as error, connecting as there:
        played(cluster.ClusterPool(tournament, there), tournament)
    assert type(error.value) is kind
    assert str(error.value).startswith(says.replace("HOST", facts.host))
    assert wire.closed


def test_a_worker_that_does_not_answer_is_not_waited_for_long(connected):
    wire = Wire({"a": 1, "silent": 1}, lambda address, *_: "silence" if address == "silent" else ...)
    with connected(wire, patience_s=0.2)[0] as there:
        assert [worker.address for worker in there.ready] == ["a"]


def test_commands_do_the_same_on_a_cluster_and_name_its_dashboard(write, tourney, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "Connection", lambda *_: Wire({"a": 2}))
    monkeypatch.setattr(progress, "PLAIN_S", 0.0)
    found: list[dict[str, bytes]] = []
    for out, more in (("here", []), ("there", ["--workers", "tcp://here:1"])):
        (tmp_path / out).mkdir()
        gate = ["gate", "steady", "--against", "random", "--game", "vole", "--max-deals", "9", "--out", f"{out}/gate"]
        analyse = ["analyse", f"{out}/run", "vole-1-0", "--playouts", "4"]
        for command in (["run", write(), "--out", f"{out}/run"], gate, analyse):
            done = with_code(tourney(*command, *more), 3 if command is gate else 0)
            assert ("dashboard: http://here:2" in done.stderr.splitlines()) == bool(more)
            assert ("cluster 1 machines, 1 workers, " in done.stderr) == (bool(more) and command is not analyse)
        files = ("run/journal.jsonl", "run/analysis.jsonl", "gate/journal.jsonl", "gate/gate.json")
        found.append({file: (tmp_path / out / file).read_bytes() for file in files})
    player.prepare(b"")
    assert found[0] == found[1]
