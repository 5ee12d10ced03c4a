"""The machine file that a calibration writes."""

from __future__ import annotations

import json
import os
from typing import Any

from haichi.calibration.calibrate import Calibration
from haichi.calibration.parameters import BY_NAME, EAGER_LIMIT, bandwidth_paths
from haichi.calibration.words import counted, error_words, limit_origin, origin


def machine_text(calibration: Calibration, path: str) -> str:
    """The text of the machine file for `path`. Each value has a note with its origin."""
    machine = dict(calibration.machine)
    machine["name"] = os.path.basename(path).removesuffix(".json") or "calibrated"
    graph = machine["topology"].get("file")
    if graph is not None:  # relative to the directory of the machine file
        graph = os.path.join(os.path.dirname(calibration.like), graph)
        machine["topology"] = machine["topology"] | {"file": os.path.relpath(graph, os.path.dirname(path) or ".")}
    machine["notes"] = _notes(calibration, machine)
    return json.dumps(machine, indent=2, ensure_ascii=False) + "\n"


def _notes(calibration: Calibration, machine: dict[str, Any]) -> dict[str, str]:
    sources = ", ".join(calibration.labels[source.path] for source in calibration.sources)
    before = calibration.content.get("notes", {})
    notes = {
        "": f"fitted by haichi calibrate to {sources}; root-mean-square error {calibration.rms:.1%} over "
        f"{counted(len(calibration.points), 'point')}. Values without a note are from {calibration.like}"
        + (f": {before['']}" if before.get("") else "")
    }
    notes |= {pointer: note for pointer, note in before.items() if pointer}
    for value in calibration.values:
        if value.error is None and value.held is None:
            continue
        pointers = [value.parameter.pointer]
        text = f"{origin(calibration, value)} {error_words(value)}".strip()
        if value.parameter.name == "bandwidth":
            pointers = bandwidth_paths(calibration.content, calibration.dma_is_apart)
        for pointer in pointers:
            if _is_there(machine, pointer):
                is_raised = pointer != pointers[0]
                notes[pointer] = _of_raised(calibration, machine, pointer) if is_raised else text
    if (
        not calibration.dma_is_apart
        and "/node/dma_bandwidth" in notes
        and not _is_there(machine, "/node/dma_bandwidth")
    ):
        del notes["/node/dma_bandwidth"]
    notes["/" + "/".join(EAGER_LIMIT)] = limit_origin(calibration)
    return {pointer: note for pointer, note in notes.items() if not pointer or _is_there(machine, pointer)}


def _of_raised(calibration: Calibration, machine: dict[str, Any], pointer: str) -> str:
    first, second = pointer[1:].split("/")
    if calibration.content[first][second] == machine[first][second]:
        return f"value of {calibration.like} (only the slowest part of the route limits the measured bandwidth)"
    return f"raised from {calibration.content[first][second]} (value of {calibration.like}) to the measured bandwidth"


def _is_there(machine: dict[str, Any], pointer: str) -> bool:
    value: Any = machine
    for key in pointer[1:].split("/"):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return False
    return True


def parameters_of(calibration: Calibration) -> dict[str, dict[str, Any]]:
    """The parameters for the JSON report."""
    entries = {}
    for value in calibration.values:
        is_time = BY_NAME[value.parameter.name].unit == "seconds"
        entries[value.parameter.name] = {
            "pointer": value.parameter.pointer,
            "seconds" if is_time else "seconds_per_byte": value.value,
            "standard_error": value.error,
            "fitted": value.is_fitted,
            "origin": origin(calibration, value),
        }
    return entries
