"""Results as HTML for notebooks. All text is escaped, and the colours suit light and dark pages."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Rows = Iterable[Sequence[object]]


def table(caption: str, rows: Rows, head: Sequence[object] | None = None) -> str:
    """An HTML table of texts or numbers. Without a `head`, the first cell of each table row is a heading."""
    lines = [] if head is None else [_row(head, head_cells=len(head))]
    lines += [_row(cells, head_cells=0 if head is not None else 1) for cells in rows]
    return f"<table><caption>{html.escape(caption)}</caption>{''.join(lines)}</table>"


def paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _row(cells: Sequence[object], head_cells: int) -> str:
    tags = ["th"] * head_cells + ["td"] * (len(cells) - head_cells)
    shown = (f"<{tag}>{html.escape(str(cell))}</{tag}>" for tag, cell in zip(tags, cells, strict=True))
    return f"<tr>{''.join(shown)}</tr>"


def number(value: float | None) -> str:
    """Integers with all their digits; an empty text for None."""
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) and abs(value) < 10**15 else f"{value:.6g}"


def most_rows(rows: Sequence[Sequence[object]], most: int = 24) -> list[Sequence[object]]:
    """At most `most` table rows. If there are more, the last one states how many are left out."""
    if len(rows) <= most:
        return list(rows)
    more = [f"... {len(rows) - most + 1} more"] + [""] * (len(rows[0]) - 1)
    return [*rows[: most - 1], more]


def matrix_picture(cells: npt.NDArray[Any], title: str, side_px: int = 192) -> str:
    """Draws a square matrix of non-negative numbers as SVG, in the text colour of the page. Darker cells are larger, in
    steps of a factor of 10."""
    count = len(cells)
    largest = float(cells.max(initial=0))
    # The largest decades have one strength each, four in all. The faintest strength also covers all smaller values
    # above 0.
    with np.errstate(divide="ignore"):
        depth = np.floor(np.log10(largest / cells.astype(np.float64))) if largest > 0 else np.full(cells.shape, np.inf)
    paths = []
    for strength in range(4):
        shown = np.isfinite(depth) & ((depth == strength) if strength < 3 else (depth >= strength))
        squares = "".join(f"M{x} {y}h1v1h-1z" for y, x in np.argwhere(shown).tolist())
        if squares:
            paths.append(f'<path fill="currentColor" fill-opacity="{1 - 0.25 * strength}" d="{squares}"/>')
    text = html.escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side_px}" height="{side_px}" '
        f'viewBox="0 0 {count} {count}" role="img" aria-label="{text}" shape-rendering="crispEdges">'
        f"<title>{text}</title>{''.join(paths)}"
        f'<rect width="{count}" height="{count}" fill="none" stroke="currentColor" stroke-width="{count / side_px}"/>'
        "</svg>"
    )
