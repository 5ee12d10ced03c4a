"""Matrices in NumPy's files, ``.npy`` and ``.npz``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from haichi.errors import InputError, UnsupportedError

_NPY_START = b"\x93NUMPY"
_ZIP_START = b"PK\x03\x04"
_MOST_UNPACKED_BYTES = 2**33
"""A compressed archive may hold a thousand times its size."""


def is_array_file(path: str) -> bool:
    """Whether a file begins as NumPy's do. Other things than files, such as pipes, cannot be read twice."""
    try:
        if not Path(path).is_file():
            return False
        with open(path, "rb") as file:
            return file.read(len(_NPY_START)).startswith((_NPY_START, _ZIP_START))
    except OSError:
        return False


def read_array_file(path: str) -> Any:
    """The matrix in a ``.npy`` file, or the only one in a ``.npz`` file: dense, or sparse as SciPy writes it.

    Nothing is unpickled. Raises InputError when there is no such matrix, UnsupportedError when SciPy is missing.
    """
    try:
        with open(path, "rb") as file:
            is_archive = file.read(len(_ZIP_START)) == _ZIP_START
        # Mapped, so that a size that the file only claims to have allocates nothing.
        return _read_archive(path) if is_archive else np.load(path, mmap_mode="r", allow_pickle=False)
    except (InputError, UnsupportedError):
        raise
    except Exception as error:  # what NumPy, SciPy and zipfile raise for broken files has no common base
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{os.fspath(path)}: is not a readable NumPy array: {reason}") from error


def _read_archive(path: str) -> Any:
    # NumPy leaves a file open that it opened itself and cannot read.
    with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
        unpacked = sum(member.file_size for member in archive.zip.infolist())
        if unpacked > _MOST_UNPACKED_BYTES:
            raise InputError(f"{path}: unpacks to {unpacked} bytes, more than {_MOST_UNPACKED_BYTES}")
        names = list(archive.files)
        if not {"format", "shape", "data"} <= set(names):
            if len(names) != 1:
                raise InputError(f"{path}: holds {len(names)} arrays ({', '.join(names[:8])}), not one matrix")
            return archive[names[0]]
    try:
        from scipy import sparse
    except ImportError as error:
        raise UnsupportedError(f"{path}: a sparse matrix, which SciPy reads", "install the package scipy") from error
    return sparse.load_npz(path)
