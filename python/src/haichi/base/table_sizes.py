"""The size limit of tables with an entry per pair of nodes or ranks."""

from __future__ import annotations

from haichi.errors import OptionError

LARGEST_TABLE_BYTES = 2**28
"""256 MiB: the distances between 8,192 nodes, or the bytes between 5,792 ranks."""


def check_table(what: str, rows: int, columns: int, entry_bytes: int, hint: str) -> None:
    """Raises OptionError with the size for a table above the limit. Call this before the table is allocated."""
    size = rows * columns * entry_bytes
    if size > LARGEST_TABLE_BYTES:
        raise OptionError(
            f"{what} would be a table of {rows:,} x {columns:,} entries and {size / 2**20:,.0f} MiB "
            f"(the limit is {LARGEST_TABLE_BYTES // 2**20} MiB)",
            hint,
        )
