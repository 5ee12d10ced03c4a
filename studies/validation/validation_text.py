"""The results of the validation as Markdown and pictures."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import link_studies
import validation_summary
from cg_studies import Measured
from link_studies import Stream
from machine_studies import RING_SIZES
from matplotlib.figure import Figure

COLUMNS = {
    "tahb": "TAHB",
    "rmatt": "RMATT-O2F",
    "rmatt-tool": "RMATT tool",
    "tac3": "TAC3",
    "tac3-barriers": "TAC3, barriers",
}

MEANINGS = {
    "agrees": "within the tolerance that the row states",
    "better": "outside the tolerance, and a better placement, a higher speed, or less time or memory",
    "by construction": "a parameter of a preset, or fitted to the number",
    "deviates": "outside the tolerance; the row states the cause if it is known",
    "not reproduced": "the row states the missing input",
}
LEGEND = ["| verdict | meaning |", "|---|---|"]
LEGEND += [f"| {verdict} | {meaning} |" for verdict, meaning in MEANINGS.items()]

LEAD = """\
This page compares published numbers with haichi's own, one row per number.
[Validation](../../docs/validation.md) has the conclusions. The page was made on {machine}.
The first of these commands measured all rows. The others repeated a part of them:

{commands}

{legend}

The column "haichi" has a mean. If there are several values, the smallest and the largest are in brackets. The note has
the call that made the number. In the calls, `cg` is `haichi.Workload.from_pattern("cg", ranks=64)`, with 32 ranks on
shapes 4 to 6. The sources are in the [references](../../docs/reference/references.md). "Independent check" and
"measured with the other tools" are unpublished measurements for haichi's design. Times and rates depend on the machine
and its load. All other numbers are the same on every machine.

**{counts}**, of {total}.
"""


def lead(commands: Sequence[str], machine: str, counts: str, total: int) -> str:
    lines = "\n".join(f"    .venv/bin/python {command}" for command in commands)
    return LEAD.format(commands=lines, machine=machine, legend="\n".join(LEGEND), counts=counts, total=total)


def shown(value: Any) -> str:
    if isinstance(value, dict):
        word, limit = next(iter(value.items()))
        return f"{word.replace('_', ' ')} {shown(limit)}"
    if isinstance(value, str):
        return value
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{int(value):,}"
    if abs(value) >= 1e6:
        return f"{value:.3g}"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _ours(measured: Measured | None) -> str:
    if measured is None:
        return "-"
    if measured.low is None or measured.high is None or shown(measured.low) == shown(measured.high):
        return shown(measured.value)
    return f"{shown(measured.value)} ({shown(measured.low)} to {shown(measured.high)})"


def _deviation(row: Any) -> str:
    if row.deviation is None:
        return "-"
    if abs(row.deviation) < 1e-9 * abs(row.ours.value):
        return "0"
    text = f"{row.deviation:+.3g}"
    return text if row.relative_deviation is None else f"{text} ({100 * row.relative_deviation:+.1f} %)"


def counted(rows: Sequence[Any], verdicts: Sequence[str]) -> str:
    number = Counter(row.verdict for row in rows)
    return ", ".join(f"{number[verdict]} {verdict}" for verdict in verdicts)


def _machine() -> str:
    model = "an unnamed processor"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    return f"{os.cpu_count()} cores of {model}"


def table_of_rows(rows: Sequence[Any]) -> list[str]:
    """Returns a Markdown table of the rows. The calls that computed them are listed below the table."""
    notes: dict[str, int] = {}
    lines = ["| number | published | haichi | deviation | verdict | source | note |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        note = "-"
        if row.ours is not None:
            note = str(notes.setdefault(row.ours.call, len(notes) + 1))
        unit = f" {row.unit}" if row.unit and not isinstance(row.published, str) else ""
        cells = [row.what, shown(row.published) + unit, _ours(row.ours), _deviation(row)]
        cells += [f"**{row.verdict}**, {row.reason}", row.source, note]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return [*lines, "", *(f"{number}. `{call}`" for call, number in notes.items()), ""]


def markdown(
    commands: Sequence[str], results: list[tuple[dict[str, Any], list[Any]]], found: dict[str, Measured],
    rates: dict[str, tuple[Stream, Stream]], verdicts: Sequence[str], kinds: dict[str, list[str]],
) -> str:  # fmt: skip
    rows = [row for _, group_rows in results for row in group_rows]
    lines = ["# Validation: published and predicted numbers", ""]
    counts = counted(rows, verdicts)
    lines += [lead(commands, _machine(), counts, len(rows))]
    titled = [(group["title"], group_rows) for group, group_rows in results]
    lines += validation_summary.summary(titled, kinds, verdicts)
    for group, group_rows in results:
        lines += [f"## {group['title']}", ""]
        if "text" in group:
            lines += [group["text"], ""]
        if group["title"].startswith("Run time"):
            lines += ["![run times on the six shapes, published and predicted](images/run_times.png)", ""]
        lines += table_of_rows(group_rows)
    return "\n".join(lines + _ours_alone(found, rates)).rstrip() + "\n"


def _spreads(
    found: dict[str, Measured], prefix: str, head: str, words: str = "{}", number: str = "{:.3f}"
) -> list[str]:
    """Returns a table of all measurements whose names have this prefix, and the call of the last one."""
    lines = [f"| {head} | mean | smallest | largest |", "|---|---|---|---|"]
    call = ""
    for name, ours in found.items():
        if name.startswith(prefix):
            cells = [
                words.format(name.removeprefix(prefix)),
                *(number.format(v) for v in (ours.value, ours.low, ours.high)),
            ]
            lines.append(f"| {' | '.join(cells)} |")
            call = ours.call
    return [*lines, "", f"`{call}`", ""]


def _ours_alone(found: dict[str, Measured], rates: dict[str, tuple[Stream, Stream]]) -> list[str]:
    """Values of the studies without published counterparts."""
    lines = ["## Other numbers of haichi", ""]
    lines += ["No paper states these numbers. The call of the last row is below each table.", ""]
    lines += link_studies.table(rates)
    lines += ["Random rings, GB/s per process:", "", *_spreads(found, "ring", "nodes")]
    lines += ["![bandwidth per process against nodes](images/random_ring.png)", ""]
    lines += [
        "TAC3 without barriers, in seconds. Here ranks without a partner in the transpose do not copy their block, so"
    ]
    lines += ["they run ahead of the others:", "", *_spreads(found, "without-copies.shape", "shape")]
    lines += ["Placements without a search, with noise and with barriers before every set, in seconds:", ""]
    lines += _spreads(found, "noise-barriers.shape", "shape, placement")
    lines += [
        "Strategies that do not see sets, with barriers before every set, in seconds. "
        "The rows `letter` are for the paper's own annealing:",
        "",
    ]
    held = {name.replace("-barriers", "").replace("shape", "held."): ours for name, ours in found.items()
            if name.endswith("-barriers") and "tac3" not in name}  # fmt: skip
    return lines + _spreads(held, "held.", "shape, strategy")


def _saved(figure: Figure, path: Path) -> None:
    figure.savefig(path, dpi=130, metadata={"Software": None}, bbox_inches="tight")


def pictures(folder: Path, results: list[tuple[dict[str, Any], list[Any]]], found: dict[str, Measured]) -> None:
    import matplotlib

    rows = {row.id: row for _, group_rows in results for row in group_rows}
    with matplotlib.rc_context({"font.size": 8}):
        figure = Figure(figsize=(9, 2.6))
        panels = figure.subplots(1, len(COLUMNS), sharey=True)
        for panel, (column, name) in zip(panels, COLUMNS.items(), strict=True):
            for shape in range(1, 7):
                row = rows[f"shape{shape}.{column}"]
                panel.plot(shape - 0.12, row.published, "o", mfc="none", color="black", label="published")
                if row.ours is not None:
                    error = [[row.ours.value - row.ours.low], [row.ours.high - row.ours.value]]
                    panel.errorbar(shape + 0.12, row.ours.value, yerr=error, fmt="o", color="tab:blue", label="haichi")
            panel.set_title(name)
            panel.set_xticks(range(1, 7))
            panel.grid(True, alpha=0.3)
        panels[0].set_ylabel("seconds, 1,000 iterations")
        panels[2].set_xlabel("job shape")
        handles, labels = panels[0].get_legend_handles_labels()
        unique = dict(zip(labels, handles, strict=True))
        panels[-1].legend(unique.values(), unique.keys(), loc="upper right")
        _saved(figure, folder / "run_times.png")

        figure = Figure(figsize=(6, 4))
        axes = figure.subplots()
        axes.plot(RING_SIZES, [found[f"ring{ranks}"].value for ranks in RING_SIZES], marker="o")
        axes.set_xlabel("nodes, one rank each")
        axes.set_ylabel("bandwidth per process, GB/s")
        axes.set_title("Random ring on a fat tree of 64 nodes (InfiniBand QDR 8X)")
        axes.set_ylim(bottom=0)
        axes.grid(True, alpha=0.3)
        _saved(figure, folder / "random_ring.png")
