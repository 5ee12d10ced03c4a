"""What jobs and requests may take."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

_MOST_COMPARISONS = 8


@dataclass(frozen=True)
class Limits:
    workers: int = 1
    """Jobs that run at the same time."""
    body_bytes: int = 256 * 2**20
    """Of a request."""
    jobs_of_user: int = 1000
    """That wait or run."""
    seconds: float = 3600
    """That a job may run."""
    memory_bytes: int = 8 * 2**30
    """Address space of a job's program."""
    disk_bytes: int = 2 * 2**30
    """Of each file that it writes, and of all of a job's files together."""
    kept_seconds: float = 30 * 86400
    """Jobs are removed so long after their end."""
    grace_seconds: float = 10
    """That running jobs have to end when the server is stopped."""
    reserve_bytes: int = 64 * 2**20
    """With less free disk no job is taken or started."""
    most_cut_off: int = 3
    """A job whose process was killed so often from outside fails."""

    @property
    def threads(self) -> int:
        """Of one job."""
        return max(1, len(os.sched_getaffinity(0)) // self.workers)

    @property
    def comparisons(self) -> int:
        """With the default placement, at the same time. Each has a thread; the queue needs some, too."""
        return min(self.workers, len(os.sched_getaffinity(0)), _MOST_COMPARISONS)

    def of_process(self, seconds: float | None = None) -> dict[str, Any]:
        """As the supervisor takes them."""
        lasting = self.seconds if seconds is None else min(seconds, self.seconds)
        return {
            "seconds": lasting,
            "memory_bytes": self.memory_bytes,
            "file_bytes": self.disk_bytes,
            "disk_bytes": self.disk_bytes,
            "cpu_seconds": int(lasting * (self.threads + 1)) + 1,
            "niceness": 5,
        }
