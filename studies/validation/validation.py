"""Validation: compares every published number that haichi can reproduce with the value that haichi computes.

    .venv/bin/python studies/validation/validation.py [--quick | --long] [--only PART,...] [--build BUILD] [-o OUTPUT]

Runs the studies on all cores. Writes README.md, validation.json, images/*.png and measured/PART.json to OUTPUT, which
is build/validation by default. With --only, README.md has the stored measurements of the other parts. BUILD is a build
directory, such as build/release. With --build, the script also measures its benchmark and profilers.

published/ has one file per part (PARTS) with the numbers, their sources and the known causes of deviations. README.md
in this directory is the result of one run; docs/validation.md has the conclusions.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import ace_studies
import cg_studies
import given_placements
import link_studies
import machine_studies
import nsim_studies
import rail_studies
import validation_text
import wide_area_studies
from cg_studies import Effort, Measured

PUBLISHED = Path(__file__).with_name("published")
PARTS = ("tac3", "tofu", "nsim", "nsim_ace", "wide_area", "mpiprof")
BY_CONSTRUCTION, AGREES, BETTER = "by construction", "agrees", "better"
DEVIATES, NOT_REPRODUCED = "deviates", "not reproduced"
OF_BUILD = ("uniform.", "profiler.")
VERDICTS = (AGREES, BETTER, BY_CONSTRUCTION, DEVIATES, NOT_REPRODUCED)


@dataclass(frozen=True)
class Published:
    """Groups of published numbers, and the sources of each kind of number."""

    groups: list[dict[str, Any]]
    kinds: dict[str, list[str]]


@dataclass(frozen=True)
class Row:
    """A published number and our value for it."""

    id: str
    what: str
    unit: str
    source: str
    published: Any  #: number, text, or {"at_most" or "at_least": number}
    ours: Measured | None
    deviation: float | None  #: ours - published
    relative_deviation: float | None
    verdict: str  #: one of VERDICTS
    reason: str
    blind: bool  #: the number was not known when its model was made


def _deviation(published: Any, ours: float) -> tuple[float, float | None]:
    """Returns absolute and relative deviation. Both are zero if our value meets a published limit."""
    if isinstance(published, dict):
        limit = next(iter(published.values()))
        inside = ours <= limit if "at_most" in published else ours >= limit
        return (0.0, 0.0) if inside else (ours - limit, ours / limit - 1)
    return ours - published, ours / published - 1 if published else None


def _verdict(number: dict[str, Any], ours: Measured) -> tuple[str, str]:
    published, tolerance = number["published"], 0.0 if number.get("exact") else number.get("tolerance", 0.05)
    if isinstance(published, str) or isinstance(ours.value, str):
        within = published == ours.value
        stated = "the same"
    else:
        absolute, relative = _deviation(published, ours.value)
        within = absolute == 0 or (relative is not None and abs(relative) <= tolerance)
        stated = f"within {100 * tolerance:g} %" if tolerance and not isinstance(published, dict) else "as stated"
    spread = ours.low is not None and ours.high is not None and not isinstance(published, dict | str)
    if within and "by_construction" in number:
        return BY_CONSTRUCTION, number["by_construction"]
    if within:
        return AGREES, stated
    if "better" in number and (ours.value < published) == (number["better"] == "less"):
        return BETTER, number.get("cause", f"{number['better']} is better")
    if spread and ours.low <= published <= ours.high:
        if number.get("spread_agrees"):
            return AGREES, f"within the spread: {ours.low:g} to {ours.high:g}"
        if "spread_explains" in number:
            return DEVIATES, number["spread_explains"].format(low=f"{ours.low:.3f}", high=f"{ours.high:.3f}")
    if "cause" not in number and spread and ours.low != ours.high and not ours.low <= published <= ours.high:
        side = "lower" if ours.high < published else "higher"
        return DEVIATES, f"cause not known; all values here are {side} ({ours.low:.3f} to {ours.high:.3f})"
    return DEVIATES, number.get("cause", "cause not known")


def judged(number: dict[str, Any], found: dict[str, Measured], missing: str) -> Row:
    ours = None if "needs" in number else found.get(number.get("measure", number["id"]))
    if ours is None:
        needs = number.get("needs") or number.get("needs_option")
        if needs is None:
            # Only --quick and a missing build directory may leave a number out.
            if not missing and not number.get("measure", number["id"]).startswith(OF_BUILD):
                raise KeyError(number["id"])
            needs = missing or "a build directory, --build"
        verdict, reason = NOT_REPRODUCED, f"needs {needs}"
    else:
        verdict, reason = _verdict(number, ours)
    deviation = relative = None
    if ours is not None and not isinstance(ours.value, str) and not isinstance(number["published"], str):
        deviation, relative = _deviation(number["published"], ours.value)
    what = {key: number[key] for key in ("id", "what", "unit", "source", "published")}
    return Row(**what, ours=ours, deviation=deviation, relative_deviation=relative, verdict=verdict, reason=reason,
               blind=number.get("blind", False))  # fmt: skip


def read_published(parts: Sequence[str] = PARTS) -> Published:
    """Reads the published numbers of some parts. Raises KeyError for an unknown part."""
    groups: list[dict[str, Any]] = []
    kinds: dict[str, list[str]] = {}
    for part in parts:
        text = json.loads((PUBLISHED / f"{part}.json").read_text())
        groups += text["groups"]
        for kind, sources in text.get("kinds", {}).items():
            kinds.setdefault(kind, []).extend(sources)
    return Published(groups, kinds)


def measure(part: str, effort: Effort, build: Path | None) -> dict[str, Measured]:
    found: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(os.cpu_count()) as pool:
        studies: dict[str, dict[str, Callable[[], dict[str, Measured]]]] = {
            "tac3": {
                "job shapes": lambda: cg_studies.job_shapes(pool, effort),
                "barriers": lambda: cg_studies.barriers(pool, effort),
                "given placements": lambda: given_placements.given_placements(pool, effort),
                "noise": lambda: given_placements.with_noise(pool, effort),
                "largest gains": lambda: given_placements.largest_gains(found),
                "other shapes": lambda: cg_studies.other_shapes(effort),
                "two switches": lambda: cg_studies.two_switches(Path(folder)),
                # Studies that measure times run while nothing else does.
                "search times": lambda: cg_studies.search_times(effort),
                "large search": lambda: machine_studies.large_search(effort),
            },
            "tofu": {
                "presets": machine_studies.presets,
                "logical shape": lambda: machine_studies.logical_shape(Path(folder)),
            },
            "nsim": {
                "presets": machine_studies.presets,
                "random rings": lambda: machine_studies.random_rings(pool, effort),
                "fat tree of NSIM": lambda: nsim_studies.fat_tree(Path(folder)),
                "half of the uplinks": lambda: nsim_studies.half_bisection(pool, effort),
                "live all-to-all": lambda: nsim_studies.live_all_to_all(Path(folder), effort),
                "all-to-all": lambda: machine_studies.all_to_all(effort),
                "rate of the engine": lambda: machine_studies.engine_rate(build, effort),
            },
            "nsim_ace": {
                "presets": machine_studies.presets,
                "remote memory access": lambda: ace_studies.rdma(Path(folder), effort),
            },
            "wide_area": {"wide area": lambda: wide_area_studies.wide_area(Path(folder), effort)},
            "mpiprof": {
                "rails": lambda: rail_studies.rails(Path(folder)),
                "cost of profiling": lambda: machine_studies.profiling_cost(build),
            },
        }
        for name, study in studies[part].items():
            begin = time.monotonic()
            found |= study()
            print(f"{part}: {name}: {time.monotonic() - begin:.0f} s", flush=True)
    return found


@dataclass(frozen=True)
class Stored:
    """Measurements of a part, and the commands that made them."""

    commands: list[str]
    measured: dict[str, Measured]


def kept(path: Path) -> Stored:
    """Reads the stored measurements of a part. Raises OSError if there are none."""
    text = json.loads(path.read_text())
    return Stored(text["commands"], {name: Measured(**ours) for name, ours in text["measured"].items()})


def keep(path: Path, command: str, found: dict[str, Measured]) -> None:
    """Stores the measurements of a part. Keeps earlier measurements that this command does not repeat, as those of
    --long."""
    before = kept(path) if path.exists() else Stored([], {})
    repeats_all = before.measured.keys() <= found.keys()
    commands = [command] if repeats_all else [*(other for other in before.commands if other != command), command]
    measured = {name: asdict(ours) for name, ours in (before.measured | found).items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"commands": commands, "measured": measured}, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="few seeds and one shape: a check that the study runs")
    size.add_argument(
        "--long", action="store_true", help="also all-to-all on 16,384 and 65,536 ranks (half an hour more)"
    )
    parser.add_argument(
        "--only", metavar="PART,...", help=f"measures and prints some parts, of {', '.join(PARTS)}; others are kept"
    )
    parser.add_argument(
        "--build", type=Path, metavar="DIRECTORY", help="build directory with haichi_bench and the profilers"
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("build/validation"), metavar="DIRECTORY")
    arguments = parser.parse_args()
    effort = cg_studies.QUICK if arguments.quick else cg_studies.LONG if arguments.long else Effort()
    parts = tuple(arguments.only.split(",")) if arguments.only else PARTS
    if unknown := set(parts) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    missing = "all studies, without --quick" if arguments.quick else ""
    command = "studies/validation/validation.py"
    command += "".join(f" {flag}" for flag in ("--quick", "--long") if getattr(arguments, flag[2:]))
    command += f" --build {arguments.build}" if arguments.build else ""

    stored = {part: arguments.output / f"measured/{part}.json" for part in PARTS}
    for part in parts:
        keep(stored[part], command, measure(part, effort, arguments.build))
    found = {part: kept(path) for part, path in stored.items() if path.exists()}
    results: list[tuple[dict[str, Any], list[Row]]] = []
    for part, stored_part in found.items():
        for group in read_published((part,)).groups:
            rows = [judged(number, stored_part.measured, missing) for number in group["numbers"]]
            results.append((group, rows))
            if arguments.only and part in parts:
                print("\n".join([f"## {group['title']}", "", *validation_text.table_of_rows(rows)]))
    if found.keys() != set(PARTS):
        print(f"no page: {', '.join(part for part in PARTS if part not in found)} not measured")
        return
    (arguments.output / "images").mkdir(parents=True, exist_ok=True)
    everything = {name: ours for part in found.values() for name, ours in part.measured.items()}
    rates = link_studies.line_rates()
    commands = list(dict.fromkeys(made for part in found.values() for made in part.commands))
    page = validation_text.markdown(commands, results, everything, rates, VERDICTS, read_published().kinds)
    (arguments.output / "README.md").write_text(page)
    entries = [{"group": group["title"], **asdict(row)} for group, rows in results for row in rows]
    streams = {preset: [asdict(stream) for stream in pair] for preset, pair in rates.items()}
    text = {"schema": "haichi-validation/1", "commands": commands, "rows": entries, "streams": streams}
    (arguments.output / "validation.json").write_text(json.dumps(text, indent=1) + "\n")
    validation_text.pictures(arguments.output / "images", results, everything)
    print(f"{len(entries)} published numbers: " + validation_text.counted(rows_of(results), VERDICTS))
    print(f"written: {arguments.output}/README.md, validation.json, images/")


def rows_of(results: list[tuple[dict[str, Any], list[Row]]]) -> list[Row]:
    return [row for _, rows in results for row in rows]


if __name__ == "__main__":
    main()
