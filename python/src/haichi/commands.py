"""The commands ``haichi compare`` and ``haichi report``, which the program hands over with their arguments."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from haichi import _core
from haichi.comparison import Comparison, ComparisonProgress, compare
from haichi.comparison.files import read_comparison
from haichi.comparison.results import check_output
from haichi.comparison.strategies import DEFAULT_STRATEGIES, split_strategies
from haichi.errors import Error, InputError, InternalError, OptionError

_DONE = 0
_BAD_INPUT = 2
_INTERNAL = 70
_INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """Errors as those of the other commands."""

    def error(self, message: str) -> NoReturn:
        raise OptionError(message, f"{self.prog} --help lists the options")


def main(arguments: Sequence[str]) -> int:
    """Runs a command; returns the exit code. Data go to standard output, messages to standard error."""
    signal.signal(signal.SIGTERM, _as_interrupt)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is told once, as an error
    try:
        parsed = _parser().parse_args(arguments)
        run: Callable[[argparse.Namespace], int] = parsed.run
        return run(parsed)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # the reader has gone, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BAD_INPUT
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        return _INTERNAL if isinstance(error, InternalError) else _BAD_INPUT
    except MemoryError:
        print("error: out of memory\nhint: fewer --processes, or a smaller workload, need less", file=sys.stderr)
        return _INTERNAL
    except Exception as error:  # a bug: with the traceback, which is what a report needs
        traceback.print_exc()
        print(f"error: internal error: {error}\nhint: this is a bug; please report the lines above", file=sys.stderr)
        return _INTERNAL


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _parser() -> _Parser:
    parser = _Parser(prog="haichi", allow_abbrev=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_compare(commands)
    _add_report(commands)
    return parser


def _command(commands: Any, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary,
        epilog=f"Example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return command


def _add_compare(commands: Any) -> None:
    command = _command(
        commands,
        "compare",
        "Compare mapping strategies over workloads, shapes and seeds",
        "haichi compare -m fx10-kyushu -w cg64.json --shapes 1x2x4x2x3x2,2x2x2x2x3x2 --simulate -o results.json",
    )
    add = command.add_argument
    add("-m", "--machine", required=True, help="preset or machine file")
    add("-w", "--workload", required=True, nargs="+", action="extend", metavar="FILE", help="one or several")
    add("--workload-format", default="", help="of all of them; by default each by its content")
    add(
        "--shapes",
        action="append",
        metavar="A,B,..",
        help="of the job, as 1x2x4x2x3x2; default: the whole machine;"
        " with several workloads also one by one, as --shapes cg64=1x2x4x2x3x2 --shapes cg32=1x1x4x2x3x2",
    )
    add("--strategies", default=",".join(DEFAULT_STRATEGIES), metavar="A,B,..", help="default: %(default)s")
    add("--seeds", default="10", metavar="N", help="so many, from 1; or a list, as 3,5,8; default: %(default)s")
    add("--equal", default="evaluations", metavar="WHAT", help="evaluations (default) or seconds of every search")
    add("--evaluations", metavar="N", help="of every restart of a search")
    add("--time", metavar="T", help="of every search, as 10s, with --equal seconds")
    add("--schedule", default="auto", help="auto, paper or rmatt")
    add("--restarts", metavar="N", help="of every search")
    add("--simulate", action="store_true", help="simulate every placement, packet by packet")
    add("--barrier", metavar="WHICH", help="none, sets or both (default): how it is simulated")
    add("--sim-iterations", metavar="N", help="auto (default), all or a number")
    add("--origin", metavar="AT", help="corner of the job on the machine")
    add("--nodes", metavar="FILE", help="list of the job's nodes, instead of shapes")
    add("--faulty", metavar="FILE", help="list of nodes that are down")
    add("--ppn", default="1", metavar="N", help="ranks per node")
    add("--message-size", metavar="B", help="size of every message, as 64KiB")
    add("--routing", metavar="R", help="as in map")
    add("--fold", default="default", metavar="F", help="as in map")
    add("--count-nic", action="store_true", help="injection and ejection channels count as links")
    add("--processes", metavar="N", help="that compute cells here; default: one for each processor")
    add("--dask", metavar="ADDRESS", help="compute cells by the workers of this Dask scheduler, as tcp://HOST:8786")
    add("-o", "--output", action="append", metavar="FILE", help=".json, .csv or .html (report); may be repeated")
    add("--no-views", action="store_true", help="leave out the data for pictures")
    add("--timing", action="store_true", help="also write how long cells took, which differs from run to run")
    add("--json", action="store_true", help="results as JSON on standard output")
    add("--quiet", action="store_true", help="only errors on standard error")
    command.set_defaults(run=_run_compare)


def _count(name: str, text: str | None, least: int = 1) -> int:
    if text is None:
        return 0
    if not text.isdecimal() or len(text) > 19 or not least <= int(text) < 2**63:
        raise OptionError(f"{name}: {text!r} is no whole number from {least}")
    return int(text)


def _seeds(text: str) -> int | list[int]:
    if "," in text:
        return [_count("--seeds", part, 0) for part in text.split(",")]
    return _count("--seeds", text)


def _shapes(texts: list[str] | None) -> Any:
    """None, a list, or lists by the workload's name."""
    if texts is None:
        return None
    named = dict(text.split("=", 1) for text in texts if "=" in text)
    if not named and len(texts) == 1:
        return texts[0].split(",")
    if len(named) < len(texts):
        raise OptionError("--shapes is given once, or once for each workload", "as --shapes cg64=1x2x4x2x3x2")
    return {name: shapes.split(",") for name, shapes in named.items()}


def _seconds(text: str | None) -> float | None:
    return None if text is None else _core.parse_time_ps(text, "--time") / 1e12


def _sim_iterations(text: str) -> Any:
    return text if text in ("auto", "all") else _count("--sim-iterations", text)


def _run_compare(options: argparse.Namespace) -> int:
    outputs: list[str] = options.output or []
    for path in outputs:
        check_output(path)
    if options.no_views and any(path.endswith(".html") for path in outputs):
        raise OptionError("--no-views leaves out what the report shows")
    if not options.simulate and (options.barrier or options.sim_iterations):
        raise OptionError("--barrier and --sim-iterations are those of --simulate, which is not given")
    journal = f"{outputs[0]}.journal" if outputs else None
    earlier = _earlier(outputs)
    progress = None if options.quiet or not sys.stderr.isatty() else _ProgressLine()
    comparison = compare(
        options.workload,
        options.machine,
        workload_format=options.workload_format,
        shapes=_shapes(options.shapes),
        strategies=split_strategies(options.strategies),
        seeds=_seeds(options.seeds),
        equal=options.equal,
        evaluations=_count("--evaluations", options.evaluations),
        time_limit=_seconds(options.time),
        schedule=options.schedule,
        restarts=_count("--restarts", options.restarts),
        simulate=options.simulate,
        barrier=options.barrier or "both",
        sim_iterations=_sim_iterations(options.sim_iterations or "auto"),
        origin=options.origin,
        nodes=options.nodes,
        faulty=options.faulty,
        ppn=_count("--ppn", options.ppn),
        message_size=options.message_size,
        routing=options.routing,
        fold=options.fold,
        count_nic=options.count_nic,
        processes=_count("--processes", options.processes),
        dask=options.dask,
        journal=journal,
        views=not options.no_views and (options.json or any(not path.endswith(".csv") for path in outputs)),
        earlier=earlier,
        progress=progress,
    )
    if progress is not None:
        progress.clear()
    # Half a comparison is better than none, but not than a whole one.
    is_kept = comparison.interrupted and earlier is not None and not earlier.interrupted
    for path in [] if is_kept else outputs:
        comparison.write(path, timing=options.timing)
    if journal is not None and not comparison.interrupted:
        Path(journal).unlink(missing_ok=True)
    if comparison.warning:
        print(f"warning: {comparison.warning}", file=sys.stderr)
    _print(comparison.to_json(timing=options.timing) if options.json else comparison.text())
    if comparison.interrupted:
        kept = f"{outputs[0]} is as it was; " if is_kept else ""
        if journal is not None:
            print(f"interrupted; {kept}the same command goes on where it stopped ({journal})", file=sys.stderr)
        return _INTERRUPTED
    if all(cell["status"] == "failed" for cell in comparison.cells):
        first = comparison.cells[0]
        raise OptionError(f"every cell failed, the first: {first['error']}", first["hint"])
    return _DONE


def _earlier(outputs: Sequence[str]) -> Comparison | None:
    """What stands in the first output already, where that is a comparison."""
    if not outputs or not outputs[0].endswith(".json") or not Path(outputs[0]).is_file():
        return None
    try:
        return Comparison.read(outputs[0])
    except InputError:
        return None  # something else, which is to be replaced


def _print(text: str) -> None:
    """To standard output; as ASCII where that is all it takes. Raises InputError when it is full or closed."""
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left in the buffer
        raise InputError(f"standard output cannot be written: {error.strerror}") from error


class _ProgressLine:
    """One line of a terminal, written anew."""

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
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    def clear(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _add_report(commands: Any) -> None:
    command = _command(
        commands,
        "report",
        "Make a page of the results of compare",
        "haichi report results.json -o report.html --figures figures",
    )
    command.add_argument("results", metavar="RESULTS.json", help="what `haichi compare -o` wrote")
    command.add_argument("-o", "--output", metavar="FILE", help="default: the name of the results, in .html")
    command.add_argument("--figures", metavar="FOLDER", help="also write figures, as PNG and SVG")
    command.add_argument("--quiet", action="store_true", help="only errors on standard error")
    command.set_defaults(run=_run_report)


def _run_report(options: argparse.Namespace) -> int:
    comparison = read_comparison(options.results)
    from haichi.report import write_figures, write_report

    output = options.output or str(Path(options.results).with_suffix(".html"))
    check_output(output, (".html",))
    write_report(comparison, output, source=options.results)
    if options.figures is not None:
        write_figures(comparison, options.figures, source=options.results)
    if not options.quiet:
        print(f"the report is {output}", file=sys.stderr)
    return _DONE
