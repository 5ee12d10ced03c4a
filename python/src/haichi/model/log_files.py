"""The files that make up a log."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import lru_cache

from haichi.errors import InputError


@dataclass(frozen=True)
class LogFiles:
    """The files that make up a log."""

    paths: tuple[str, ...]
    """Absolute paths. The first is the given file."""
    has_calls: bool
    """True if the log keeps the order of calls, so that the calls can be simulated."""

    def states(self) -> tuple[tuple[str, int, int], ...]:
        """The name, size and modification time of each file. Raises InputError if a file cannot be read."""
        states = []
        for path in self.paths:
            try:
                state = os.stat(path)
            except OSError as error:
                raise InputError(f"cannot read {path}: {error.strerror}") from error
            states.append((path, state.st_size, state.st_mtime_ns))
        return tuple(states)

    def digest(self) -> str:
        """SHA-256 of all files, in hexadecimal. Raises InputError if a file cannot be read."""
        return _digest_of_files(self.states())


@lru_cache(maxsize=64)
def _digest_of_files(states: tuple[tuple[str, int, int], ...]) -> str:
    """Cached while the sizes and times of the files stay unchanged, because a comparison needs the digest for every
    cell."""
    digest = hashlib.sha256()
    for path, *_ in states:
        try:
            with open(path, "rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from error
    return digest.hexdigest()
