"""All processes of a bot: stopped while the bot is not asked, and measured."""

from tourney.hosts import linux


class ProcessTree:
    """The processes that a spawner has started for a bot, and all that these have started, whatever their groups."""

    def __init__(self, spawner: int, may_fork: bool) -> None:
        """Takes the id of the spawner's process; `may_fork` says whether a bot can start processes of its own."""
        self._spawner = spawner
        self._may_fork = may_fork
        self._suspended: list[int] = []

    def suspend(self) -> None:
        """Stops all of them; `resume` lets them go on."""
        self._suspended = linux.suspend_descendants(self._spawner)

    def resume(self) -> None:
        """Lets those go on that were stopped by `suspend`."""
        suspended, self._suspended = self._suspended, []
        linux.resume(suspended)

    def is_stopped(self) -> bool:
        """Returns whether the bot's process was stopped by somebody, or the bot itself where that is its launcher."""
        pids = self._pids()
        return any([linux.is_stopped(pid) for pid in (pids[:1] if self._may_fork else pids)])

    def processor_s(self) -> float:
        """Returns for how long processors have worked for them, in seconds, those counted that have ended."""
        return sum([linux.processor_s(pid) for pid in self._pids()])

    def cores(self) -> int:
        """Returns on how many cores they may run."""
        return max([1, *[linux.cores(pid) for pid in self._pids()]])

    def _pids(self) -> list[int]:
        """Returns the ids of the processes; that of the one which the spawner has started is the first."""
        return self._suspended or list(linux.descendants(self._spawner))
