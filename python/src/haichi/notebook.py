"""What results look like in a notebook: HTML whose every text is escaped, readable on light and on dark pages."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


def table(caption: str, rows: Iterable[Sequence[object]], head: Sequence[object] | None = None) -> str:
    """Rows of texts or numbers; without a `head` the first cell of every row names it."""
    lines = [] if head is None else [_row(head, head_cells=len(head))]
    lines += [_row(cells, head_cells=0 if head is not None else 1) for cells in rows]
    return f"<table><caption>{html.escape(caption)}</caption>{''.join(lines)}</table>"


def paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _row(cells: Sequence[object], head_cells: int) -> str:
    tags = ["th"] * head_cells + ["td"] * (len(cells) - head_cells)
    shown = (f"<{tag}>{html.escape(str(cell))}</{tag}>" for tag, cell in zip(tags, cells, strict=True))
    return f"<tr>{''.join(shown)}</tr>"
