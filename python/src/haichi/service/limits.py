"""Limits of jobs, requests and users. docs/reference/http.md contains the output of `table`."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import Any

_MOST_COMPARISONS = 8


def _limit(default: Any, what: str, unit: str = "", option: str = "", then: str = "") -> Any:
    """A field for a limit. `unit`: "bytes", "s", or empty for a count. `then`: the action above the limit."""
    metadata = {"what": what, "unit": unit, "option": option, "then": then}
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Limits:
    # Connections
    connections: int = _limit(4096, "connections", then="closes those that have waited longest for request headers")
    requests_of_user: int = _limit(500, "unfinished requests of a user", then="429")
    head_bytes: int = _limit(64 * 2**10, "request headers with the URL, or trailers of a body", "bytes", then="431")
    head_fields: int = _limit(128, "fields in the headers", then="431")
    head_seconds: float = _limit(60, "time to receive the headers", "s", then="closes the connection")
    pipelined: int = _limit(4, "pipelined requests of a connection", then="closes the connection")
    # Bodies of requests
    body_bytes: int = _limit(256 * 2**20, "body of a request", "bytes", "max-body", "413")
    json_bytes: int = _limit(32 * 2**20, "body in JSON", "bytes", then="413")
    urlencoded_bytes: int = _limit(2**20, "body of a form without files (`x-www-form-urlencoded`)", "bytes", then="413")
    form_parts: int = _limit(10_000, "fields and files of a form", then="400")
    part_bytes: int = _limit(2**20, "field of a form, except files", "bytes", then="400")
    words_bytes: int = _limit(32 * 2**10, "options of a job, in total", "bytes", then="422")
    pause_seconds: float = _limit(60, "pause within a body", "s", then="408")
    body_seconds: float = _limit(600, "time to receive a body", "s", then="408")
    answer_seconds: float = _limit(60, "pause of a client that receives a response", "s", then="closes the connection")
    bodies_of_user_bytes: int = _limit(320 * 2**20, "bodies of a user being received, in total", "bytes", then="429")
    bodies_bytes: int = _limit(640 * 2**20, "bodies of all users being received, in total", "bytes", then="503")
    # Each user, and all users
    jobs_of_user: int = _limit(1000, "queued and running jobs of a user", "", "max-jobs", "429")
    jobs: int = _limit(10_000, "queued and running jobs of all users", "", "max-jobs-total", "503")
    user_bytes: int = _limit(20 * 2**30, "uploads and results of a user", "bytes", "max-data", "507")
    job_overhead_bytes: int = _limit(64 * 2**10, "size charged for each job in addition to its files", "bytes")
    waiting_of_user: int = _limit(500, "requests of a user waiting for rank maps or comparisons", then="429")
    waiting: int = _limit(5000, "requests of all users waiting for rank maps or comparisons", then="503")
    # Running jobs and helpers
    workers: int = _limit(1, "jobs running at the same time", "", "workers", "others wait")
    maps_at_a_time: int = _limit(2, "rank maps being made at the same time", then="others wait")
    kept_maps: int = _limit(32, "rank maps kept with a job", then="generates others again")
    children: int = _limit(1, "large JSON bodies being parsed at the same time", then="others wait")
    child_bytes: int = _limit(768 * 2**20, "memory of the parser of a large JSON body", "bytes", then="400")
    child_seconds: float = _limit(20, "time limit for parsing a large JSON body", "s", then="400")
    # Each job
    seconds: float = _limit(3600, "time of a job", "s", "max-time", "the job fails")
    memory_bytes: int = _limit(8 * 2**30, "address space of a job's program", "bytes", "max-memory", "the job fails")
    disk_bytes: int = _limit(2 * 2**30, "files of a job, each and in total", "bytes", "max-disk", "the job fails")
    most_cut_off: int = _limit(3, "number of times that a job's process may be killed externally", then="the job fails")
    kept_seconds: float = _limit(30 * 86400, "time for which a finished job is kept", "s", "keep", "removes the job")
    # The server
    grace_seconds: float = _limit(10, "time for jobs to end at shutdown", "s", "grace", "the jobs run again")
    reserve_bytes: int = _limit(64 * 2**20, "disk space that must remain free", "bytes", then="507")

    @property
    def threads(self) -> int:
        """The number of threads for one job."""
        return max(1, len(os.sched_getaffinity(0)) // self.workers)

    @property
    def comparisons(self) -> int:
        """The number of comparisons with the default placement that run at the same time."""
        return min(self.workers, len(os.sched_getaffinity(0)), _MOST_COMPARISONS)

    def of_process(self, seconds: float | None = None) -> dict[str, Any]:
        """The limits of a job, in the form of the supervisor's specification."""
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
    """A limit as a line of the table in the documentation."""

    what: str
    default: str
    option: str
    then: str


def rows() -> list[LimitRow]:
    """All limits, in the order of the documentation."""
    return [
        LimitRow(row["what"], _text(default, row["unit"]), row["option"], row["then"])
        for row, default in ((field.metadata, getattr(Limits, field.name)) for field in dataclasses.fields(Limits))
    ]


def table() -> str:
    """The table of limits in Markdown."""
    lines = ["| limit | default | option | above the limit |", "|---|---|---|---|"]
    for row in rows():
        lines.append(f"| {row.what} | {row.default} | {f'`--{row.option}`' if row.option else ''} | {row.then} |")
    return "\n".join(lines) + "\n"


def _text(value: float, unit: str) -> str:
    if unit == "bytes":
        for power, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
            if value >= 2**power:
                return f"{value / 2**power:g} {name}"
    if unit == "s" and value >= 86400:
        return f"{value / 86400:g} days"
    return f"{value:,g} {unit}".strip()
