"""The command ``haichi serve``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

from haichi.base.optional_packages import missing_requirements
from haichi.errors import UnsupportedError
from haichi.service.limits import Limits

_DEFAULTS = Limits()


def limits_of(given: dict[str, Any]) -> Limits:
    """The limits from the options."""
    body = given.get("max_body", _DEFAULTS.body_bytes)
    return Limits(
        workers=given.get("workers", _DEFAULTS.workers),
        body_bytes=body,
        bodies_of_user_bytes=max(_DEFAULTS.bodies_of_user_bytes, body + body // 4),
        bodies_bytes=max(_DEFAULTS.bodies_bytes, 2 * (body + body // 4)),
        jobs_of_user=given.get("max_jobs", _DEFAULTS.jobs_of_user),
        jobs=given.get("max_jobs_total", _DEFAULTS.jobs),
        user_bytes=given.get("max_data", _DEFAULTS.user_bytes),
        seconds=given.get("max_time", _DEFAULTS.seconds),
        memory_bytes=given.get("max_memory", _DEFAULTS.memory_bytes),
        disk_bytes=given.get("max_disk", _DEFAULTS.disk_bytes),
        kept_seconds=given.get("keep", _DEFAULTS.kept_seconds),
        grace_seconds=given.get("grace", _DEFAULTS.grace_seconds),
    )


def run_serve(given: dict[str, Any]) -> int:
    try:
        from haichi.service.server import Address, default_data_folder, serve
    except ImportError as error:
        missing = missing_requirements()
        # If no package is missing, either an installed package is damaged, or an older version hides the needed one.
        words = missing or ["--force-reinstall", (error.name or "fastapi").partition(".")[0]]
        raise UnsupportedError(
            f"serve requires the package {error.name}",
            f"run `{shlex.join([sys.executable, '-m', 'pip', 'install', *words])}`",
        ) from error
    data = Path(given["data"]) if "data" in given else default_data_folder()
    tokens = Path(given["token_file"]) if "token_file" in given else None
    return serve(
        Address(given.get("host", "127.0.0.1"), given.get("port", 8080)),
        data,
        limits_of(given),
        tokens,
        given.get("dask"),
    )
