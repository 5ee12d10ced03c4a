"""The files of a comparison: JSON in the format ``haichi-comparison/1`` (docs/reference/results_of_comparisons.md), and
CSV with the cells."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from haichi.base.json_text import one_line
from haichi.errors import InputError

SCHEMA = "haichi-comparison/1"
_LISTS = ("workloads", "objectives", "cells", "views", "networks", "message_lists")
"""The keys of long lists. Each list entry is on its own line."""
_RUNS = ("none", "sets", "calls")


def from_json(outcome: dict[str, Any]) -> dict[str, Any]:
    """Converts the placement in an outcome to an array, which takes a tenth of a list's memory."""
    if "node_of_rank" in outcome:
        outcome["node_of_rank"] = np.array(outcome["node_of_rank"], np.int32)
        outcome["node_of_rank"].flags.writeable = False
    return outcome


_ALWAYS_THERE = ("objective", "search", "ranks", "nodes", "evaluations", "optimal", "objectives", "metrics")


def checked_outcome(outcome: Any) -> dict[str, Any]:
    """Checks the outcome of a finished cell from a file. Raises ValueError, TypeError or KeyError for anything else."""
    if outcome["status"] != "done" or any(key not in outcome for key in _ALWAYS_THERE):
        raise ValueError("not an outcome of a cell")
    float(outcome["metrics"]["tac3_seconds"])
    for run in outcome.get("simulated", {}).values():
        float(run["seconds"])
    checked: dict[str, Any] = from_json(outcome)
    nodes = checked["node_of_rank"]
    if nodes.shape != (outcome["ranks"],) or (nodes.size and not 0 <= nodes.min() <= nodes.max() < outcome["nodes"]):
        raise ValueError("not a placement")
    return checked


def json_text(comparison: dict[str, Any]) -> str:
    """The JSON of a comparison. Each key has a line, and so has each entry of the long lists."""
    parts = []
    for key, value in comparison.items():
        if key in _LISTS:
            entries = ",\n  ".join(one_line(entry) for entry in value)
            parts.append(f'"{key}": [\n  {entries}\n ]' if value else f'"{key}": []')
        else:
            parts.append(f'"{key}": {one_line(value)}')
    return "{" + ",\n ".join(parts) + "}\n"


def csv_text(cells: Sequence[dict[str, Any]]) -> str:
    """CSV with a line per cell. Columns: one per objective, per metric that is a single number, and per simulation."""
    rows = [cell_row(cell) for cell in cells]
    columns: dict[str, None] = {}
    for row in rows:
        columns.update(dict.fromkeys(row))
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def cell_row(cell: dict[str, Any]) -> dict[str, Any]:
    """The values of a cell by column name, for CSV and data frames."""
    plain = ("workload", "shape", "strategy", "seed", "status", "error", "objective", "search", "ranks", "nodes")
    row: dict[str, Any] = {key: cell.get(key) for key in (*plain, "evaluations", "optimal")}
    for run in _RUNS:
        if run in cell.get("simulated", {}):
            for key in ("seconds", "compute_seconds", "call_seconds", "wait_seconds"):
                row[f"simulated_{key}_{run}"] = cell["simulated"][run][key]
    for name, entry in cell.get("objectives", {}).items():
        row[f"{name.replace('-', '_')}_value"] = entry["value"]
        row[f"{name.replace('-', '_')}_lower_bound"] = entry["lower_bound"]
    for name, value in cell.get("metrics", {}).items():
        if not isinstance(value, list):
            row[name] = value
    for key in ("wall_seconds", "evaluations_per_second"):
        if key in cell:
            row[key] = cell[key]
    return row


def read_comparison(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Reads a results file. Raises InputError with file and line for other files."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        content = json.loads(text)
    except OSError as error:
        raise InputError(f"cannot read {os.fspath(path)}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{os.fspath(path)}: not UTF-8 text (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{os.fspath(path)}:{error.lineno}: expected JSON: {error.msg}") from error
    except ValueError as error:  # from int(), for integers with thousands of digits
        raise InputError(f"{os.fspath(path)}: a number is too long") from error
    except RecursionError as error:
        raise InputError(f"{os.fspath(path)}: the JSON is nested too deeply") from error
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise InputError(
            f"{os.fspath(path)}: expected the schema {SCHEMA!r}, found {schema!r}",
            "write the file with `haichi compare -o FILE.json`",
        )
    for key, kind in {"request": dict, "workloads": list, "cells": list, "summary": dict, "views": list}.items():
        if not isinstance(content.get(key), kind):
            raise InputError(f"{os.fspath(path)}: {key!r} must be {'a list' if kind is list else 'an object'}")
    comparison: dict[str, Any] = content
    return comparison
