"""Scratch folders on disk: made and removed by processes that start at the same time."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tourney.hosts.sandbox import scratch_folders

ROUNDS = 150


@pytest.mark.slow
def test_who_looks_for_folders_left_behind_disturbs_nobody_who_makes_one(tmp_path):
    parent = tmp_path / "scratch"
    parent.mkdir()

    def make_and_remove(number: int) -> None:
        for count in range(ROUNDS):
            same = tmp_path / f"{number}-{count}"  # folders left behind are looked for once under each name
            same.symlink_to(parent)
            made = scratch_folders.create(same)
            assert made.is_dir()
            scratch_folders.remove(made)

    with ThreadPoolExecutor() as pool:
        list(pool.map(make_and_remove, range(4)))

    assert not list(parent.iterdir())


def test_a_folder_in_use_is_not_removed(tmp_path):
    made = scratch_folders.create(tmp_path)
    other = tmp_path / "other"
    other.symlink_to(tmp_path)
    assert Path(scratch_folders.create(other)).is_dir()
    assert made.is_dir()
    scratch_folders.remove(made)
