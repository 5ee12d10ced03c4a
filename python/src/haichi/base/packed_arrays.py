"""Arrays of numbers in JSON. The arrays are compressed, and equal values give byte-identical text."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from haichi.errors import InputError

PackedArray = list[Any] | dict[str, Any]
"""A short array is a list. A longer array is an object with the keys "dtype", "shape" and "zlib"."""

_DTYPES = ("int8", "uint8", "int32", "int64", "float32", "float64")
_LONGEST_LIST = 16
_LEVEL = 6
_MOST_BYTES = 2**31
"""The maximum unpacked size. Without a limit, a few compressed kilobytes could claim any size."""


def pack_array(values: npt.ArrayLike, dtype: str) -> PackedArray:
    """Packs `values` as one of the types int8, uint8, int32, int64, float32, float64.

    Bytes are grouped by significance, the least significant first. Adjacent bytes are then similar, which halves the
    compressed size of link lists.
    """
    array = np.ascontiguousarray(values, dtype=np.dtype(dtype).newbyteorder("<"))
    if array.ndim == 1 and array.size <= _LONGEST_LIST and np.all(np.isfinite(array)):
        listed: list[Any] = array.tolist()
        return listed
    planes = array.reshape(-1).view(np.uint8).reshape(array.size, array.itemsize).T
    compressed = zlib.compress(planes.tobytes(), _LEVEL)
    return {"dtype": dtype, "shape": list(array.shape), "zlib": base64.b64encode(compressed).decode("ascii")}


def unpack_array(packed: object, name: str, dimensions: int = 1) -> npt.NDArray[Any]:
    """Unpacks an array. A list becomes int64 or float64. Raises InputError, which calls the array `name`."""
    if isinstance(packed, list):
        return _listed(packed, name, dimensions)
    if not isinstance(packed, dict):
        raise InputError(f"{name}: expected a packed array, found {type(packed).__name__}")
    dtype, shape, text = packed.get("dtype"), packed.get("shape"), packed.get("zlib")
    if dtype not in _DTYPES:
        raise InputError(f"{name}: unknown dtype {dtype!r}", f"use one of {', '.join(_DTYPES)}")
    if not _is_shape(shape, dimensions):
        raise InputError(f"{name}: the shape must have {dimensions} sizes, not {shape!r}")
    kind = np.dtype(dtype).newbyteorder("<")
    assert isinstance(shape, list)
    size = 1
    for extent in shape:
        size *= extent
    if size * kind.itemsize > _MOST_BYTES:
        raise InputError(f"{name}: {size} values are too many")
    planes = np.frombuffer(_decompressed(text, size * kind.itemsize, name), np.uint8)
    values = np.ascontiguousarray(planes.reshape(kind.itemsize, size).T).reshape(-1).view(kind)
    return values.astype(dtype, copy=False).reshape(shape)


def _is_shape(shape: object, dimensions: int) -> bool:
    return (
        isinstance(shape, list)
        and len(shape) == dimensions
        and all(isinstance(extent, int) and not isinstance(extent, bool) and extent >= 0 for extent in shape)
    )


def _listed(values: Sequence[object], name: str, dimensions: int) -> npt.NDArray[Any]:
    if dimensions != 1:
        raise InputError(f"{name}: must have {dimensions} sizes, found a list")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{name}: must contain numbers, not {value!r}")
    try:
        return np.array(values, np.int64 if all(isinstance(value, int) for value in values) else np.float64)
    except OverflowError as error:
        raise InputError(f"{name}: a number exceeds 64 bits") from error


def _decompressed(text: object, size_bytes: int, name: str) -> bytes:
    if not isinstance(text, str):
        raise InputError(f"{name}: requires the string 'zlib'")
    try:
        inflater = zlib.decompressobj()
        data = inflater.decompress(base64.b64decode(text, validate=True), size_bytes + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise InputError(f"{name}: cannot unpack the array: {error}") from error
    if len(data) != size_bytes or not (inflater.eof or size_bytes == 0):
        raise InputError(f"{name}: expected {size_bytes} bytes, found {len(data)} or more")
    return data
