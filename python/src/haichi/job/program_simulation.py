"""MPI programs on the packet simulator: `haichi run -- PROGRAM` from Python."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Unpack, cast

import numpy as np
import numpy.typing as npt

from haichi import _core, errors
from haichi.base.file_names import encoded
from haichi.base.option_types import JobOptions, ObservationOptions, ProgramOptions
from haichi.base.options import given_options, part_of, takes
from haichi.base.program import FinishedProcess, find_program, run_program
from haichi.errors import Error, InputError, InternalError, OptionError
from haichi.model.job_spec import job_options
from haichi.model.machine import Machine, MachineLike, as_machine, warn_of_buffers
from haichi.model.placement import PlacementLike, as_map
from haichi.model.simulation import (
    BufferHistory,
    LinkStatistics,
    SimulationCallback,
    SimulationProgress,
    observation_options,
)
from haichi.results.simulation import RowsOfRuns, RunFractions, SimulatedRun, frame_of_runs, run_fields

ProgramLike = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A program, or a program and its arguments."""

InputLike = str | bytes
"""Standard input of rank 0: a text (encoded as UTF-8), or bytes."""


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class ProgramSimulation(SimulatedRun):
    """The result of `simulate_program`. An interrupted run has the results so far."""

    fractions_of_run: RunFractions
    program: str
    exit_code: int
    """The exit code of the program: the argument of MPI_Abort, or the first exit code of a rank that is not 0."""
    measured_factor: float | None
    """The factor between the simulated time of code between MPI calls and its CPU time on this computer. With a factor,
    times differ between runs, because CPU time is measured. None: this code took no simulated time."""
    output: str | None
    """The standard output of the program; None if it was passed through."""
    errors: str | None
    """Standard error of the run: text of the program, and warnings of haichi."""
    node_of_rank: npt.NDArray[np.int32]
    _report: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The report in the format ``haichi-simulation/1``, as ``haichi run --json`` prints it."""
        return cast("dict[str, Any]", json.loads(self.to_json()))

    def to_json(self) -> str:
        return json.dumps(self._report)

    def to_dataframe(self, rows: RowsOfRuns = "ranks") -> Any:
        """A pandas.DataFrame with the rows and columns of `Simulation.to_dataframe`. The column barrier is ``"none"``.

        Raises OptionError for other values of `rows`, and UnsupportedError without pandas.
        """
        return frame_of_runs((self,), self.node_of_rank, rows)

    def __repr__(self) -> str:
        text = f"ProgramSimulation({self.program}, ranks={len(self.node_of_rank)}, {self.seconds:.6g} s"
        text += f", exit_code={self.exit_code}" if self.exit_code else ""
        return text + (", interrupted)" if self.interrupted else ")")


@takes(ProgramOptions)
def simulate_program(
    program: ProgramLike,
    machine: MachineLike,
    *,
    placement: PlacementLike | None = None,
    statistics: LinkStatistics | None = None,
    history: BufferHistory | None = None,
    input: InputLike | None = None,
    output: Literal["return", "pass"] = "return",
    progress: SimulationCallback | None = None,
    **options: Unpack[ProgramOptions],
) -> ProgramSimulation:
    """Runs an unchanged MPI program, built for MPICH, on the simulated machine, as ``haichi run -- PROGRAM`` does. The
    simulation runs in a separate process.

    Parameters
    ----------
    program: the path of the program (or its name in PATH), or a sequence of the path and the arguments.
    machine: a Machine, a preset, ``"graph:FILE"``, a machine file, or the content of one.
    placement: a Placement, a rank-map file, or the node of each rank; None for the default placement.
    statistics, history: as in `Job.simulate`.
    input: standard input of rank 0; None means empty.
    output: ``"return"`` stores the output of the program in the result; ``"pass"`` writes it to `sys.stdout` and
        `sys.stderr`.
    progress: called a few times a second with a SimulationProgress whose iterations are 0.
    {options}

    Ctrl-C ends the run and returns the results so far. A second Ctrl-C raises KeyboardInterrupt.

    Raises OptionError, InputError and UnsupportedError with the messages of the command haichi. These include errors of
    programs that cannot run, deadlock or crash. A nonzero exit code of the program does not raise an error.
    """
    given = given_options("simulate_program", ProgramOptions, options)
    if output not in ("return", "pass"):
        raise OptionError(f"output must be 'return' or 'pass', not {output!r}")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function, not {progress!r}")
    words = [program] if isinstance(program, str | bytes | os.PathLike) else list(program)
    if not words:
        raise OptionError("program is empty", "use a path, or a sequence of a path and arguments")
    with tempfile.TemporaryDirectory(prefix="haichi-") as folder:
        files = _Files(Path(folder))
        job = job_options(part_of(JobOptions, given))
        given |= {name: files.write_list(name, value) for name, value in job.items() if isinstance(value, list)}
        asked = _words(ProgramOptions, given) + _words(ObservationOptions, observation_options(statistics, history))
        report = files.folder / "report.json"
        command = [
            *(str(find_program()), "run", *_machine(machine, files), *asked, *_map(placement, files)),
            *("--json", "-o", str(report), "--", *(os.fsdecode(encoded("program", word)) for word in words)),
        ]
        events = _RunEvents(progress)
        passes = output == "pass"
        finished = run_program(
            command,
            input=input.encode() if isinstance(input, str) else input,
            on_event=events,
            output=(lambda text: sys.stdout.write(text)) if passes else None,
            errors=(lambda text: sys.stderr.write(text)) if passes else None,
        )
        if not report.is_file():
            raise _error(finished, events.failure)
        content = json.loads(report.read_text(encoding="utf-8"))
    return _result(content, None if passes else (finished.output, finished.errors))


def _words(types: type, given: dict[str, Any]) -> list[str]:
    """The options as command-line words."""
    return [
        f"--{name.replace('_', '-')}" + (f"={word}" if word else "")
        for name, words in _core.option_words(types.__name__, given).items()
        for word in words
    ]


def _result(content: dict[str, Any], texts: tuple[str, str] | None) -> ProgramSimulation:
    (entry,) = content["runs"]
    nodes = np.array(content["node_of_rank"], np.int32)
    nodes.flags.writeable = False
    return ProgramSimulation(
        **run_fields(entry) | {"interrupted": bool(content.get("interrupted", False))},
        program=entry["program"],
        exit_code=entry["exit_code"],
        measured_factor=entry["computing"]["factor"] if "computing" in entry else None,
        output=texts[0] if texts else None,
        errors=texts[1] if texts else None,
        node_of_rank=nodes,
        _report=content,
    )


@dataclass
class _Files:
    """Files that pass values to the command haichi."""

    folder: Path

    def write(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        return str(path)

    def write_list(self, name: str, entries: list[Any]) -> str:
        """Writes a file with node numbers, coordinates or host names, one per line."""
        lines = (" ".join(map(str, entry)) if isinstance(entry, list) else str(entry) for entry in entries)
        return self.write(name, "".join(f"{line}\n" for line in lines))


def _machine(given: MachineLike, files: _Files) -> list[str]:
    machine = as_machine(given)
    warn_of_buffers(machine)
    if not isinstance(given, Machine) and isinstance(given, str | os.PathLike):
        return ["-m", os.fsdecode(encoded("machine", given))]
    name, text, _ = machine.__reduce__()[1]
    # A machine file may name further files relative to its directory, so an existing file is passed by its name.
    return ["-m", name if text is None or Path(name).is_file() else files.write("machine.json", text)]


def _map(placement: PlacementLike | None, files: _Files) -> list[str]:
    if placement is None:
        return []
    given = as_map("placement", placement)
    if isinstance(given, bytes):
        return ["--map", os.fsdecode(given)]
    mapping = {"schema": "haichi-mapping/1", "node_of_rank": [int(node) for node in given]}
    return ["--map", files.write("map.json", json.dumps(mapping)), "--format", "json"]


class _RunEvents:
    """Forwards the progress of a run, and stores its error."""

    failure: dict[str, str] | None = None

    def __init__(self, progress: SimulationCallback | None) -> None:
        self._progress = progress

    def __call__(self, event: dict[str, Any]) -> None:
        if event.get("phase") == "failed":
            self.failure = event["error"]
        elif self._progress is not None:
            self._progress(_progress_of(event))


def _error(finished: FinishedProcess, failure: dict[str, str] | None) -> Error:
    """Makes the exception for a run that left no report."""
    if failure is not None:
        kind = {"input": InputError, "option": OptionError, "unsupported": errors.UnsupportedError}
        return kind.get(failure["kind"], InternalError)(failure["message"], failure["hint"])
    # A rank crashed. The last error message describes the cause.
    before, mark, text = finished.errors.rpartition("error: ")
    if not mark or (before and not before.endswith("\n")):
        return InternalError(f"haichi ended with exit code {finished.code} without a message")
    message, _, hint = text.strip().partition("\nhint: ")
    return InputError(message, hint)


def _progress_of(told: dict[str, Any]) -> SimulationProgress:
    return SimulationProgress(
        simulated_seconds=told["simulated_seconds"],
        iterations_done=0,
        iterations=0,
        packet_hops=told["packet_hops"],
        packet_hops_per_second=told.get("packet_hops_per_second", 0.0),
        calls_done=told.get("calls_done", 0),
    )
