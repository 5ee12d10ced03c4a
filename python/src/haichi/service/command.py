"""The command ``haichi serve``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haichi.base.options import MessageSize, Option, Rows, Seconds, Whole
from haichi.errors import OptionError, UnsupportedError
from haichi.service.limits import Limits

_DEFAULTS = Limits()


class _Size(MessageSize):
    """Bytes."""

    def read(self, option: str, *words: str) -> Any:
        size = super().read(option, *words)
        if size < 1:
            raise OptionError(f"{option}: {words[0]!r} leaves no room")
        return size


SERVE_OPTIONS: Rows = {
    "host": Option(
        "address to listen at; other than this computer's own: with --token-file; default: 127.0.0.1", "HOST"
    ),
    "port": Option("default: 8080; 0: one that is free", "PORT", Whole(0, 65535)),
    "data": Option("where jobs are kept, on a disk of this computer; default: ~/.local/share/haichi-serve", "FOLDER"),
    "workers": Option("jobs that run at the same time; default: 1", "N", Whole(1, 4096)),
    "dask": Option("scheduler of a Dask cluster, whose workers run the jobs; they need the same haichi", "ADDRESS"),
    "token_file": Option("users: a line with the name and the SHA-256 of the token for each", "FILE"),
    "most_body": Option("bytes of a request; default: 256MiB", "BYTES", _Size()),
    "most_jobs": Option("of a user that wait or run; default: 1000", "N", Whole()),
    "most_jobs_in_all": Option("of all users that wait or run; default: 10000", "N", Whole()),
    "most_data": Option("of the uploads and results of a user's jobs; default: 20GiB", "BYTES", _Size()),
    "most_time": Option("that a job may run; default: 3600s", "TIME", Seconds()),
    "most_memory": Option("of a job; default: 8GiB", "BYTES", _Size()),
    "most_disk": Option("of a job's files; default: 2GiB", "BYTES", _Size()),
    "keep": Option("how long ended jobs are kept; default: 2592000s, 30 days", "TIME", Seconds()),
    "grace": Option("that running jobs have to end when the server is stopped; default: 10s", "TIME", Seconds()),
}


def limits_of(given: dict[str, Any]) -> Limits:
    """As the options say."""
    body = given.get("most_body", _DEFAULTS.body_bytes)
    return Limits(
        workers=given.get("workers", _DEFAULTS.workers),
        body_bytes=body,
        bodies_of_user_bytes=max(_DEFAULTS.bodies_of_user_bytes, body + body // 4),
        bodies_bytes=max(_DEFAULTS.bodies_bytes, 2 * (body + body // 4)),
        jobs_of_user=given.get("most_jobs", _DEFAULTS.jobs_of_user),
        jobs=given.get("most_jobs_in_all", _DEFAULTS.jobs),
        user_bytes=given.get("most_data", _DEFAULTS.user_bytes),
        seconds=given.get("most_time", _DEFAULTS.seconds),
        memory_bytes=given.get("most_memory", _DEFAULTS.memory_bytes),
        disk_bytes=given.get("most_disk", _DEFAULTS.disk_bytes),
        kept_seconds=given.get("keep", _DEFAULTS.kept_seconds),
        grace_seconds=given.get("grace", _DEFAULTS.grace_seconds),
    )


def run_serve(given: dict[str, Any]) -> int:
    try:
        from haichi.service.server import Address, default_data_folder, serve
    except ImportError as error:
        message = f"serve needs a package that is missing: {error.name}"
        raise UnsupportedError(message, "pip install 'haichi[service]'") from error
    data = Path(given["data"]) if "data" in given else default_data_folder()
    tokens = Path(given["token_file"]) if "token_file" in given else None
    return serve(
        Address(given.get("host", "127.0.0.1"), given.get("port", 8080)),
        data,
        limits_of(given),
        tokens,
        given.get("dask"),
    )
