"""Builds the documentation as HTML from the Markdown pages and the generated reference.

    .venv/bin/python docs/site/build_site.py --haichi build/release/cli/haichi [--output build/docs]

The generated pages come from the option table of the program, the docstrings of the Python package, and the headers of
the C++ library. OUTPUT/source has the layout of the repository, so that links stay valid. OUTPUT/html contains the
pages. Warnings are errors. The build does not use the network.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import sphinx.cmd.build

import haichi

REPOSITORY = Path(__file__).resolve().parents[2]
SITE = Path(__file__).resolve().parent
FIRST_PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
CPP_HEADERS = ["workload", "machine", "job", "topology", "objective", "map", "placement", "evaluation", "simulation"]
CPP_HEADERS += ["error", "options", "haichi", "plugin"]
REFERENCE = Path("docs/reference")  # generated and written pages share this directory


def lay_out(source: Path) -> None:
    """Copies the pages, the files that they link to, and their pictures."""
    for name in ("conf.py", "index.md"):
        shutil.copy(SITE / name, source / name)
    (source / "_static").mkdir()
    shutil.copy(SITE / "site.css", source / "_static/site.css")
    pages = [page for page in sorted((REPOSITORY / "docs").rglob("*.md")) if SITE not in page.parents]
    waiting = [REPOSITORY / name for name in FIRST_PAGES] + pages
    copied: set[Path] = set()
    while waiting:
        page = waiting.pop().resolve()
        if page in copied or not page.is_file() or REPOSITORY not in page.parents:
            continue
        copied.add(page)
        target = source / page.relative_to(REPOSITORY)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page, target)
        if page.suffix == ".md":
            links = re.findall(r"\]\(([^)\s#]+)[^)]*\)", page.read_text())
            waiting += [page.parent / link for link in links if ":" not in link]


def printed(program: str, *arguments: str) -> str:
    """Returns the output of the program. Its Python commands use this interpreter."""
    environment = os.environ | {"HAICHI_PYTHON": sys.executable}
    done = subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return done.stdout


def program_page(program: str) -> str:
    """Makes the page of commands. The options of each command are in groups, as in the option table."""
    lines = ["# Command line", "", "The commands of `haichi` and their options.", ""]
    for command in json.loads(printed(program, "list", "options", "--json"))["commands"]:
        if not command["options"]:
            continue
        lines += [f"## haichi {command['name']}", "", sentence(command["summary"]), ""]
        groups: dict[str, list[dict[str, Any]]] = {}
        for option in command["options"]:
            groups.setdefault("Arguments" if option["argument"] else option["group"], []).append(option)
        for group, options in groups.items():
            if group != "Global":  # global options are listed once, at the end
                lines += [f"**{group}**", "", "| option | |", "|---|---|", *map(option_row, options), ""]
        lines += ["```text", command["examples"], "```", ""]
    lines += ["## Options of every command", "", "| option | |", "|---|---|"]
    return "\n".join([*lines, *map(option_row, groups["Global"]), ""])


def option_row(option: dict[str, Any]) -> str:
    name = option["name"] if option["argument"] else f"--{option['name']}"
    typed = " ".join(filter(None, (f"-{option['letter']}," if "letter" in option else "", name, option.get("value"))))
    marks = [
        "required" if option["required"] else "",
        "repeatable" if option["repeatable"] else "",
        f"default: {option['default']}" if "default" in option else "",
        f"possible values: {', '.join(option['choices'])}" if "choices" in option else "",
        f"requires {' or '.join(f'--{name}' for name in option['requires'])}" if "requires" in option else "",
        f"environment: {option['environment']}" if "environment" in option else "",
    ]
    notes = "; ".join(filter(None, marks))
    code = typed.replace("|", "\\|")
    return f"| `{code}` | {escaped(sentence(option['description']))}{f' *{escaped(notes)}*' if notes else ''} |"


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def escaped(text: str) -> str:
    """Escapes text for a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")


def choices_page(program: str) -> str:
    """Makes the page of all names that `haichi list` prints."""
    text = printed(program, "list", "--json")
    introduction = "`haichi list` prints these names. Options of the same kind accept them."
    lines = ["# Machines, objectives, strategies and formats", "", introduction, ""]
    for kind, rows in json.loads(text).items():
        if not isinstance(rows, list):
            continue
        lines += [f"## {kind.replace('_', '-')}", "", "| name | |", "|---|---|"]
        for row in rows:
            lines.append(f"| `{row['name']}` | {escaped(row['description'])} |")
        lines.append("")
    return "\n".join(lines)


def python_page() -> str:
    """Makes the page of all public names of the package: functions, then types, then errors."""
    functions, types, errors = [], [], []
    for name in haichi.__all__:
        thing = getattr(haichi, name)
        is_error = inspect.isclass(thing) and issubclass(thing, Exception)
        (errors if is_error else types if inspect.isclass(thing) else functions).append(name)
    lines = ["# Python package", "", "```{eval-rst}", ".. py:currentmodule:: haichi", "```", ""]
    for title, names, directive in (
        ("Functions", functions, "autofunction"),
        ("Types", types, "autoclass"),
        ("Errors", errors, "autoexception"),
    ):
        lines += [f"## {title}", "", "```{eval-rst}"]
        for name in names:
            lines.append(f".. {directive}:: haichi.{name}")
            if directive != "autofunction":
                lines += ["   :members:", "   :show-inheritance:"]
            if directive == "autoclass":
                lines.append("   :inherited-members: tuple, object")
            lines.append("")
        lines += ["```", ""]
    return "\n".join(lines)


def cpp_page() -> str:
    """Makes the page of the public headers, without the lines that only the compiler needs."""
    introduction = "`#include <haichi/haichi.h>` includes these headers. A plug-in needs only `<haichi/plugin.h>`."
    lines = ["# C++ library", "", introduction, "All names are in the namespace `haichi`.", ""]
    for header in CPP_HEADERS:
        text = (REPOSITORY / f"include/haichi/{header}.h").read_text()
        for unwanted in (
            r"^#(?:include|pragma).*\n|^HAICHI_(?:BEGIN|END)\n|HAICHI_EXPORT | *// NOLINT.*$|^/// \\file\n",
            r"\n+ *private:\n(?:.*\n)*?(?=};)",
            r"\nnamespace detail {\n(?:(?:struct .*\n)+}|(?:.*\n)*?}  // namespace detail)\n",
        ):
            text = re.sub(unwanted, "\n" if "private" in unwanted else "", text, flags=re.MULTILINE)
        lines += [f"## haichi/{header}.h", "", "```cpp", re.sub(r"\n{3,}", "\n\n", text).strip(), "```", ""]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--haichi", required=True, help="the program")
    parser.add_argument("--output", type=Path, default=REPOSITORY / "build/docs", metavar="DIR")
    arguments = parser.parse_args()
    source = arguments.output / "source"
    if arguments.output.exists():
        for part in ("source", "html"):
            shutil.rmtree(arguments.output / part, ignore_errors=True)
    (source / REFERENCE).mkdir(parents=True)
    lay_out(source)
    (source / REFERENCE / "command_line.md").write_text(program_page(arguments.haichi))
    (source / REFERENCE / "choices.md").write_text(choices_page(arguments.haichi))
    (source / REFERENCE / "python.md").write_text(python_page())
    (source / REFERENCE / "cpp.md").write_text(cpp_page())
    doctrees = str(arguments.output / "doctrees")
    return sphinx.cmd.build.main(["-q", "-W", "--keep-going", "-E", "-d", doctrees, str(source),
                                  str(arguments.output / "html")])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
