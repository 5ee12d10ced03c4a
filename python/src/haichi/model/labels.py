"""Compares the labels of pandas tables with ranks. pandas is optional."""

from __future__ import annotations

import re
import sys
from collections.abc import Hashable, Sequence
from typing import Any, Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from haichi.errors import InputError

_NUMBERED = re.compile(r"(.*?)(0|[1-9]\d{0,18})", re.DOTALL)
_OF_RANKS = re.compile(r"(?:mpi)?[ _.#:-]*(?:r|p|rank|proc|process|task)?[ _.#:-]*", re.IGNORECASE)
"""The text before the number in the label of a rank, as in "3", "rank 3" and "r3"."""
_MOST_SHOWN = 4


class LabelledMatrix(Protocol):
    """A pandas DataFrame."""

    @property
    def index(self) -> Any: ...
    @property
    def columns(self) -> Any: ...
    def to_numpy(self) -> npt.NDArray[Any]: ...


def is_labelled_matrix(value: object) -> TypeGuard[LabelledMatrix]:
    """Returns False if pandas is not loaded, because then no DataFrame exists."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame)


def is_series(value: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.Series)


def matrix_of_ranks(name: str, frame: LabelledMatrix) -> npt.NDArray[Any]:
    """The values of a table, sorted by rank. Labels that contain rank numbers may have any order. Other labels must be
    equal for rows and columns, and their order is the order of the ranks.

    Raises InputError if labels omit ranks, occur twice, or differ between rows and columns.
    """
    values = _values(name, frame)
    rows, columns = list(frame.index), list(frame.columns)
    row_ranks, column_ranks = _ranks_of(rows), _ranks_of(columns)
    for what, labels in (("rows", rows), ("columns", columns)):
        if len(set(labels)) < len(labels):
            raise InputError(f"{name} has two {what} labelled {_first_duplicate(labels)!r}")
    if row_ranks is not None and column_ranks is not None:
        ranks = max([*row_ranks, *column_ranks], default=-1) + 1
        for what, found in (("rows", row_ranks), ("columns", column_ranks)):
            if len(set(found)) < len(found):
                raise InputError(f"{name} has two {what} for rank {_first_duplicate(found)}")
        if len(rows) != ranks or len(columns) != ranks:
            raise InputError(
                f"{name} must have a row and a column for every rank from 0 to {ranks - 1}: "
                f"the rows are labelled {_shown(rows)} and the columns {_shown(columns)}",
                _reindexed(name, rows, columns, ranks),
            )
        return values[np.ix_(np.argsort(row_ranks), np.argsort(column_ranks))]
    if rows != columns:
        raise InputError(
            f"{name} must have the same labels for rows and columns, in the same order: "
            f"the rows are labelled {_shown(rows)} and the columns {_shown(columns)}",
            f"list the ranks in their order and use {name}.reindex(index=ranks, columns=ranks, fill_value=0)",
        )
    return values


def values_of_ranks(name: str, series: Any) -> npt.NDArray[Any]:
    """The values of a Series, sorted by rank. Raises InputError if its labels are not the ranks."""
    labels = list(series.index)
    ranks = _ranks_of(labels)
    if ranks is None or sorted(ranks) != list(range(len(labels))):
        raise InputError(
            f"{name} must have a value for every rank from 0 to {len(labels) - 1}: its labels are {_shown(labels)}",
            f"use {name}.to_numpy() if its values are in the order of the ranks",
        )
    found: npt.NDArray[Any] = series.to_numpy()[np.argsort(ranks)]
    return found


def check_same_rows(columns: Sequence[tuple[str, Any]]) -> None:
    """Raises InputError if Series that describe the same messages have different labels."""
    labelled = [(name, column) for name, column in columns if is_series(column)]
    for name, column in labelled[1:]:
        first, reference = labelled[0]
        if len(column) == len(reference) and not column.index.equals(reference.index):
            raise InputError(
                f"{first} and {name} have different row labels: "
                f"{_shown(list(reference.index))} and {_shown(list(column.index))}",
                "take them from one data frame, or pass to_numpy() of each to use the order of their rows",
            )


def _values(name: str, frame: LabelledMatrix) -> npt.NDArray[Any]:
    pandas = sys.modules["pandas"]
    missing = pandas.isna(frame).to_numpy()
    if missing.any():
        row, column = (int(at[0]) for at in np.nonzero(missing))
        raise InputError(
            f"{name} has no value in row {frame.index[row]!r}, column {frame.columns[column]!r}",
            f"replace missing values by zeros with {name}.fillna(0)",
        )
    values: npt.NDArray[Any] = frame.to_numpy()
    if values.dtype == object:  # columns with pandas' own number types
        numeric = [kind for kind in frame.dtypes if pandas.api.types.is_integer_dtype(kind)]  # type: ignore[attr-defined]
        if len(numeric) == len(frame.columns):
            values = values.astype(np.int64)
    return values


def _ranks_of(labels: Sequence[Hashable]) -> list[int] | None:
    """The rank in each label. None if a label has no rank number, or if labels differ in more than their numbers.
    Labels with another beginning, such as node names, count as ranks if their numbers are 0, 1 and so on."""
    ranks, stems = [], set()
    for label in labels:
        if isinstance(label, bool | np.bool_):
            return None
        if isinstance(label, int | np.integer) or isinstance(label, float | np.floating) and float(label).is_integer():
            number = int(label)
        elif isinstance(label, str) and (found := _NUMBERED.fullmatch(label.strip())):
            number = int(found[2])
            stems.add(found[1])
        else:
            return None
        if number < 0:
            return None
        ranks.append(number)
    if len(stems) > 1:
        return None
    is_of_ranks = all(_OF_RANKS.fullmatch(stem) for stem in stems)
    return ranks if is_of_ranks or sorted(ranks) == list(range(len(labels))) else None


def _first_duplicate(labels: Sequence[Hashable]) -> Hashable:
    return next(label for number, label in enumerate(labels) if label in labels[:number])


def _shown(labels: Sequence[Hashable]) -> str:
    shown = ", ".join(str(label) for label in labels[:_MOST_SHOWN])
    return shown if len(labels) <= _MOST_SHOWN else f"{shown}, ... ({len(labels)})"


def _reindexed(name: str, rows: Sequence[Hashable], columns: Sequence[Hashable], ranks: int) -> str:
    by_position = f"{name}.to_numpy() numbers ranks by their position instead"
    if any(isinstance(label, str) for label in (*rows, *columns)):
        return f"add the missing ranks to {name} as rows and columns of zeros; {by_position}"
    return f"use {name}.reindex(index=range({ranks}), columns=range({ranks}), fill_value=0); {by_position}"
