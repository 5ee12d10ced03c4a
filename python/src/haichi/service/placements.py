"""Splits the placements of a result into one file per shape. A process does this once, and the files are stored with
the job. Results of large jobs have many megabytes, and `json` holds the interpreter lock while it parses them.

This file runs as a script (`python -I -S placements.py RESULT DIRECTORY`) with the standard library only. It writes two
kinds of files to DIRECTORY. `index.json` is a list of {"shape", "request", "strict", "ranks", "nodes"}. `0.json`,
`1.json`, ... have the placements in the program's format.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any


def split(result: Path, folder: Path) -> None:
    report: dict[str, Any] = json.loads(result.read_bytes())
    index = []
    if "shapes" not in report:
        os.link(result, folder / "0.json")
        index.append(_row(report))
    for number, entry in enumerate(report.get("shapes", [])):
        nodes = entry["node_of_rank"]
        mapping = {"schema": "haichi-mapping/1", "ranks": len(nodes), "node_of_rank": nodes}
        (folder / f"{number}.json").write_text(json.dumps(mapping), encoding="utf-8")
        index.append(_row(entry))
    told = {"is_one_of_several": "shapes" in report, "placements": index}
    (folder / "index.json").write_text(json.dumps(told), encoding="utf-8")


def _row(report: dict[str, Any]) -> dict[str, Any]:
    """The index entry of a placement. `shape` uses the axes of the machine. `request` is the shape that PJM is given,
    if PJM schedules the machine. `strict` is true if PJM must not rotate the request."""
    nodes = report.get("node_of_rank", [])
    shape, request = ("x".join(map(str, report.get(key, []))) for key in ("shape", "request"))
    is_strict = report.get("rotated", {}).get("strict", False)
    return {"shape": shape, "request": request, "strict": is_strict, "ranks": len(nodes), "nodes": len(set(nodes))}


if __name__ == "__main__":
    gc.disable()  # see json_bodies
    split(Path(sys.argv[1]), Path(sys.argv[2]))
