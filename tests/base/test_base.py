"""What everything else rests on: messages of errors, files, streams, plain data into structs, and deadlines."""

import errno
import os
import pickle
import subprocess
import sys
from contextlib import suppress
from typing import Annotated, Literal

import msgspec
import pytest

from tourney.base import errors, files, validation
from tourney.base.deadline import deadline
from tourney.base.errors import ConfigError, GameError

NAMES = [f"name-{number:02}" for number in range(23)]


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    size: Annotated[int, msgspec.Meta(ge=1)]
    """How large,
    in all."""
    mode: Literal["fast", "slow"] = "fast"


class Other(msgspec.Struct):
    colour: str = "red"


def refusal(data: dict) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        validation.read(Inner, data, "f", "t")
    return caught.value


@pytest.mark.parametrize(
    ("say", "given", "said"),
    [
        (errors.did_you_mean, ("stedy", ["steady", "random"]), 'did you mean "steady"?'),
        (errors.did_you_mean, ("x", NAMES[:20]), f"known: {', '.join(NAMES[:20])}"),
        (errors.did_you_mean, ("x", NAMES[::-1]), f"known: {', '.join(NAMES[:20])} and 3 more"),
        (errors.did_you_mean, ("x", []), "none are available"),
        (ConfigError, ("a\nb\x1bé",), "a\\nb\\x1bé"),
        (ConfigError, ("a" * 5000,), "a" * 5000),
        (ConfigError, ("a" * 2500 + "b" + "c" * 2500,), "a" * 2500 + " … " + "c" * 2500),
        (errors.printable, ("a b/c_.-é" + "x" * 80,), "a?b?c_.-é" + "x" * 71),
        (errors.type_name, (3,), "int"),
        (errors.system_limit, (OSError(errno.EMFILE, ""), "it"), "it: too many open files; allow more"),
        (errors.system_limit, (MemoryError(), "it"), "it: the system has no memory left"),
        (errors.system_limit, (RuntimeError("can't start new thread"), "it"), "it: the system allows no more proc"),
        (errors.system_limit, (RuntimeError("else"), "it"), "None"),
        (errors.system_limit, (OSError(errno.EPERM, ""), "it"), "None"),
        (errors.named_limit, (f"ld.so: {os.strerror(errno.ENFILE)}", "it"), "it: the whole system has too many open"),
        (errors.named_limit, ("else", "it"), "None"),
        (errors.cannot_write, ("f", OSError(errno.ENOSPC, "full")), "f: cannot be written (full); make room"),
        (errors.cannot_write, ("f", OSError("odd"), "removed"), "f: cannot be removed (odd); find out why"),
        (refusal, ({"size": 10**4000},), "f: t.size: number has more than 4000 digits; use a smaller"),
        (refusal, ({"size": 0},), "f: t.size: Expected `int` >= 1"),
        (refusal, ({"size": 1, "mode": "fasd"},), 'f: t.mode: invalid value "fasd"; did you mean "fast"?'),
        (refusal, ({"size": 1, "mode": 3},), "f: t.mode: Expected `str`, got `int`"),
        (refusal, ({"sise": 1},), 'f: t: no key "sise"; did you mean "size"?'),
        (refusal, ({},), 'f: t: missing key "size"'),
    ],
)
def test_messages_say_what_is_wrong(say, given, said):
    assert str(say(*given)).startswith(said)


def test_an_error_keeps_its_exit_code_and_says_how_to_resume_where_a_run_had_begun():
    denied, full = [errors.cannot_write("f", OSError(number, "")) for number in (errno.EACCES, errno.ENOSPC)]
    assert (denied.exit_code, full.exit_code, ConfigError.exit_code) == (2, 4, 2)
    for error, said in ((denied, "allow that; again"), (full, "make room; again"), (ConfigError("no"), "no")):
        with pytest.raises(type(error), match=f"{said}$"), errors.resume_hint("again"):
            raise error
    assert denied.exit_code == 4
    sent = pickle.loads(pickle.dumps(GameError("no end", "vole", "all")))
    assert (str(sent), sent.game, sent.report) == ("no end", "vole", "all")


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    files.write(path, b"old")
    with pytest.raises(TypeError):
        files.write(path, "text")
    link.symlink_to("file")
    assert [each.name for each in sorted(tmp_path.iterdir())] == ["file", "link"]
    with files.output(link) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert (link.is_symlink(), path.read_bytes()) == (True, b"new")
    files.append(path, b"er")
    files.append(tmp_path / "log", b"er")
    assert (path.read_bytes(), (tmp_path / "log").read_bytes()) == (b"newer", b"er")
    with path.open() as mine, path.open() as other:
        assert not files.is_locked(mine.fileno())
        assert files.lock(mine.fileno())
        assert files.is_locked(other.fileno())
        assert not files.lock(other.fileno())


def test_plain_data_is_read_by_the_structs_that_share_it():
    read = validation.read_shared([Inner, Other], {"size": 2, "colour": "blue"}, "f", "t")
    assert read == [Inner(2), Other("blue")]
    assert validation.read(Inner, {"size": 10**3999}, "f").size == 10**3999
    with pytest.raises(ConfigError, match=r'^f: t: no key "sizes"; did you mean "size"'):
        validation.read_shared([Inner, Other], {"sizes": 2}, "f", "t")
    for value in (2**63, -(2**64), "\ud800"):
        with pytest.raises(ConfigError, match=r"^f: colour: .*; use another value"):
            validation.read_options(Other, {"colour": value}, "f")
    assert validation.read_options(Inner, {"size": 2**63 - 1}, "f").size == 2**63 - 1
    assert validation.plain({"a": (1, 2), "b": Other()}) == {"a": [1, 2], "b": {"colour": "red"}}
    assert (validation.field_docs(Inner), validation.field_docs(int)) == ({"size": "How large, in all."}, {})


def hang():
    while True:
        with suppress(Exception):
            while True:
                pass


def test_a_deadline_ends_what_catches_every_exception():
    with pytest.raises(GameError, match="it hangs"), deadline(0.1, lambda: GameError("it hangs", "vole")):
        hang()


SECURED = "import os, sys; from tourney.base import streams; streams.secure();"


def test_stderr_is_written_line_by_line():
    program = f"{SECURED} print('first', file=sys.stderr); os.write(2, b'second')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.split() == ["first", "second"]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_printing_never_fails_and_the_error_is_kept(stream):
    program = f"{SECURED} print(1, flush=True, file=sys.{stream}); os._exit(streams.lost(sys.{stream}).errno)"
    nobody_reads, pipe = os.pipe()
    os.close(nobody_reads)
    assert subprocess.run([sys.executable, "-c", program], check=False, **{stream: pipe}).returncode == errno.EPIPE
    os.close(pipe)


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_standard_stream_is_opened_for_nobody_else_to_take_its_place(closed):
    program = f"""{SECURED} file = os.open(os.devnull, os.O_RDONLY)
print(sys.stdin.read(), file=sys.stdout)
sys.stderr.flush()
os._exit((file > 2) + 2 * os.get_inheritable({closed}))"""
    command = ["sh", "-c", f'exec "$@" {closed}>&-', "sh", sys.executable, "-c", program]
    assert subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode == 3
