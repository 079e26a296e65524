"""What a server of ours gives: pages of runs as they are played, seats at a table, and the answers of a bot."""

from importlib.util import find_spec

from tourney.base.errors import MissingExtraError

if missing := [name for name in ("starlette", "uvicorn") if find_spec(name) is None]:
    raise MissingExtraError("a server", "web", " and ".join(missing))
