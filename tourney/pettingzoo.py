"""Matches as environments of PettingZoo: `env("vole")`. It needs the extra `pettingzoo`."""

from tourney._api.pettingzoo import MatchEnv, env

__all__ = ["MatchEnv", "env"]
