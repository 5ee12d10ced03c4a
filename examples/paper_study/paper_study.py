"""Runs the TAC3 study: CG on six shapes of an FX10, with all strategies and ten seeds. Simulates each placement with
and without barriers, and compares the simulated times with the run times of the paper.

    python examples/paper_study/paper_study.py [--out FOLDER] [--shapes 1,4] [--seeds N] [--processes N]

Writes results.json and .csv, report.html, table.md, and figure.svg and .png. After an interruption, the same command
continues the run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

VALIDATION = Path(__file__).resolve().parents[2] / "studies/validation"
sys.path.append(str(VALIDATION))

from cg_studies import MACHINE, SHAPES, cg  # noqa: E402

import haichi  # noqa: E402

COLUMNS = {  # column of the paper: (strategy in haichi, value of barrier, title)
    "tahb": ("hop-bytes", "none", "TAHB"),
    "rmatt": ("rmatt", "none", "RMATT-O2F"),
    "rmatt-tool": ("rmatt-3d", "none", "RMATT tool"),
    "tac3": ("tac3", "none", "TAC3"),
    "tac3-barriers": ("tac3", "sets", "TAC3, barriers"),
    "default": ("default", "none", "default"),
    "no-ring": ("no-ring", "none", "no-ring"),
}


def published() -> dict[str, float]:
    """Reads the run times of the paper in seconds. A key has the form "shape1.tahb"."""
    groups = json.loads((VALIDATION / "published/tac3.json").read_text())["groups"]
    return {number["id"]: number["published"] for group in groups for number in group["numbers"]}


def compare(out: Path, numbers: Sequence[int], seeds: int, processes: int | None) -> haichi.Comparison:
    machine = haichi.Machine(MACHINE)
    jobs: dict[str, list[haichi.Job]] = {}
    for shape, ranks in (SHAPES[number] for number in numbers):
        jobs.setdefault(f"cg{ranks}", []).append(haichi.Job(cg(ranks, copies=True), machine, shape=shape))

    def show(news: haichi.ComparisonProgress) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{news.cells_done} of {news.cells} cells")

    return haichi.compare(
        jobs,
        seeds=seeds,
        schedule="paper",
        restarts=1,
        simulate=True,
        processes=processes,
        journal=out / "results.json.journal",
        progress=show,
    )


def seconds(comparison: haichi.Comparison, shape: str, strategy: str, barrier: str) -> list[float]:
    return [
        cell["simulated"][barrier]["seconds"]
        for cell in comparison.cells
        if (cell["shape"], cell["strategy"], cell["status"]) == (shape, strategy, "done")
    ]


def spread(values: Sequence[float]) -> float:
    return statistics.stdev(values) if len(values) > 1 else 0.0


def table(comparison: haichi.Comparison, numbers: Sequence[int]) -> str:
    paper = published()
    titles = [title for _, _, title in COLUMNS.values()]
    others = [("random", "none")]
    lines = [
        "Seconds of 1,000 iterations, mean ± standard deviation over the seeds; in brackets the paper's mean of ten.",
        "",
        "| shape | " + " | ".join([*titles, *(name for name, _ in others)]) + " |",
        "|---" * (1 + len(titles) + len(others)) + "|",
    ]
    for number in numbers:
        shape, _ = SHAPES[number]
        row = [f"{number} ({shape})"]
        for column, (strategy, barrier, _) in COLUMNS.items():
            found = seconds(comparison, shape, strategy, barrier)
            row.append(
                f"{statistics.fmean(found):.3f} ± {spread(found):.3f} ({paper[f'shape{number}.{column}']:.3f})"
                if found
                else "failed"
            )
        for strategy, barrier in others:
            found = seconds(comparison, shape, strategy, barrier)
            row.append(f"{statistics.fmean(found):.3f}" if found else "failed")
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def figure(comparison: haichi.Comparison, path: Path) -> None:
    """Draws a panel per shape, with the paper's mean time and the time of each placement that haichi found."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = "haichi"
    paper = published()
    drawing = Figure(figsize=(11, 5.6), layout="constrained")
    panels: Any = drawing.subplots(2, 3, sharex=True, sharey=True)
    for panel, (number, (shape, ranks)) in zip(panels.flat, SHAPES.items(), strict=True):
        for place, (column, (strategy, barrier, _)) in enumerate(COLUMNS.items()):
            found = seconds(comparison, shape, strategy, barrier)
            theirs = paper[f"shape{number}.{column}"]
            first = number == 1 and place == 0
            panel.plot(
                found,
                [place] * len(found),
                "o",
                color="#0072b2",
                alpha=0.45,
                ms=6,
                mew=0,
                label="ours" if first else None,
            )
            if found:
                panel.plot(
                    [statistics.fmean(found)],
                    [place],
                    "|",
                    color="#0072b2",
                    ms=18,
                    mew=2.5,
                    label="our mean" if first else None,
                )
            panel.plot([theirs], [place], "D", color="#d55e00", ms=7, label="paper's mean" if first else None)
        panel.set_title(f"shape {number}: {shape}, {ranks} tasks", fontsize=10, loc="left")
        panel.set_yticks(range(len(COLUMNS)), [title for _, _, title in COLUMNS.values()])
        panel.set_ylim(len(COLUMNS) - 0.5, -0.5)
        panel.grid(axis="x", alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    for panel in panels[1]:
        panel.set_xlabel("seconds of 1,000 iterations")
    drawing.legend(loc="outside lower center", ncols=3, frameon=False)
    drawing.suptitle("CG on six shapes of an FX10, simulated, beside the published run times", x=0.01, ha="left")
    for suffix in (".svg", ".png"):
        drawing.savefig(path.with_suffix(suffix), dpi=120, metadata={"Date": None} if suffix == ".svg" else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("examples/out/paper_study"), help="default: %(default)s")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--shapes", default="1,2,3,4,5,6", help="numbers of the paper's; default: all")
    parser.add_argument("--processes", type=int, default=None)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    numbers = [int(number) for number in options.shapes.split(",")]
    comparison = compare(options.out, numbers, options.seeds, options.processes)
    comparison.write(*(options.out / name for name in ("results.json", "results.csv", "report.html")))
    if comparison.interrupted:
        sys.exit(130)
    (options.out / "results.json.journal").unlink(missing_ok=True)
    text = table(comparison, numbers)
    (options.out / "table.md").write_text(text)
    figure(comparison, options.out / "figure")
    print(f"{text}\n{comparison.summary['overall']['verdict']}\n{comparison.advice}\n")
    print(f"{len(comparison.cells)} cells in {time.monotonic() - started:.0f} s; all files are in {options.out}")


if __name__ == "__main__":
    main()
