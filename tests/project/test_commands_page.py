"""docs/commands.md is what the help of the commands says today."""

import importlib.util

from tests.conftest import ROOT


def test_the_page_of_commands_is_up_to_date():
    spec = importlib.util.spec_from_file_location("commands_page", ROOT / ".ci" / "commands_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "commands.md").read_text(encoding="utf-8") == module.page(), "run `make golden`"
