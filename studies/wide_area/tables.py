"""Tables of the study as CSV and Markdown."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

Cell = str | float | int


@dataclass
class Table:
    name: str
    title: str
    columns: Sequence[str]
    rows: list[list[Cell]] = field(default_factory=list)

    def column(self, name: str) -> list[Cell]:
        at = list(self.columns).index(name)
        return [row[at] for row in self.rows]

    def markdown(self) -> str:
        lines = [f"### {self.title}", "", _line(self.columns), "|" + "---|" * len(self.columns)]
        return "\n".join([*lines, *(_line(row) for row in self.rows)]) + "\n"

    def write(self, folder: Path) -> None:
        with (folder / f"{self.name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(self.rows)


def _text(cell: Cell) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _line(cells: Sequence[Cell]) -> str:
    return "| " + " | ".join(_text(cell) for cell in cells) + " |"
