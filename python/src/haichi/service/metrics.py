"""Metrics for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10)
_JOB_SECONDS = (0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14400)


class Metrics:
    """The metrics of a server. They have their own registry, so that several servers can run in one process."""

    def __init__(self, counts: Callable[[], dict[str, int]], free_bytes: Callable[[], int]) -> None:
        self._counts = counts
        self._registry = CollectorRegistry()
        registry = self._registry
        self.requests = Histogram(
            "haichi_http_request_seconds", "Time to answer", ["method", "route", "status"], buckets=_SECONDS,
            registry=registry,
        )  # fmt: skip
        self.ended = Counter("haichi_jobs_ended", "Jobs that ended", ["kind", "state"], registry=registry)
        self.cut_off = Counter("haichi_attempts_cut_off", "Attempts that were cut off", registry=registry)
        self.job_seconds = Histogram(
            "haichi_job_seconds", "Time of an attempt", ["kind"], buckets=_JOB_SECONDS, registry=registry
        )
        self._jobs = Gauge("haichi_jobs", "Stored jobs", ["state"], registry=registry)
        Gauge("haichi_disk_free_bytes", "Free space of the data directory", registry=registry).set_function(free_bytes)

    def text(self) -> bytes:
        for state, count in self._counts().items():
            self._jobs.labels(state).set(count)
        return generate_latest(self._registry)


class Measured:
    """Measures the time until a response begins. Its end does not count, because a stream of events may last for
    hours."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()

        async def observed(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", "none")  # the route, because there are too many paths
                label = self._metrics.requests.labels(scope["method"], route, message["status"])
                label.observe(time.perf_counter() - began)
            await send(message)

        await self._app(scope, receive, observed if scope["type"] == "http" else send)
