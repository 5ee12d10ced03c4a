"""The commands ``haichi compare``, ``report``, ``calibrate`` and ``serve``. The C++ program starts them with its own
arguments."""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import select
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from haichi import _core
from haichi.base import progress_line
from haichi.base.file_names import encoded
from haichi.base.interruption import exit_code_of
from haichi.base.option_types import ComparisonOptions, JobOptions
from haichi.base.options import part_of
from haichi.base.outputs import write_files
from haichi.calibration.command import run_calibrate
from haichi.cli.command_line import Given, print_error, run_command
from haichi.comparison.driver import ComparisonProgress, compare_specs
from haichi.comparison.files import read_comparison
from haichi.comparison.plan import jobs_of_files
from haichi.comparison.results import Comparison, check_output
from haichi.errors import Error, InputError, InternalError, OptionError
from haichi.service.command import run_serve

_DONE = 0
_BAD_INPUT = 2
_INTERNAL = 70
_INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Runs a command as the only work of the process. A signal ends it with exit code 130."""
    return exit_code_of(lambda: run(arguments))


def serve() -> int:
    """The entry point of the console script ``haichi-serve``."""
    return main(["serve", *sys.argv[1:]])


def run(arguments: Sequence[str]) -> int:
    """Runs a command and returns its exit code. Data go to standard output, messages to standard error. Signal handlers
    stay as the caller has set them."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # haichi reports problems once, as an error
    try:
        return run_command(COMMANDS, arguments)
    except BrokenPipeError:  # the reader has closed the pipe, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BAD_INPUT
    except Error as error:
        print_error(*error.on_command_line())
        return _INTERNAL if isinstance(error, InternalError) else _BAD_INPUT
    except MemoryError:
        print_error("out of memory", "use fewer --processes or a smaller workload")
        return _INTERNAL
    except Exception as error:  # an exception is a bug, and its report needs the traceback
        traceback.print_exc()
        print_error(f"internal error: {error}", "report this bug with the lines above")
        return _INTERNAL


def _shapes(words: Sequence[str] | None) -> list[str] | dict[str, list[str]] | None:
    """Parses ``A,B,...`` for all workloads, or ``NAME=A,B,...`` for each workload."""
    if words is None:
        return None
    named = dict(word.split("=", 1) for word in words if "=" in word)
    if not named and len(words) == 1:
        return words[0].split(",")
    if len(named) < len(words):
        raise OptionError("§shapes must be given once, or once per workload", "write it as in §shapes cg64=1x2x4x2x3x2")
    return {name: shapes.split(",") for name, shapes in named.items()}


def _run_compare(given: Given) -> int:
    outputs: list[str] = given.get("output", [])
    as_json, no_views, with_timing = (bool(given.get(name)) for name in ("json", "no_views", "timing"))
    for path in outputs:
        check_output(path)
    if no_views and any(path.endswith(".html") for path in outputs):
        raise OptionError("§no-views cannot be combined with a report")
    if given.get("form") == "calls" and "message_size" in given:
        raise OptionError("§message-size requires communication sets and cannot be used for the calls of a log")
    journal = f"{outputs[0]}.journal" if outputs else None
    inputs = [
        *given["workload"],
        *(given[name] for name in ("machine", "nodes", "faulty", "fold", "job") if name in given),
    ]
    written = outputs if journal is None else [*outputs, journal]
    _check_files(inputs, written)
    earlier = _earlier(outputs)
    line = None if given.get("quiet") or not sys.stderr.isatty() else _ProgressLine()
    lines = _ProgressLines(given["progress_fd"]) if "progress_fd" in given else None
    listeners = [listener for listener in (line, lines) if listener is not None]
    jobs = jobs_of_files(
        given["workload"],
        given["machine"],
        _shapes(given.get("shapes")),
        given.get("message_size"),
        given.get("workload_format", ""),
        part_of(JobOptions, given),
    )
    # The jobs are loaded now, so that all their input files are known.
    _check_files(
        [*inputs, *(file for listed in jobs.values() for one in listed for file in one.input_files())], written
    )
    comparison = compare_specs(
        jobs,
        part_of(ComparisonOptions, given),
        journal=journal,
        earlier=earlier,
        views=not no_views and (as_json or any(not path.endswith(".csv") for path in outputs)),
        progress=lambda progress: [listener(progress) for listener in listeners],
    )
    if line is not None:
        progress_line.show("")
    # An unfinished comparison does not replace a finished one.
    is_kept = comparison.interrupted and earlier is not None and not earlier.interrupted
    if not is_kept:
        comparison.write(*outputs, timing=with_timing)
    if journal is not None and not comparison.interrupted:
        Path(journal).unlink(missing_ok=True)
    if comparison.warning:
        print(f"warning: {comparison.warning}", file=sys.stderr)
    _print(comparison.to_json(timing=with_timing) if as_json else comparison.text())
    if comparison.interrupted:
        kept = f"{outputs[0]} is unchanged; " if is_kept else ""
        if journal is not None:
            print(f"interrupted; {kept}run the same command again to continue ({journal})", file=sys.stderr)
        return _INTERRUPTED
    if all(cell["status"] == "failed" for cell in comparison.cells):
        first = comparison.cells[0]
        is_only_error = all(cell["error"] == first["error"] for cell in comparison.cells)
        raise OptionError(
            first["error"] if is_only_error else f"every cell failed; the first error: {first['error']}", first["hint"]
        )
    return _DONE


def _check_files(inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Raises OptionError for outputs that are also inputs or cannot be written. Call this before anything is read."""
    _core.check_outputs([encoded("input", path) for path in inputs], [encoded("output", path) for path in outputs])


def _earlier(outputs: Sequence[str]) -> Comparison | None:
    """The comparison in the first output file; None if it has none."""
    if not outputs or not outputs[0].endswith(".json") or not Path(outputs[0]).is_file():
        return None
    try:
        return Comparison.read(outputs[0])
    except InputError:
        return None  # another kind of file, which is replaced


def _print(text: str) -> None:
    """Prints to standard output, in ASCII if its encoding requires this. Raises InputError if standard output is full
    or closed."""
    if sys.stdout is None:
        raise InputError("standard output is closed")
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = text.replace("±", "+-").replace("µ", "u").encode("ascii", "backslashreplace").decode()
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # discards the rest of the buffer
        raise InputError(f"cannot write standard output: {error.strerror}") from error


class _ProgressLine:
    """A terminal line that shows the progress."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def __call__(self, progress: ComparisonProgress) -> None:
        computed = progress.cells_done - progress.taken_over
        text = f"{progress.cells_done} of {progress.cells} cells"
        if progress.failed:
            text += f", {progress.failed} failed"
        if computed:
            left = (time.monotonic() - self._started) / computed * (progress.cells - progress.cells_done)
            text += f", about {left / 60:.0f} min left" if left >= 90 else f", about {left:.0f} s left"
        progress_line.show(text)


class _ProgressLines:
    """Writes a line of JSON per cell, in the format of the C++ commands (cli/output/progress.cc)."""

    def __init__(self, descriptor: int) -> None:
        try:
            mode = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
        except (OSError, OverflowError):
            mode = None
        if mode is None or mode == os.O_RDONLY or descriptor == 1:
            why = {1: "is standard output, which receives results"}.get(
                descriptor, "is not open" if mode is None else "cannot be written to"
            )
            raise OptionError(
                f"§progress-fd: descriptor {descriptor} {why}",
                "haichi compare ... §progress-fd 3 3>progress.jsonl",
            )
        self._descriptor = descriptor
        self._room = select.poll()
        self._room.register(descriptor, select.POLLOUT)

    def __call__(self, progress: ComparisonProgress) -> None:
        """Writes a line. Skips it if the reader has not yet read the earlier ones."""
        line = {
            "phase": "cells",
            "share": progress.cells_done / max(progress.cells, 1),
            "cells_done": progress.cells_done,
            "cells": progress.cells,
            "failed": progress.failed,
        }
        if any(event & select.POLLOUT for _, event in self._room.poll(0)):
            with contextlib.suppress(OSError):
                os.write(self._descriptor, json.dumps(line, separators=(",", ":")).encode() + b"\n")


def _run_report(given: Given) -> int:
    results: str = given["RESULTS"]
    output = given.get("output") or str(Path(results).with_suffix(".html"))
    check_output(output, (".html",))
    _check_files([results], [output])
    # matplotlib takes long to import
    from haichi.report.figures import figure_files
    from haichi.report.link_history import (
        is_link_statistics,
        link_history_figures,
        link_history_page,
        read_link_history,
    )
    from haichi.report.page import page_text

    if is_link_statistics(results):
        history = read_link_history(results)
        page = link_history_page(history, results)
        figures = link_history_figures(history, given["figures"], results) if "figures" in given else {}
    else:
        comparison = read_comparison(results)
        page = page_text(comparison, results)
        figures = figure_files(comparison, given["figures"], source=results) if "figures" in given else {}
    write_files([(output, page), *figures.items()])
    if not given.get("quiet"):
        print(f"wrote the report {output}", file=sys.stderr)
    return _DONE


def _run_calibrate(given: Given) -> int:
    code, text = run_calibrate(given)
    _print(text)
    return code


COMMANDS = {"compare": _run_compare, "report": _run_report, "calibrate": _run_calibrate, "serve": run_serve}
"""The commands by name. Their options are defined in options/python_commands.cc."""
