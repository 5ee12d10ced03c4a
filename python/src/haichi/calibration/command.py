"""The command ``haichi calibrate``."""

from __future__ import annotations

import sys
from typing import Any

from haichi import _core
from haichi.base import progress_line
from haichi.base.file_names import encoded
from haichi.base.outputs import write_files
from haichi.calibration.calibrate import DEFAULT_LIKE, calibrate
from haichi.calibration.figure import check_figure, figure_bytes
from haichi.calibration.machine_file import machine_text
from haichi.calibration.placed import file_and_hops
from haichi.calibration.report import report_json, report_text
from haichi.errors import OptionError


def run_calibrate(given: dict[str, Any]) -> tuple[int, str]:
    """Runs the command. Returns the exit code and the text for standard output."""
    results: list[str] = given["RESULTS"]
    outputs = [given[name] for name in ("output", "figure") if name in given]
    kind = check_figure(given["figure"]) if "figure" in given else ""
    like = given.get("like", DEFAULT_LIKE)
    if given.get("output") == "-":
        raise OptionError("§output - cannot be combined with §json, which contains the machine file", "name a file")
    inputs = [*(file_and_hops(word)[0] for word in results), like]
    _core.check_outputs([encoded("input", path) for path in inputs], [encoded("output", path) for path in outputs])
    line = None if given.get("quiet") or not sys.stderr.isatty() else progress_line.show
    found = calibrate(results, like=like, largest=given.get("largest"), progress=line)
    if line is not None:
        line("")
    machine = machine_text(found, given.get("output", "machine.json"))
    files: list[tuple[str, str | bytes]] = []
    if "output" in given:
        files.append((given["output"], machine))
    if kind:
        files.append((given["figure"], figure_bytes(found, kind)))
    write_files(files)
    return 0, report_json(found, machine) if given.get("json") else report_text(found)
