"""Rejects violations of the architecture (ARCHITECTURE.md): includes of higher modules, and CMake links that differ
from a module's includes. Also rejects includes that are not relative to the root, <mpi.h> outside the profiler and the
examples, and long files.

    python3 tests/architecture/check_includes.py [ROOT]

Prints one line per violation, "FILE:LINE: problem", and exits with 1 if there is any.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# The modules that each module may include. netmodel and commlog are independent of each other.
MODULES: dict[str, set[str]] = {
    "base": set(),
    "netmodel": {"base"},
    "collectives": {"base"},
    "commlog": {"base", "collectives"},
    "mgen": {"base", "netmodel", "collectives", "commlog"},
    "objectives": {"base", "netmodel", "collectives", "commlog", "mgen"},
    "mapper": {"base", "netmodel", "collectives", "commlog", "mgen", "objectives"},
    "options": {"base", "netmodel", "collectives", "commlog", "mgen", "objectives", "mapper"},
    "cli": {"base", "netmodel", "collectives", "commlog", "mgen", "objectives", "mapper", "options"},
    "library": {"base", "netmodel", "collectives", "commlog", "mgen", "objectives", "mapper", "options"},
    "python": {"base", "netmodel", "collectives", "commlog", "mgen", "objectives", "mapper", "options"},
}

# The directories of the same module that each directory may include. Directories that are not listed are not
# restricted.
DIRECTORIES: dict[str, dict[str, set[str]]] = {
    "netmodel": {
        "topology": set(),
        "networkfiles": {"topology"},
        "routing": {"topology", "networkfiles"},
        "machine": {"topology", "networkfiles", "routing"},
        "packetsim": {"topology", "networkfiles", "routing", "machine"},
    },
    # A build may omit traces, so readers must not include it.
    "commlog": {
        "readers": {"workload", "log", "ccs"},
        "traces": {"workload", "log", "readers"},
    },
    # Execution-driven simulation, from the fibers up to the functions that programs call.
    "mgen": {
        "replay": set(),
        "host": {"replay"},
        "mpi": {"host"},
        "program": set(),
        "abi": {"host", "mpi", "program"},
    },
    # Each directory may include only directories above it in this list. choose may include solve: if no objective is
    # given, it solves for several.
    "mapper": {
        "search": set(),
        "exhaustive": {"search"},
        "anneal": {"search", "exhaustive"},
        "tabu": {"search"},
        "structure": set(),
        "start": {"structure"},
        "partition": {"search", "anneal", "start"},
        "rankmap": set(),
        "job": {"search", "anneal", "start", "partition", "rankmap"},
        "judge": {"search", "job"},
        "solve": {"search", "anneal", "tabu", "start", "partition", "job", "judge"},
        "choose": {"search", "anneal", "job", "judge", "solve"},
        "advise": {"job", "judge", "solve"},
        "report": {"anneal", "job", "judge", "choose", "advise"},
    },
}

# C++ files outside of the modules. They may include any module and their own files.
OUTSIDE_MODULES = {"tests", "examples", "studies"}
# The headers of libhaichi and of plug-ins, below all modules. They include nothing of haichi except each other.
PUBLIC_HEADERS = "include"
MPI_DIRECTORIES = (
    "commlog/barriers/",
    "commlog/preload/",
    "commlog/profiler/",
    "commlog/rails/",
    "commlog/renumber/",
    "examples/",
    "mgen/abi/",
    "mgen/program/",
    "studies/",
    "tests/bench/",
    "tests/cli/fjmpi_stand_in/",
    "tests/commlog/barriers/",
    "tests/commlog/profiler/",
    "tests/commlog/rails/",
    "tests/commlog/renumber/",
    "tests/slurm/",
    "tests/data/logs/",
    "tests/mgen/live/",
)
# Programs that are compiled in their directory. They may include files in it by name.
USERS_DIRECTORIES = ("examples/programs/", "tests/mgen/live/programs/mgen/")
MOST_LINES = 500

CPP_SUFFIXES = {".h", ".cc", ".hpp", ".cpp", ".c"}
COUNTED_SUFFIXES = CPP_SUFFIXES | {".py", ".sh", ".cmake", ".txt"}
SKIPPED_DIRECTORIES = {".git", ".venv", "build", "dist", "__pycache__", "requirements"}

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
LINK = re.compile(r"\bhaichi::(\w+)")


def source_files(root: Path) -> Iterator[Path]:
    for path in sorted(root.iterdir()):
        if path.name in SKIPPED_DIRECTORIES or path.is_symlink():
            continue
        if path.is_dir():
            yield from source_files(path)
        elif path.suffix in COUNTED_SUFFIXES:
            yield path


def includes(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, opening quote and target of every #include."""
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1], match[2]


def include_violation(root: Path, file: str, quote: str, target: str) -> str | None:
    """The problem with this include, or None. `file` is relative to the root, with forward slashes."""
    if quote == "<" and target == "mpi.h":
        allowed = file.startswith(MPI_DIRECTORIES)
        return None if allowed else f"<mpi.h> may be included only in {', '.join(MPI_DIRECTORIES)}"
    parts = target.split("/")
    is_ours = parts[0] in MODULES and (root / parts[0]).is_dir() and len(parts) > 1
    if quote == "<":
        return f'write "{target}" in quotes: it is a file of this repository' if is_ours else None
    if file.startswith(USERS_DIRECTORIES) and len(parts) == 1:
        return None
    if file.startswith(f"{PUBLIC_HEADERS}/"):
        return f'public header with a private one: "{target}"'
    if not is_ours and not (parts[0] in OUTSIDE_MODULES | {PUBLIC_HEADERS} and len(parts) > 1):
        return f'"{target}" is not relative to the root of the repository (MODULE/DIRECTORY/FILE)'
    if not (root / target).is_file() and not (root / f"{target}.in").is_file():
        return f'"{target}" does not exist'

    here = file.split("/")
    if here[0] not in MODULES or parts[0] == PUBLIC_HEADERS:
        return None
    if parts[0] != here[0]:
        if parts[0] in MODULES[here[0]]:
            return None
        return f'module {here[0]} may not include module {parts[0]} ("{target}")'
    directories = DIRECTORIES.get(here[0], {})
    if here[1] in directories and len(parts) > 2 and parts[1] != here[1] and parts[1] not in directories[here[1]]:
        return f'directory {here[0]}/{here[1]} may not include {parts[0]}/{parts[1]} ("{target}")'
    return None


def check_file(root: Path, path: Path, included_modules: dict[str, set[str]]) -> Iterator[str]:
    file = path.relative_to(root).as_posix()
    text = path.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    if lines > MOST_LINES:
        yield f"{file}:{lines}: more than {MOST_LINES} lines: is there a second subject in it?"
    if path.suffix not in CPP_SUFFIXES:
        return
    module = file.split("/")[0]
    for number, quote, target in includes(text):
        violation = include_violation(root, file, quote, target)
        if violation:
            yield f"{file}:{number}: {violation}"
        elif quote == '"' and module in MODULES:
            included_modules.setdefault(module, set()).add(target.split("/")[0])


def check_links(root: Path, included_modules: dict[str, set[str]]) -> Iterator[str]:
    """Checks that a module's CMakeLists.txt links the haichi:: targets that it includes, and only lower modules."""
    for module, allowed in MODULES.items():
        if not (root / module).is_dir():
            continue
        links: set[str] = set()
        cmake_files = sorted((root / module).rglob("CMakeLists.txt"))
        name = cmake_files[0].relative_to(root).as_posix() if cmake_files else f"{module}/CMakeLists.txt"
        if not cmake_files:
            yield f"{name}:1: the module has no CMakeLists.txt"
        for cmake_file in cmake_files:
            text = re.sub(r"#.*", "", cmake_file.read_text(encoding="utf-8"))
            links |= {link for link in LINK.findall(text) if link in MODULES and link != module}
        for link in sorted(links - allowed):
            yield f"{name}:1: module {module} may not link haichi::{link}"
        for link in sorted(included_modules.get(module, set()) - {module, PUBLIC_HEADERS} - links):
            yield f"{name}:1: module {module} includes module {link} but does not link haichi::{link}"


def check(root: Path) -> list[str]:
    included_modules: dict[str, set[str]] = {}
    violations: list[str] = []
    for path in source_files(root):
        violations += check_file(root, path, included_modules)
    violations += check_links(root, included_modules)
    return violations


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    violations = check(root.resolve())
    for violation in violations:
        print(violation)
    print(f"{len(violations)} violations of the architecture in {root}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
