"""What jobs, requests and users may take. docs/service.md has the table that `table` makes of this."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import Any

_MOST_COMPARISONS = 8


def _limit(default: Any, what: str, unit: str = "", option: str = "", then: str = "") -> Any:
    """`unit`: "bytes", "s" or empty for a count; `then`: what happens beyond the limit."""
    told = {"what": what, "unit": unit, "option": option, "then": then}
    return dataclasses.field(default=default, metadata=told)


@dataclass(frozen=True)
class Limits:
    # Of connections.
    connections: int = _limit(4096, "connections", then="those that wait longest for a head are closed")
    requests_of_user: int = _limit(500, "requests of a user that are not answered to their end", then="429")
    head_bytes: int = _limit(64 * 2**10, "head of a request with its URL; trailers of a body", "bytes", then="431")
    head_fields: int = _limit(128, "fields of a head", then="431")
    head_seconds: float = _limit(60, "time of a head", "s", then="the connection is closed")
    pipelined: int = _limit(16, "requests sent before the first is answered", then="the connection is closed")
    # Of a body.
    body_bytes: int = _limit(256 * 2**20, "body of a request", "bytes", "--most-body", "413")
    json_bytes: int = _limit(32 * 2**20, "body in JSON; forms take larger files", "bytes", then="413")
    urlencoded_bytes: int = _limit(2**20, "body of a form without files (`x-www-form-urlencoded`)", "bytes", then="413")
    form_parts: int = _limit(10_000, "fields and files of a form", then="400")
    part_bytes: int = _limit(2**20, "field of a form that is not a file", "bytes", then="400")
    words_bytes: int = _limit(32 * 2**10, "words of a job, all together", "bytes", then="422")
    pause_seconds: float = _limit(60, "time without a part of a body", "s", then="408")
    body_seconds: float = _limit(600, "time of a body", "s", then="408")
    bodies_of_user_bytes: int = _limit(320 * 2**20, "bodies of a user that arrive, all together", "bytes", then="429")
    bodies_bytes: int = _limit(640 * 2**20, "bodies that arrive, all together", "bytes", then="503")
    # Of a user and of all.
    jobs_of_user: int = _limit(1000, "jobs of a user that wait or run", "", "--most-jobs", "429")
    jobs: int = _limit(10_000, "jobs that wait or run, all together", "", "--most-jobs-in-all", "503")
    user_bytes: int = _limit(20 * 2**30, "uploads and results of a user", "bytes", "--most-data", "507")
    job_overhead_bytes: int = _limit(64 * 2**10, "what each job counts beside its files", "bytes")
    waiting_of_user: int = _limit(500, "requests of a user that wait for rank maps or comparisons", then="429")
    waiting: int = _limit(5000, "such requests, all together", then="503")
    # Of what runs.
    workers: int = _limit(1, "jobs that run at the same time", "", "--workers", "others wait")
    maps_at_a_time: int = _limit(2, "rank maps that are made at the same time", then="others wait")
    kept_maps: int = _limit(32, "rank maps kept with a job", then="others are made again")
    children: int = _limit(1, "large bodies in JSON that are parsed at the same time", then="others wait")
    child_bytes: int = _limit(768 * 2**20, "memory of such a parser", "bytes", then="400")
    child_seconds: float = _limit(20, "time of such a parser", "s", then="400")
    # Of a job.
    seconds: float = _limit(3600, "time of a job", "s", "--most-time", "it fails")
    memory_bytes: int = _limit(8 * 2**30, "address space of a job's program", "bytes", "--most-memory", "it fails")
    disk_bytes: int = _limit(2 * 2**30, "files of a job, each and all together", "bytes", "--most-disk", "it fails")
    most_cut_off: int = _limit(3, "times that a job's process is killed from outside", then="it fails")
    kept_seconds: float = _limit(30 * 86400, "time that an ended job is kept", "s", "--keep", "it is removed")
    # Of the server.
    grace_seconds: float = _limit(10, "time of jobs to end at a stop", "s", "--grace", "they run again")
    reserve_bytes: int = _limit(64 * 2**20, "disk that is left free", "bytes", then="507")

    @property
    def threads(self) -> int:
        """Of one job."""
        return max(1, len(os.sched_getaffinity(0)) // self.workers)

    @property
    def comparisons(self) -> int:
        """With the default placement, at the same time."""
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


@dataclass(frozen=True)
class LimitRow:
    """As people read it."""

    what: str
    default: str
    option: str
    then: str


def rows() -> list[LimitRow]:
    """All limits."""
    return [
        LimitRow(told["what"], _text(default, told["unit"]), told["option"], told["then"])
        for told, default in ((row.metadata, getattr(Limits, row.name)) for row in dataclasses.fields(Limits))
    ]


def table() -> str:
    """In Markdown."""
    lines = ["| limit | default | option | beyond it |", "|---|---|---|---|"]
    for row in rows():
        lines.append(f"| {row.what} | {row.default} | {f'`{row.option}`' if row.option else ''} | {row.then} |")
    return "\n".join(lines) + "\n"


def _text(value: float, unit: str) -> str:
    if unit == "bytes":
        for power, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
            if value >= 2**power:
                return f"{value / 2**power:g} {name}"
    if unit == "s" and value >= 86400:
        return f"{value / 86400:g} days"
    return f"{value:,g} {unit}".strip()
