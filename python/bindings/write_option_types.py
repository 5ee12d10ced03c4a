"""Writes haichi/base/option_types.py: the keyword parameters of the package's functions as types, made of the table of
options in the module that was built.

python write_option_types.py _core.*.so OUTPUT
"""

import importlib.util
import sys
from pathlib import Path

HEAD = '''"""The options of the package's functions, made of the program's table of options when it is built."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict

import numpy as np
import numpy.typing as npt


class Placed(Protocol):
    """A placement."""

    @property
    def node_of_rank(self) -> npt.NDArray[np.int32]: ...


FileLike = str | os.PathLike[str]
SizesLike = str | Sequence[int]
NodesLike = FileLike | Sequence[int] | Sequence[Sequence[int]] | npt.NDArray[np.integer[Any]]
"""A file, numbers of nodes (row-major, last axis fastest), or their coordinates."""
HostsLike = FileLike | Sequence[str]
StartLike = Placed | FileLike | npt.ArrayLike
'''
BY_NAME = {"nodes": "NodesLike", "faulty": "NodesLike", "hosts": "HostsLike", "start": "StartLike"}
BY_KIND = {
    "flag": "bool",
    "count": "int",
    "number": "float",
    "bytes": "int | str",
    "time": "float | str",
    "sizes": "SizesLike",
    "list": "str | int | Sequence[str | int]",
    "texts": "str | Sequence[str] | Mapping[str, str]",
    "text": "str",
    "file": "FileLike",
    "files": "Sequence[FileLike]",
    "file or word": "FileLike",
    "output file": "FileLike",
}
NUMBERS = {"N": "int | ", "X": "float | "}
"""Of texts that may be numbers: what stands for the value in help."""


def type_of(row):
    if row["choices"]:
        return f"Literal[{', '.join(map(repr, row['choices']))}]".replace("'", '"')
    numbers = [NUMBERS.get(word, "") for word in row["value"].split("|")] if row["kind"] == "text" else []
    return BY_NAME.get(row["name"]) or "".join(numbers) + BY_KIND[row["kind"]]


def main(library, output):
    spec = importlib.util.spec_from_file_location("_core", library)
    core = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(core)
    parts = [HEAD]
    for table in core.option_tables():
        fields = "".join(f"    {row['name']}: {type_of(row)} | None\n" for row in core.option_rows(table))
        parts.append(f"\nclass {table}(TypedDict, total=False):\n{fields}")
    Path(output).write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
