"""Rejects changes by which more source files include a heavy header than the table below allows.

    python3 tests/architecture/check_heavy_headers.py [ROOT]

Reads only #include lines, without a build. Exits with 1 if a header is above its limit, and prints the includes whose
removal would save most. scripts/build_cost.py --headers measures the cost of headers.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from fnmatch import fnmatchcase
from pathlib import Path

from check_includes import CPP_SUFFIXES, includes, source_files

# Maximum number of source files, including tests, that may include a header directly or indirectly. Lower a limit after
# an include is removed. Raise it only for files that cannot do without the header.
LIMITS: dict[str, int] = {
    "netmodel/packetsim/packet_partition_inl.h": 3,  # the core loop of the packet engine
    "mgen/process_model.h": 15,
    "mapper/anneal/restarted_search.h": 3,
    "base/errors.h": 515,
    "nlohmann/json.hpp": 58,
    "CLI/*": 2,
    "boost/graph/*": 0,
    "spdlog/*": 2,  # base/log.cc, and cmake/portable/libraries.cc for the sysroot alone
}
MOST_SHOWN = 3

Edge = tuple[str, str]  # a file and a header that it includes


def read_edges(root: Path) -> list[Edge]:
    """All includes. The name of a header in the repository is relative to the root."""
    edges = []
    for path in source_files(root):
        if path.suffix not in CPP_SUFFIXES:
            continue
        for _, _, target in includes(path.read_text(encoding="utf-8")):
            beside = path.parent / target
            name = target if (root / target).is_file() or not beside.is_file() else beside.relative_to(root).as_posix()
            edges.append((path.relative_to(root).as_posix(), name))
    return edges


def reaching(header: str, edges: list[Edge]) -> dict[str, int]:
    """The files that include a header directly or indirectly, and their distance to it. `header` may be a pattern."""
    users = defaultdict(list)
    for user, target in edges:
        users[target].append(user)
    waiting = [target for target in users if fnmatchcase(target, header)]
    distances = dict.fromkeys(waiting, 0)
    for target in waiting:  # the list grows during the loop
        for user in users[target]:
            if user not in distances:
                distances[user] = distances[target] + 1
                waiting.append(user)
    return distances


def sources(files: dict[str, int]) -> int:
    return sum(not file.endswith((".h", ".hpp")) and distance > 0 for file, distance in files.items())


def costliest_edges(header: str, edges: list[Edge]) -> list[tuple[int, Edge]]:
    """The includes that bring in most files, each with the number of files that remain without it, fewest first. If
    several includes in a chain leave the same number, only the one farthest from the header is listed."""
    distances = reaching(header, edges)
    between = [edge for edge in edges if edge[0] in distances and edge[1] in distances]
    left = {edge: sources(reaching(header, [other for other in between if other != edge])) for edge in between}
    ordered = sorted(left, key=lambda edge: (left[edge], -distances[edge[0]], edge))
    farthest = {left[edge]: edge for edge in reversed(ordered)}
    return sorted((number, edge) for number, edge in farthest.items())[:MOST_SHOWN]


def check(root: Path, limits: dict[str, int]) -> list[str]:
    edges = read_edges(root)
    violations = []
    for header, limit in limits.items():
        number = sources(reaching(header, edges))
        if number > limit:
            violations.append(f"{header}: {number} source files reach it, at most {limit} may. Most come in through")
            for left, (user, target) in costliest_edges(header, edges):
                violations.append(f"    {user}, which includes {target} (without it: {left})")
    return violations


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    violations = check(root.resolve(), LIMITS)
    print("\n".join(violations) or f"{len(LIMITS)} heavy headers are within their limits in {root}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
