"""What bots in this process print, as it is labelled, escaped and bounded; `tests/cli/test_bot_prints.py` runs it."""

import os
import sys

from tourney.hosts import prints


def test_what_is_printed_while_a_bot_is_called_is_on_stderr_line_by_line_under_its_name(capfd):
    before = sys.stdout, sys.stderr
    with prints.labelled("loud"):
        assert (sys.stdout.fileno(), sys.stdout.isatty(), sys.stdout.writable()) == (2, False, True)
        sys.stdout.close()
        sys.stderr.write("whole\r\nbe")
        sys.stderr.write("gun")
        os.write(1, b"below Python\n")
        sys.stderr.write("\n\x1b[31m\udc80\n")
        with prints.labelled("inner"):
            sys.stderr.write("of another\n")
        for length in (prints.LETTERS, prints.LETTERS + 1):
            sys.stderr.write("x" * length + "\n")
        sys.stderr.write("y" * (prints.LETTERS + 1))
        sys.stderr.write("z" * prints.LETTERS)
        sys.stderr.write("!")
    assert (sys.stdout, sys.stderr) == before
    os.write(1, b"not of the bot\n")
    most, x = prints.LETTERS, "x" * prints.LETTERS
    said = ["whole", "begun", r"\x1b[31m\udc80", x, f"{x} ...", f"{'y' * most} ...", f"{'z' * most} ..."]
    lines = [f"[loud] {each}\n" for each in said]
    shown = [lines[0], "below Python\n", *lines[1:3], "[inner] of another\n", *lines[3:]]
    assert capfd.readouterr() == ("not of the bot\n", "".join(shown))


def test_so_many_lines_of_a_bot_are_shown_and_a_note_that_there_are_no_more(capfd):
    for _ in range(2):
        with prints.labelled("chatter"):
            print("a\nb\n" * (prints.LINES // 2), end="and")
    *lines, note = capfd.readouterr().err.splitlines()
    assert lines == ["[chatter] a", "[chatter] b"] * (prints.LINES // 2)
    assert note.startswith("[chatter] ...")


def test_a_closed_stderr_is_nobodys_fault(monkeypatch):
    monkeypatch.setattr(sys, "stderr", open(os.devnull))  # noqa: SIM115 - nothing can be written to it
    prints.show("line\n")
    sys.stderr.close()
    prints.show("line\n")
