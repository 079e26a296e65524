"""What tests need beyond Python: the marker `needs`, and for each lack a line at the end of the tests.

A test asks by `@pytest.mark.needs("git")` for one of NEEDS; a case whose `host` is the sandbox, and a test with a
`browser`, are marked already. Where that is missing, the test is skipped. What is here is found without the code under
test.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
NOBODY = 65534
HEADERS = {"x86_64": "x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "asm-generic/unistd.h"}
PYTHONS = [version for version in ("3.11", "3.12", "3.13", "3.14") if not sys.version.startswith(f"{version}.")]
OF_DEV = ("duckdb", "nbclient", "optuna", "pandas", "polars", "pyarrow", "sklearn")
CI_HAS = ("bubblewrap", "chromium")
"""What .ci/run installs: continuous integration fails without."""


class Need(NamedTuple):
    """Something that tests need."""

    tests: str  # what they are of
    lack: Callable[[], str]  # says what is missing, and how to have it; empty if nothing is


def no_program(name: str, title: str = "", package: str = "") -> str:
    return "" if shutil.which(name) else f"{title or name} is missing (apt install {package or name})"


def as_user(ordinary: bool) -> dict[str, Any]:
    """Returns the arguments with which `subprocess` starts a process as an ordinary user, or else as whoever tests.

    Root is in a group of root's, as after a login.
    """
    own = {"extra_groups": [0]} if os.geteuid() == 0 else {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if ordinary else own


def no_sandbox(ordinary: bool = False) -> str:
    if sys.platform != "linux" or os.uname().machine not in HEADERS:
        return "it is for Linux on x86-64 and arm64"
    if lack := no_program("bwrap", "bubblewrap", "bubblewrap"):
        return lack
    own = [] if os.geteuid() == 0 and not ordinary else ["--unshare-user"]
    command = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", *own, "--ro-bind", "/", "/", "true"]
    tried = subprocess.run(command, capture_output=True, text=True, check=False, **as_user(ordinary))
    return (
        f"bubblewrap does not work here: {tried.stderr.strip()} (docs/hosts-and-limits.md)" if tried.returncode else ""
    )


def no_ordinary_user() -> str:
    if os.geteuid() != 0:
        return "the tests do not run as root (sudo make test-all)"
    python = "" if python_of_all() else "a Python 3.11 that all users may run is missing (apt install python3)"
    return python or no_sandbox(ordinary=True)


def python_of_all() -> str | None:
    """Returns a Python that every user may run."""
    python = shutil.which("python3", path="/usr/local/bin:/usr/bin")
    is_new = python and subprocess.check_output([python, "-c", "import sys; print(sys.version_info >= (3, 11))"])
    return python if is_new == b"True\n" else None


def no_disk() -> str:
    mounts = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    may = shutil.which("unshare") and subprocess.run(mounts, capture_output=True, check=False).returncode == 0
    return "" if may else "the tests may not mount a disk (sudo make test)"


def no_browser() -> str:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - tests of pages have it

    from tests.browser.chromium import find_chromium  # noqa: PLC0415

    with sync_playwright() as playwright:
        return "" if find_chromium(playwright) else "Chromium is missing (apt install chromium)"


def no_compiler() -> str:
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if lack := no_program(compiler, "a C compiler", "gcc"):
        return lack
    headers = Path(sysconfig.get_path("include"), "Python.h").exists()
    return "" if headers else "the headers of Python are missing (apt install python3-dev)"


def no_file(path: Path, title: str, remedy: str) -> str:
    return "" if path.exists() else f"{title} ({remedy})"


def python(version: str) -> str | None:
    """Returns an interpreter of that version, on the path or among those of pyenv."""
    found = [shutil.which(f"python{version}")]
    found += map(str, (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}"))
    for each in found:
        if each and subprocess.run([each, "-c", ""], capture_output=True, check=False).returncode == 0:
            return each
    return None


def no_python(*versions: str) -> str:
    wanted = " or ".join(versions)
    return "" if any(map(python, versions)) else f"Python {wanted} is missing (pyenv install {versions[0]})"


def no_packages() -> str:
    return "" if all([find_spec(name) for name in OF_DEV]) else "the extra `dev` is missing (make .venv/installed-dev)"


NEEDS = {
    "bubblewrap": Need("the sandbox", no_sandbox),
    "an ordinary user": Need("the sandbox of an ordinary user", no_ordinary_user),
    "chromium": Need("pages in a browser", no_browser),
    "node": Need("programs in JavaScript", partial(no_program, "node", "Node.js", "nodejs")),
    "go": Need("programs in Go", partial(no_program, "go", "Go", "golang-go")),
    "cargo": Need("programs in Rust", partial(no_program, "cargo", "Cargo")),
    "a C compiler": Need("the compiled modules", no_compiler),
    "git": Need("bots in a git repository", partial(no_program, "git")),
    "our repository": Need("other commits", partial(no_file, ROOT / ".git", "the repository is missing", "git clone")),
    "make": Need("Makefiles", partial(no_program, "make")),
    "openssl": Need("certificates", partial(no_program, "openssl")),
    "a disk": Need("full disks", no_disk),
    "dev": Need("data frames, notebooks and tuning", no_packages),
    "sb3-contrib": Need(
        "learning with Stable-Baselines3",
        lambda: "" if find_spec("sb3_contrib") else "sb3-contrib is missing (pip install sb3-contrib)",
    ),
    "another Python": Need("clusters of two Pythons", partial(no_python, *PYTHONS)),
}
"""By what `needs` names."""
NEEDS |= {
    f"headers for {machine}": Need(
        "the numbers of system calls",
        partial(no_file, Path("/usr/include", file), "the headers of Linux are missing", "apt install linux-libc-dev"),
    )
    for machine, file in HEADERS.items()
}
NEEDS |= {f"Python {version}": Need("other versions of Python", partial(no_python, version)) for version in PYTHONS}


@cache
def lack(need: str) -> str:
    """Says what is missing for a need, and how to have it; empty if nothing is."""
    return NEEDS[need].lack()


def pytest_configure(config: pytest.Config) -> None:
    """Tells pytest of the marker."""
    config.addinivalue_line("markers", "needs(*what): skips the test where what it needs, beyond Python, is missing")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Marks cases of the sandbox, and tests with a browser, which `make test-all` installs what drives it for."""
    if "callspec" in vars(item) and item.callspec.params.get("host") == "sandbox":
        item.add_marker(pytest.mark.needs("bubblewrap"))
    if "browser" in item.fixturenames:
        item.add_marker(pytest.mark.needs("chromium"))
        item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test that needs what is missing; fails it where .ci/run should have installed that."""
    for need in [name for marker in item.iter_markers("needs") for name in marker.args]:
        if missing := lack(need):
            if need in CI_HAS and os.environ.get("CI") == "true" and shutil.which("apt-get"):
                pytest.fail(missing, pytrace=False)
            item.user_properties.append(("left out", f"of {NEEDS[need].tests}: {missing}"))
            pytest.skip(missing)  # noqa: TID251 - here alone


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any) -> Iterator[None]:
    """Says last how many tests were skipped, for each thing that is missing."""
    yield
    skipped = terminalreporter.stats.get("skipped", [])
    found = Counter([text for report in skipped for name, text in report.user_properties if name == "left out"])
    for text, number in found.items():
        terminalreporter.write_line(f"skipped {number} {'test' if number == 1 else 'tests'} {text}", yellow=True)
