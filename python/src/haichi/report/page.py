"""Writes the report: one HTML page that loads nothing from the network."""

from __future__ import annotations

import html
import os
import time
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from haichi.base.json_text import one_line
from haichi.base.outputs import write_files
from haichi.report.inline_page import DRAWING_SCRIPTS, content_hash, filled, joined_script, report_text
from haichi.report.view_data import check_comparison

_UNUSED_IN_CELLS = ("node_of_rank",)
"""Keys of cells that the page does not need. It draws placements from the views."""


def write_report(
    comparison: Mapping[str, Any], path: str | os.PathLike[str], *, source: str = "the comparison"
) -> None:
    """Writes the HTML page of a comparison (``haichi-comparison/1``), whole or not at all.

    The page contains everything that it shows, and its security policy blocks all loading. Raises InputError for an
    invalid comparison; the message names `source`, the file of the comparison. Raises also the errors of `write_files`.
    """
    write_files([(path, page_text(comparison, source))])


def page_text(comparison: Mapping[str, Any], source: str = "the comparison") -> str:
    check_comparison(comparison, source)
    script = joined_script(report_text(f"{name}.js") for name in (*DRAWING_SCRIPTS, "main"))
    style = report_text("page.css")
    cells = [
        {key: value for key, value in cell.items() if key not in _UNUSED_IN_CELLS}
        for cell in comparison.get("cells", [])
    ]
    summary = comparison.get("summary", {})
    parts = {
        "TITLE": html.escape(_title(comparison)),
        "MADE_BY": html.escape(f"{page_date()}, haichi {comparison.get('haichi', version('haichi'))}"),
        "ADVICE": html.escape(str(summary.get("overall", {}).get("advice", ""))),
        "STYLE": style,
        "STYLE_HASH": content_hash(style),
        "SCRIPT": script,
        "SCRIPT_HASH": content_hash(script),
        # Inside a script element, only "<" can begin the end tag.
        "COMPARISON": one_line({**comparison, "cells": cells}).replace("<", "\\u003c"),
    }
    return filled(report_text("page.html"), parts)


def page_date() -> str:
    """The date of today, or the date that a reproducible build sets."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(given) if given.isdecimal() else time.time()
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


def _title(comparison: Mapping[str, Any]) -> str:
    names = [str(job.get("workload")) for job in comparison.get("summary", {}).get("jobs", [])]
    return f"{', '.join(dict.fromkeys(names)) or 'no job'}: placements compared"
