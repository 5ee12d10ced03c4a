"""Starts and stops the service."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import os
import socket
import sqlite3
import sys
import tempfile
import threading
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from haichi.base.program import find_program
from haichi.errors import InputError
from haichi.service.app import create_app
from haichi.service.auth import Users, check_host
from haichi.service.connections import PatientProtocol, take_all_descriptors
from haichi.service.dask_attempts import DaskAttempts
from haichi.service.data_folder import DataFolder
from haichi.service.limits import Limits
from haichi.service.program import Program
from haichi.service.service import Service

_LOG = logging.getLogger("haichi.service")
_WAITING_CONNECTIONS = 2048
_BYTES_READ_AT_ONCE = 64 * 1024
"""The size of the kernel's receive buffer of a connection. The server holds about as much before a request begins."""
_OBJECTS_BETWEEN_COLLECTIONS = 20_000
"""The number of new objects between garbage collections. A request makes some hundreds of objects, and few of them
survive."""
_OF_EVERY_RECORD = frozenset(vars(logging.makeLogRecord({})))


@dataclass(frozen=True)
class Address:
    host: str
    port: int


def serve(address: Address, data: Path, limits: Limits, token_file: Path | None, dask: str | None = None) -> int:
    """Runs until a signal arrives, and returns the exit code. Raises haichi.Error if the server cannot start."""
    os.umask(0o077)  # only the server's user may read files of the server and of jobs
    users = Users({}) if token_file is None else Users.of_file(token_file)
    check_host(address.host, users)
    _log_as_json()
    if dask is not None:
        asyncio.run(DaskAttempts(dask, limits).check())
    take_all_descriptors()
    bound = _bound(address)
    program = Program(find_program())
    program.check_apart(data)
    try:
        folder = DataFolder(data)
        tempfile.tempdir = str(folder.arriving)  # a disk whose free space is monitored; /tmp may be in memory
        service = Service(folder, program, limits, users, dask)
    except OSError as error:
        named = error.filename or data
        raise InputError(
            f"{named}: {error.strerror}", "check the free space and the owner of the data directory"
        ) from error
    config = uvicorn.Config(
        create_app(service),
        http=PatientProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=int(limits.grace_seconds) + 1,
    )
    server = _Server(config, service)
    gc.freeze()  # all objects made so far stay
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    _LOG.info("listening", extra={"url": f"http://{address.host}:{bound.getsockname()[1]}", "data": str(data)})
    with contextlib.suppress(KeyboardInterrupt):  # the signal that ended the server is raised again
        server.run(sockets=[bound])
    return 0


class _Server(uvicorn.Server):
    """A server that ends all event streams at shutdown. Otherwise the shutdown would wait for them."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._service.bell.close()
        super().handle_exit(sig, frame)


def _bound(address: Address) -> socket.socket:
    """Binds the socket before anything else is changed. Raises InputError."""
    try:
        kind = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        bound = socket.socket(kind, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BYTES_READ_AT_ONCE)  # connections inherit the option
        bound.bind((address.host, address.port))
        bound.listen(_WAITING_CONNECTIONS)  # from here on, requests wait instead of failing
    except OSError as error:
        raise InputError(
            f"cannot listen at {address.host}:{address.port}: {error.strerror}", "use another §port"
        ) from error
    return bound


def _log_as_json() -> None:
    """Writes log lines as JSON to standard error. Values of `extra` become separate fields."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    # Uvicorn would log input of clients. The response to the client has the same information.
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)
    for name in ("haichi.service", "uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO)
    logging.getLogger("uvicorn.error").addFilter(_Rarer())
    logging.captureWarnings(True)
    sys.excepthook = lambda kind, error, trace: _log_uncaught(error)
    sys.unraisablehook = lambda fault: _log_uncaught(fault.exc_value)
    threading.excepthook = lambda fault: _log_uncaught(fault.exc_value)


def _log_uncaught(error: BaseException | None) -> None:
    _LOG.error("internal error: an exception was not handled", exc_info=error)


class _Rarer(logging.Filter):
    """Passes the first, second, fourth and so on of equal warnings: clients without a token can cause them."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: Counter[str] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno != logging.WARNING:
            return True
        self._counts[record.msg] += 1
        record.count = count = self._counts[record.msg]
        return count & (count - 1) == 0


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        own = {name: value for name, value in vars(record).items() if name not in _OF_EVERY_RECORD}
        own.pop("color_message", None)
        line: dict[str, Any] = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            # asyncio appends the text of the error, which may quote a file of a user.
            "message": record.getMessage().partition("\n")[0],
        }
        if record.exc_info:
            line["exception"] = _shown(record.exc_info[1])
        return json.dumps(line | own, default=str)


def _shown(error: BaseException | None) -> str:
    """The origin of an error. Its text is included only if it comes from the system or SQLite, because other texts may
    quote files of users."""
    parts = []
    while error is not None:
        says = f": {error}" if isinstance(error, OSError | sqlite3.Error) else ""
        parts.append("".join(traceback.format_tb(error.__traceback__)) + type(error).__name__ + says)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n".join(reversed(parts))


def default_data_folder() -> Path:
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "haichi-serve"
