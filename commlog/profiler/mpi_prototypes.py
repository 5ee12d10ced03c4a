"""The functions that an installed mpi.h declares, for programs that write wrappers of them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

PROTOTYPE = re.compile(r"^(?P<result>[A-Za-z_][\w \*]*?[\s\*])(?P<name>MPI_\w+) ?\((?P<parameters>.*)\)$")
# MPICH has no PMPI names for these functions, so they have no wrappers.
WITHOUT_SECOND_NAME = re.compile(r"MPI_Status_(c2f08|f082c|f082f|f2f08)")


@dataclass(frozen=True)
class Parameter:
    """A parameter; `declared` is its declaration with {} in place of the name."""

    declared: str
    kind: str  # the type without const and without array brackets
    name: str


@dataclass(frozen=True)
class Function:
    name: str
    result: str
    parameters: tuple[Parameter, ...]
    is_variadic: bool

    def signature(self, name: str) -> str:
        declared = [p.declared.format(f"a{i}") for i, p in enumerate(self.parameters)]
        return f"{self.result} {name}({', '.join(declared + ['...'] * self.is_variadic) or 'void'})"


def without_attributes(text: str) -> str:
    """Removes `__attribute__((...))` with its nested parentheses."""
    while (begin := text.find("__attribute__")) >= 0:
        depth, end = 0, begin + len("__attribute__")
        while True:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
            if depth == 0 and text[end - 1] == ")":
                break
        text = text[:begin] + text[end:]
    return text


def split_parameters(text: str) -> Iterator[str]:
    depth, current = 0, ""
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            yield current.strip()
            current = ""
        else:
            current += character
    yield current.strip()


def parameter(text: str) -> Parameter:
    match = re.fullmatch(r"(?P<type>.*?[\s\*])(?P<name>\w+)\s*(?P<array>(\[\d*\])*)", text)
    if match is None:
        raise SystemExit(f"mpi_prototypes.py: cannot read the parameter '{text}'")
    kind = re.sub(r"\s+", " ", match["type"]).strip()
    of_element = kind.removeprefix("const ") + (" *" if match["array"] else "")
    return Parameter(f"{kind} {{}}{match['array']}", of_element, match["name"])


def prototypes(compiler: str, includes: list[str]) -> list[Function]:
    """Returns the functions in the order of the header. `compiler` is the MPI's compiler wrapper or any other compiler;
    `includes` are directories."""
    command = [compiler, *(f"-I{folder}" for folder in includes), "-E", "-P", "-x", "c", "-"]
    text = subprocess.run(command, input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout
    found: dict[str, Function] = {}
    for statement in without_attributes(text.replace("\n", " ")).split(";"):
        statement = re.sub(r"\s+", " ", statement.rpartition("}")[2]).strip().removeprefix("extern ")
        match = PROTOTYPE.match(statement)
        if match is None or statement.startswith("typedef"):
            continue
        parts = [p for p in split_parameters(match["parameters"]) if p not in ("", "void")]
        found[match["name"]] = Function(
            match["name"],
            match["result"].strip(),
            tuple(parameter(p) for p in parts if p != "..."),
            "..." in parts,
        )
    if len(found) < 300:
        raise SystemExit(f"mpi_prototypes.py: only {len(found)} functions found in mpi.h of {compiler}")
    return [f for f in found.values() if not WITHOUT_SECOND_NAME.fullmatch(f.name)]
