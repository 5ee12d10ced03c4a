"""Configuration of Sphinx. build_site.py copies the sources and calls Sphinx."""

from __future__ import annotations

import inspect
import re
from typing import Any

import haichi

project = "haichi"
author = "the authors of haichi"
copyright = "the authors of haichi, Apache License 2.0"
version = release = haichi.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
root_doc = "index"
default_role = "py:obj"  # for names in single backticks in docstrings
myst_heading_anchors = 4  # makes the same anchors as the code forge, so that links work on both
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
# Signatures show these names instead of their definitions, which are several lines long.
autodoc_type_aliases = {
    "npt.ArrayLike": "ArrayLike",
    **{
        name: name
        for name in (
            "WorkloadLike",
            "PlacementLike",
            "NodesLike",
            "SizesLike",
            "FileLike",
            "HostsLike",
            "StartLike",
            "ObjectiveCallable",
            "ProgramLike",
            "InputLike",
        )
    },
}
smartquotes = False  # smart quotes would merge the two dashes of an option
python_maximum_signature_line_length = 100

# Pages must work without a network.
html_theme = "furo"
html_title = f"haichi {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False


def list_parameters(_app: Any, _kind: str, _name: str, thing: Any, _options: Any, lines: list[str]) -> None:
    """Turns parameters into a list. Docstrings describe them as ``a, b: text`` with indented continuation lines."""
    if not (inspect.isfunction(thing) or inspect.ismethod(thing) or inspect.isclass(thing)):
        return
    try:
        known = set(inspect.signature(thing).parameters)
    except (TypeError, ValueError):  # not a Python function
        return
    text: list[str] = []
    in_list = False
    for given in lines:
        # Parameters in backticks must not become links, because fields of a class may have the same name.
        line = re.sub(r"(?<!`)`(\w+)`(?!`)", lambda m: f"``{m[1]}``" if m[1] in known else m[0], given)
        named = re.match(r"(\w+(?:, \w+)*): (.*)", line)
        if named and set(named[1].split(", ")) <= known:
            if not in_list and text and text[-1]:
                text.append("")
            names = ", ".join(f"**{name}**" for name in named[1].split(", "))
            text.append(f"* {names}: {named[2]}")
            in_list = True
        elif in_list and line.startswith("    "):
            text.append("  " + line.strip())
        elif line == "Parameters" or set(line) == {"-"}:
            continue
        else:
            if in_list and line:
                text.append("")
            in_list = in_list and not line
            text.append(line)
    lines[:] = text


def name_aliases(*event: Any) -> tuple[str, str | None] | None:
    """Restores the aliases inside unions, which autodoc replaces with placeholders."""
    signature, returns = event[-2:]
    if signature is None:
        return None
    return re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", signature), returns


def setup(app: Any) -> None:
    app.connect("autodoc-process-signature", name_aliases)
    app.connect("autodoc-process-docstring", list_parameters)
