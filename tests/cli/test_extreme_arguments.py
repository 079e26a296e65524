"""Extreme values on the command line are refused in one short line."""

import pytest
from click.testing import CliRunner

from tourney.cli.main import main

DIGITS = 5000 * "9"
HEX = "0x" + 20_000 * "f"
GATE = ("gate", "random", "--against", "first")
REFUSED = {
    "a number of thousands of digits for a bot": ("check", "random", "--game", "vole", "--options", f"{{a={DIGITS}}}"),
    "a number beyond 64 bits for a bot": ("check", "seer", "--game", "vole", "--options", f"{{playouts={2**63}}}"),
    "lists in lists": ("check", "random", "--game", "vole", "--options", f"{{a={3000 * '['}}}"),
    "a quote without an end": ("check", "--command", '"'),
    "matches without an end": ("check", "random", "--game", "vole", "--match-s", "1e9"),
    "decimal digits for a game": (*GATE, "--game", "vole", "--option", f"vole.target={DIGITS}"),
    "hexadecimal digits for a game": (*GATE, "--game", "vole", "--option", f"vole.target={HEX}"),
    "digits for seats": (*GATE, "--game", f"vole:{DIGITS}"),
    "a risk that is no number": (*GATE, "--game", "vole", "--alpha", "nan"),
    "a strength that is no number": (*GATE, "--game", "vole", "--elo0", "nan"),
    "digits for a decision": ("debug", "run", "vole-00000-0", DIGITS),
    "a long name of a run": ("standings", 100_000 * "x"),
    "a long name of a game": ("games", 100_000 * "x"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_extreme_argument_is_refused_in_one_line(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, list(REFUSED[case]))
    assert result.exit_code == 2, result.output
    last = result.stderr.splitlines()[-1]
    assert last.startswith("tourney: ")
    assert len(last) < 6000
    assert not list(tmp_path.iterdir())
