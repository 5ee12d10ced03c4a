"""Compiles the programs of examples/programs/rdma, and simulates them on the switch of the RDMA study."""

from __future__ import annotations

import subprocess
from pathlib import Path

import haichi
from haichi.base.program import find_program

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "examples" / "programs" / "rdma"


def compiled(name: str, folder: Path) -> Path:
    """Compiles the example program `name` into `folder` and returns its path."""
    program = folder / name
    subprocess.run([find_program(), "mgencc", "-O2", EXAMPLES / f"{name}.c", "-o", program], check=True)
    return program


def seconds(program: Path, *arguments: object, nodes: int, ranks_per_node: int = 1) -> float:
    """Returns the simulated seconds of a program with `ranks_per_node` ranks on each of the nodes."""
    words = [str(program), *map(str, arguments)]
    done = haichi.simulate_program(words, f"switch:{nodes}", ranks=nodes * ranks_per_node, ppn=ranks_per_node)
    if done.exit_code != 0:
        raise RuntimeError(done.errors)
    return done.seconds
