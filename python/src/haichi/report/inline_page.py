"""Pages of one file: the style and the scripts stand in them, and their policy lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from importlib import resources

DRAWING_SCRIPTS = (
    *("words", "colors", "data", "layout", "heatpanel", "maps", "story", "tables", "bars", "charts", "times"),
    *("space3d", "theme", "tip", "app"),
)
"""Of the report, which draw a comparison in any page."""


def report_text(name: str) -> str:
    """A file of the report's page."""
    return web_text("haichi.report", name)


def web_text(package: str, name: str) -> str:
    """A file of the folder `web` of a package."""
    return (resources.files(package) / "web" / name).read_text(encoding="utf-8")


def joined_script(texts: Iterable[str]) -> str:
    """They see each other's names, and nothing else does."""
    return '"use strict";\n(() => {\n' + "\n".join(texts) + "})();\n"


def content_hash(text: str) -> str:
    """As a Content-Security-Policy names what it allows."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def filled(template: str, parts: Mapping[str, str]) -> str:
    """The template with a part for each @NAME@."""
    return re.sub("@([A-Z_]+)@", lambda match: parts[match[1]], template)
