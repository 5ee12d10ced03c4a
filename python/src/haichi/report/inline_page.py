"""HTML pages in one file that includes style and scripts. The security policy of the page blocks everything else."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from importlib import resources

DRAWING_SCRIPTS = (
    *("words", "colors", "data", "layout", "heatpanel", "maps", "first", "story", "tables", "bars", "charts", "times"),
    *("space3d", "theme", "tip", "app"),
)
"""The scripts of the report, which can draw a comparison in any page."""


def report_text(name: str) -> str:
    """The text of a file in the report's web directory."""
    return web_text("haichi.report", name)


def web_text(package: str, name: str) -> str:
    """The text of a file in the directory `web` of a package."""
    return (resources.files(package) / "web" / name).read_text(encoding="utf-8")


def joined_script(texts: Iterable[str]) -> str:
    """Joins several scripts to one. Their names are visible only inside the joined script."""
    return '"use strict";\n(() => {\n' + "\n".join(texts) + "})();\n"


def content_hash(text: str) -> str:
    """The hash that a Content-Security-Policy uses to allow this script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def filled(template: str, parts: Mapping[str, str]) -> str:
    """The template with each @NAME@ replaced by its part."""
    return re.sub("@([A-Z_]+)@", lambda match: parts[match[1]], template)
