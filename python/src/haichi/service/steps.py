"""The specification of a job's process for the supervisor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haichi.service.data_folder import JobFolder
from haichi.service.kinds import JOB_KINDS, JobKind, file_name
from haichi.service.limits import Limits
from haichi.service.program import Program
from haichi.service.queue import Job

_GOOD_CODES = [0, 3]
"""Exit codes with a result. With 3, the result misses a limit of --require."""


NO_LEASE = 1e9
"""A lease in seconds that never ends. A local supervisor does not need a lease, because it sees the end of the
server."""


def specification(
    program: Program, folder: JobFolder, job: Job, limits: Limits, lease_seconds: float = NO_LEASE
) -> dict[str, Any]:
    """The specification of an attempt at a job."""
    process = _process(program, folder.work, folder.temporary, limits)
    return process | {
        "environment": process["environment"] | {"HAICHI_LOG": "info"},  # the lines go to the server's log
        "attempt": job.attempts,
        "lease_seconds": lease_seconds,
        "lock": str(folder.lock),
        "log": str(folder.attempts),
        "outcome": str(folder.outcome),
        "said": str(folder.said),
        "steps": _steps(program, folder, job, limits),
    }


def _process(
    program: Program,
    work: Path,
    temporary: Path,
    limits: Limits,
    seconds: float | None = None,
    only_reads: Path | None = None,
) -> dict[str, Any]:
    """The part of a specification that all processes share. If the file `only_reads` is given, the process cannot
    change files in `work`."""
    reads = [] if only_reads is None else [work, only_reads]
    return {
        "folder": str(work),
        "temporary": str(temporary),
        "confinement": program.confinement(reads, [] if reads else [work]),
        "lease_seconds": NO_LEASE,
        "environment": program.environment(work),
        "limits": limits.of_process(seconds),
    }


def _steps(program: Program, folder: JobFolder, job: Job, limits: Limits) -> list[dict[str, Any]]:
    steps = []
    if job.request["pattern"]:
        steps.append(
            {
                "arguments": [str(program.path), "pattern", *job.request["pattern"]],
                "stdout": str(folder.work / file_name("workload")),
                "good_codes": [0],
            }
        )
    kind = JOB_KINDS[job.kind]
    own = [*kind.result_options, *_news(program, kind), *_checkpoint(program, folder, job)]
    arguments = [*kind.command, *own, *_with_processors(program, job, limits)]
    steps.append(
        {"arguments": [str(program.path), *arguments], "stdout": str(folder.result), "good_codes": _GOOD_CODES}
    )
    return steps


def _news(program: Program, kind: JobKind) -> list[str]:
    """The option with the descriptor from which the supervisor reads progress."""
    return ["--progress-fd=3"] if "progress-fd" in program.options(kind.command) else []


def _checkpoint(program: Program, folder: JobFolder, job: Job) -> list[str]:
    """The option for a checkpoint, from which the next attempt continues after an interruption. Without a checkpoint, a
    job starts again and gives an equal result."""
    given = {word.partition("=")[0] for word in job.request["arguments"]}
    can = "checkpoint" in program.options(JOB_KINDS[job.kind].command)
    return [f"--checkpoint={folder.checkpoint}"] if can and "--time" in given and "--shapes" not in given else []


def _with_processors(program: Program, job: Job, limits: Limits) -> list[str]:
    """The arguments of the job with at most `Limits.threads` threads. Results do not depend on this number."""
    options = program.options(JOB_KINDS[job.kind].command)
    arguments: list[str] = job.request["arguments"]
    for name in ("threads", "processes"):
        given = [word for word in arguments if word.startswith(f"--{name}=")]
        number = given[0].partition("=")[2] if given else str(limits.threads)
        if (
            name in options and number.isascii() and number.isdigit() and len(number) < 5
        ):  # the program rejects other words
            kept = [word for word in arguments if word not in given]
            arguments = [f"--{name}={min(int(number), limits.threads)}", *kept]
    return arguments


def comparison(program: Program, job: Job, folder: Path, shape: str | None, limits: Limits) -> dict[str, Any]:
    """The specification of a comparison of the placement in the file `found` with the default placement. `folder`
    contains this file and the files of the job."""
    # Keeps the options that define the job, without the options of the search.
    options = program.options(("compare",)).values()
    of_jobs = {row.name for row in options if row.group in ("Job", "Workload") and row.name != "shapes"}
    kept = [word for word in job.request["arguments"] if word.removeprefix("--").partition("=")[0] in of_jobs]
    asked = ["--strategies=default,map:found", "--seeds=1", "--processes=1", "--json", "--output=report.html"]
    arguments = ["compare", *kept, *([f"--shapes={shape}"] if shape else []), *asked]
    output = str(folder / "comparison.json")
    return _process(program, folder, folder / "tmp", limits, seconds=300) | {
        "attempt": 1,
        "lock": str(folder / "lock"),
        "log": str(folder / "attempts.log"),
        "outcome": str(folder / "outcome.json"),
        "said": str(folder / "said.txt"),
        "steps": [{"arguments": [str(program.path), *arguments], "stdout": output, "good_codes": [0]}],
    }


def conversion(
    program: Program,
    job: Job,
    work: Path,
    mapping: Path,
    output: Path,
    words: dict[str, str | None],
    limits: Limits,
    without: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The specification that converts a placement to another format. `words`: options of the conversion; a flag has
    None. `without`: options of the job that are left out."""
    known = program.options(("convert",))
    given = {word.removeprefix("--").partition("=")[0]: word for word in job.request["arguments"]}
    kept = [word for name, word in given.items() if name in known and name not in {*words, *without, "map", "format"}]
    asked = [f"--{name}" if word is None else f"--{name}={word}" for name, word in words.items()]
    arguments = ["convert", f"--map={mapping}", "--format=json", *kept, *asked]
    temporary = output.with_name(f"{output.name}.tmp")
    return _process(program, work, temporary, limits, seconds=60, only_reads=mapping) | {
        "attempt": 1,
        "lock": f"{output}.lock",
        "log": f"{output}.log",
        "outcome": f"{output}.outcome",
        "said": f"{output}.said",
        "steps": [{"arguments": [str(program.path), *arguments], "stdout": str(output), "good_codes": [0]}],
    }
