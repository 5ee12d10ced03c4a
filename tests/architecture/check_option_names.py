"""Rejects options of the command line in texts of the library, which the Python package and the service show, too.

    python3 tests/architecture/check_option_names.py [ROOT]

A text names an option "§name" (base/field_names.h, haichi/errors.py): the command line writes "--name", Python "name".
Words of a command, such as the literal "--json", are not texts. A text may contain a command to type, in which the name
of a program precedes the option.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from check_includes import CPP_SUFFIXES, source_files

LIBRARY = ("base", "netmodel", "collectives", "commlog", "mgen", "objectives", "mapper", "library", "include")
PACKAGE = "python/src/haichi"
# Parts of the library whose texts are for other command lines.
OTHER_COMMAND_LINES = {
    f"{PACKAGE}/cli/": "is the command line",
    "mapper/rankmap/": "writes the lines that start a program under a scheduler",
    "mapper/job/slurm_allocation.cc": "names options of sbatch, and starts srun",
}
PROGRAMS = r"\b(?:haichi \w+|cmake|flux R|lstopo|mpiexec|sbatch|PJM)\b"

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_WORD_OF_COMMAND = re.compile(r"--\S+")
_COMMAND = re.compile(PROGRAMS + r"[^;:.]*")
_CPP = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\b\d[\w'.]*|'(?:\\.|[^'\\\n])+'|R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"|"(?P<text>(?:\\.|[^"\\\n])*)"|\S""",
    re.DOTALL,
)

Text = tuple[int, str]  # the line where it begins


def cpp_texts(source: str) -> Iterator[Text]:
    """String literals; adjacent ones are joined."""
    line, text = 0, ""
    for token in _CPP.finditer(source):
        part = token["text"] if token["text"] is not None else token["raw"]
        if part is None:
            if line and not token[0].startswith(("//", "/*")):
                yield line, text
                line, text = 0, ""
            continue
        line = line or source.count("\n", 0, token.start()) + 1
        text += part
    if line:
        yield line, text


def python_texts(source: str) -> Iterator[Text]:
    """String literals except docstrings. Formatted values are replaced by {}."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield node.lineno, "".join(map(str, parts))
            waiting += [part for part in node.values if not isinstance(part, ast.Constant)]
        else:
            waiting += ast.iter_child_nodes(node)


def options_in(text: str) -> list[str]:
    """Options outside of commands."""
    if _WORD_OF_COMMAND.fullmatch(text):
        return []
    return _OPTION.findall(_COMMAND.sub("", text))


def check(root: Path) -> list[str]:
    """Returns one line per violation."""
    found = []
    for path in source_files(root):
        name = path.relative_to(root).as_posix()
        is_python = path.suffix == ".py" and name.startswith(f"{PACKAGE}/")
        is_cpp = path.suffix in CPP_SUFFIXES and name.split("/")[0] in LIBRARY
        if not (is_python or is_cpp) or name.startswith(tuple(OTHER_COMMAND_LINES)):
            continue
        texts = (python_texts if is_python else cpp_texts)(path.read_text(encoding="utf-8"))
        found += [
            f"{name}:{line}: write §{option[2:]} instead of {option}"
            for line, text in sorted(texts)
            for option in options_in(text)
        ]
    return found


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    violations = check(root)
    print("\n".join(violations) or "no text of the library names an option of the command line")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
