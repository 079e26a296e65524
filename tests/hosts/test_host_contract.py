"""What the rest of the program asks a host's class, rather than its name."""

from pathlib import Path

import pytest

from tests.conftest import tournament_text
from tests.hosts.play import spec_of
from tourney import config
from tourney.config import of_manifest
from tourney.hosts.base import BotHost, host_type
from tourney.hosts.limits import Limits
from tourney.plugins.registry import host_names


def tournament(keys: str):
    extra = f'[[bot]]\nname = "mine"\nuse = "first"\n{keys}'
    return config.parse(tournament_text("hosts", bots='["random"]', extra=extra), Path("hosts.toml"))


@pytest.mark.parametrize("name", host_names())
def test_every_host_says_what_the_program_has_to_know(name):
    host = host_type(name)
    assert issubclass(host, BotHost)
    assert (host.__doc__ or "").strip()
    assert host.enforces <= set(Limits.__struct_fields__)
    assert not (host.in_worker and host.runs_programs), "a program has a process of its own"
    host.Options()


def test_what_is_in_the_scratch_folder_may_be_in_memory_beside_that_of_the_bot():
    spec = spec_of("mine", "first", "", folder=Path(), host_options={"scratch_mb": 5})
    assert [host_type(name).scratch_mb(spec) for name in ("process", "sandbox")] == [0, 5]


def test_bots_run_in_the_worker_if_their_host_says_so():
    assert tournament("").in_worker
    elsewhere = tournament('host = "process"')
    assert not elsewhere.in_worker
    assert [entrant.in_worker for entrant in elsewhere.entrants] == [True, False]


@pytest.mark.parametrize(
    ("host", "key", "value", "text"),
    [("sandbox", "host_options", {"threads": 3}, "{ threads = 3 }"), ("process", "keep", True, "true")],
)
def test_what_a_host_is_told_is_in_the_manifest_where_there_is_anything(host, key, value, text):
    chosen = tournament(f'host = "{host}"\n{key} = {text}')
    manifest = config.manifest(chosen)
    random, mine = manifest["tournament"]["bots"]
    assert key not in random  # a manifest without it is what it was before hosts were told anything
    assert mine[key] == value
    assert of_manifest(manifest).entrants == chosen.entrants
