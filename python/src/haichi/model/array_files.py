"""Reads matrices from NumPy's file formats, ``.npy`` and ``.npz``."""

from __future__ import annotations

import math
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from haichi.errors import InputError, UnsupportedError

_NPY_START = b"\x93NUMPY"
_ZIP_START = b"PK\x03\x04"
_MOST_UNPACKED_BYTES = 2**33
"""The maximum unpacked size. A compressed archive may unpack to a thousand times its size."""


def is_array_file(path: str) -> bool:
    """True if the file begins like a NumPy file. False for pipes and the like, because they cannot be read twice."""
    try:
        if not Path(path).is_file():
            return False
        with open(path, "rb") as file:
            return file.read(len(_NPY_START)).startswith((_NPY_START, _ZIP_START))
    except OSError:
        return False


def read_array_file(path: str) -> Any:
    """Reads the matrix of a ``.npy`` file, or the single matrix of a ``.npz`` file, which is dense or was written by
    SciPy as sparse.

    Nothing is unpickled. Raises InputError if there is no such matrix, and UnsupportedError if SciPy is missing.
    """
    try:
        with open(path, "rb") as file:
            is_archive = file.read(len(_ZIP_START)) == _ZIP_START
        # The file is memory-mapped. A wrong size in its header then allocates no memory.
        return _read_archive(path) if is_archive else np.load(path, mmap_mode="r", allow_pickle=False)
    except (InputError, UnsupportedError):
        raise
    except Exception as error:  # NumPy, SciPy and zipfile have no common exception for broken files
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{os.fspath(path)}: not a readable NumPy array: {reason}") from error


def _check_claimed_size(path: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Checks the size that the header of an array states. NumPy would allocate this size before it reads the array."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version not in _HEADER_READERS:
            return
        shape, _, dtype = _HEADER_READERS[version](file)
    claimed = math.prod(shape) * dtype.itemsize
    if claimed > member.file_size:
        raise InputError(f"{path}: {member.filename} claims {claimed} bytes, but has {member.file_size}")


_HEADER_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def _read_archive(path: str) -> Any:
    # NumPy would leave the file open if it failed to read it.
    with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
        unpacked = sum(member.file_size for member in archive.zip.infolist())
        if unpacked > _MOST_UNPACKED_BYTES:
            raise InputError(f"{path}: {unpacked} unpacked bytes exceed the maximum of {_MOST_UNPACKED_BYTES}")
        for member in archive.zip.infolist():
            _check_claimed_size(path, archive.zip, member)
        names = list(archive.files)
        if not {"format", "shape", "data"} <= set(names):
            if len(names) != 1:
                raise InputError(f"{path}: expected one matrix, found {len(names)} arrays ({', '.join(names[:8])})")
            return archive[names[0]]
        for name in {"indices", "indptr", "row", "col"} & set(names):
            if archive[name].dtype.kind not in "iu":  # SciPy would truncate fractions
                raise InputError(f"{path}: {name} must contain whole numbers, not {archive[name].dtype}")
    try:
        from scipy import sparse
    except ImportError as error:
        raise UnsupportedError(f"{path}: a sparse matrix requires SciPy", "install the package scipy") from error
    return sparse.load_npz(path)
