"""Reads matrices from NumPy's file formats, ``.npy`` and ``.npz``."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from haichi.errors import InputError, OptionError, UnsupportedError

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


@contextmanager
def array_file(path: str) -> Iterator[Any]:
    """The matrix in a ``.npy`` file, or the single matrix in a ``.npz`` file: dense, or sparse as written by SciPy.

    Nothing is unpickled. Raises InputError if there is no such matrix, UnsupportedError if SciPy is missing. Errors
    with the matrix get the name of the file.
    """
    matrix = _read(path)
    try:
        yield matrix
    except (InputError, OptionError) as error:  # a matrix without ranks has a wrong number of them
        raise InputError(f"{path}: {error}", error.hint) from error


def _read(path: str) -> Any:
    try:
        with open(path, "rb") as file:
            is_archive = file.read(len(_ZIP_START)) == _ZIP_START
            if is_archive:
                return _read_archive(path)
            file.seek(0)
            _check_size(path, file, os.fstat(file.fileno()).st_size)
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (InputError, UnsupportedError):
        raise
    except Exception as error:  # NumPy, SciPy and zipfile have no common exception for broken files
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{path}: not a readable NumPy array: {reason}") from error


def _check_size(name: str, file: IO[bytes], size: int) -> None:
    """Raises InputError for an array that ends before or after its file. NumPy allocates what the header claims, and
    ignores the rest of the file."""
    version = np.lib.format.read_magic(file)
    if version not in _HEADER_READERS:
        raise InputError(f"{name}: unsupported version {version[0]}.{version[1]} of NumPy's format")
    shape, _, dtype = _HEADER_READERS[version](file)
    claimed, left = math.prod(shape) * dtype.itemsize, size - file.tell()
    if claimed != left and not dtype.hasobject:  # NumPy refuses objects, whose size is not known
        raise InputError(f"{name}: the array claims {claimed} bytes, but has {left}")


_HEADER_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_WHOLE = {"shape", "indices", "indptr", "row", "col", "offsets"}
"""Arrays of a sparse matrix whose fractions SciPy would cut off."""


def _read_archive(path: str) -> Any:
    # NumPy would leave the file open if it failed to read it.
    with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
        members = archive.zip.infolist()
        unpacked = sum(member.file_size for member in members)
        if unpacked > _MOST_UNPACKED_BYTES:
            raise InputError(f"{path}: {unpacked} unpacked bytes exceed the maximum of {_MOST_UNPACKED_BYTES}")
        names = list(archive.files)
        is_sparse = {"format", "shape", "data"} <= set(names)
        if not is_sparse and len(names) != 1:
            raise InputError(f"{path}: expected one matrix, found {len(names)} arrays ({', '.join(names[:8])})")
        for member in members:
            with archive.zip.open(member) as array:
                _check_size(f"{path}: {member.filename}", array, member.file_size)
        if not is_sparse:
            return archive[names[0]]
        for name in sorted(_WHOLE & set(names)):
            if archive[name].dtype.kind not in "iu":
                raise InputError(f"{path}: {name} must contain whole numbers, not {archive[name].dtype}")
    try:
        from scipy import sparse
    except ImportError as error:
        raise UnsupportedError(f"{path}: a sparse matrix requires SciPy", "install the package scipy") from error
    return sparse.load_npz(path)
