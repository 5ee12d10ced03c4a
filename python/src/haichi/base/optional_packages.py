"""Packages that haichi uses if they are installed, such as pandas, SciPy and matplotlib."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from haichi.errors import UnsupportedError


def optional_package(name: str, purpose: str, install: str) -> Any:
    """Imports the module `name`. Raises UnsupportedError that names the package to install."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UnsupportedError(
            f"{purpose} require {install}", f"install the package {install}: pip install {install}"
        ) from error


def missing_requirements() -> list[str]:
    """The required packages that are not installed, with their lower bounds, in the form that pip expects."""
    missing = []
    for requirement in distribution("haichi").requires or []:
        name = re.match(r"[\w.-]+", requirement)
        if name is None or ";" in requirement:  # belongs to an extra
            continue
        try:
            distribution(name[0])
        except PackageNotFoundError:
            missing.append(requirement)
    return missing


def data_frame(columns: Mapping[str, Any]) -> Any:
    """A pandas.DataFrame with these columns. Raises UnsupportedError without pandas."""
    return optional_package("pandas", "data frames", "pandas").DataFrame(dict(columns))


def sparse_arrays() -> Any:
    """The module scipy.sparse. Raises UnsupportedError without SciPy."""
    return optional_package("scipy.sparse", "sparse matrices", "scipy")


def drawing_axes(ax: Any) -> Any:
    """The matplotlib axes `ax`; for None, the axes of a new figure. Raises UnsupportedError without matplotlib."""
    if ax is not None:
        return ax
    return optional_package("matplotlib.pyplot", "plots", "matplotlib").subplots(layout="constrained")[1]
