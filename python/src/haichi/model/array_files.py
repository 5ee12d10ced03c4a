"""Matrices in NumPy's files, ``.npy`` and ``.npz``."""

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
"""The maximum unpacked size: a compressed archive may unpack to a thousand times its size."""


def is_array_file(path: str) -> bool:
    """True if a file begins like a NumPy file. Pipes and the like are false, because they cannot be read twice."""
    try:
        if not Path(path).is_file():
            return False
        with open(path, "rb") as file:
            return file.read(len(_NPY_START)).startswith((_NPY_START, _ZIP_START))
    except OSError:
        return False


def read_array_file(path: str) -> Any:
    """The matrix in a ``.npy`` file, or the single matrix in a ``.npz`` file: dense, or sparse as written by SciPy.

    Nothing is unpickled. Raises InputError if there is no such matrix, UnsupportedError if SciPy is missing.
    """
    try:
        with open(path, "rb") as file:
            is_archive = file.read(len(_ZIP_START)) == _ZIP_START
        # The file is mapped, so that a false size in its header allocates no memory.
        return _read_archive(path) if is_archive else _read_array(path)
    except (InputError, UnsupportedError):
        raise
    except Exception as error:  # NumPy, SciPy and zipfile have no common exception for broken files
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{os.fspath(path)}: not a readable NumPy array: {reason}") from error


def _read_array(path: str) -> Any:
    array: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    rest = os.path.getsize(path) - array.offset - array.nbytes
    if rest > 0:
        raise InputError(f"{path}: {rest} bytes follow the array")
    return array


def _check_claimed_size(path: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """NumPy allocates what the header of an array claims, before it reads the array."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version not in _HEADER_READERS:
            return
        shape, _, dtype = _HEADER_READERS[version](file)
        header = file.tell()
    claimed = math.prod(shape) * dtype.itemsize
    if not dtype.hasobject and claimed < member.file_size - header:
        raise InputError(f"{path}: {member.file_size - header - claimed} bytes follow the array {member.filename}")
    if claimed > member.file_size:
        raise InputError(f"{path}: {member.filename} claims {claimed} bytes, but has {member.file_size}")


_HEADER_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def _read_archive(path: str) -> Any:
    # NumPy leaves a file open if it cannot read it.
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
            if archive[name].dtype.kind not in "iu":  # SciPy would cut off fractions
                raise InputError(f"{path}: {name} must contain whole numbers, not {archive[name].dtype}")
    try:
        from scipy import sparse
    except ImportError as error:
        raise UnsupportedError(f"{path}: a sparse matrix requires SciPy", "install the package scipy") from error
    return sparse.load_npz(path)
