"""Helpers for the tables of malformed input: the entry type, valid files to modify, and command lines that read a
file."""

from __future__ import annotations

from dataclasses import dataclass, field

OUTPUT = "out/result"

RING = (
    '{"schema": "haichi-workload/1",\n "ranks": 4,\n "sets": [{"messages": [\n'
    "[0, 1, 5],\n[1, 2, 5],\n[2, 3, 5],\n[3, 0, 5]]}]}\n"
)
MACHINE = (
    '{"schema": "haichi-machine/1",\n "topology": {"kind": "torus", "axes": [{"name": "X", "size": 2, "wraps": true},\n'
    ' {"name": "Y", "size": 2}]},\n "link": {"bandwidth": "5GB/s"}}\n'
)
GRAPH = (
    '<graphml>\n<key id="b" for="edge" attr.name="bandwidth" attr.type="string"/>\n<graph edgedefault="undirected">\n'
    '<node id="a"/>\n<node id="b"/>\n<edge source="a" target="b"><data key="b">5GB/s</data></edge>\n'
    "</graph>\n</graphml>\n"
)
MTX = "%%MatrixMarket matrix coordinate integer general\n"
FUJITSU = "(0,0)\n(1,0)\n(0,1)\n(1,1)\n"
JSON_MAP = '{"schema": "haichi-mapping/1",\n "ranks": 4,\n "node_of_rank": [0, 1,\n 2, 3]}\n'
FOLD = "".join(f"({x},{y}) -> {x} {y}\n" for x in range(4) for y in range(4))
SCRIPT = '#!/bin/bash\n#PJM -L "node=2x2:mesh"\n#PJM --mpi "proc=4,rank-map-hostfile=good.map"\nmpiexec ./a\n'

MAP_FORMATS = [
    "fujitsu",
    "tofu6d",
    "nsim",
    "bgq",
    "bgl",
    "cray",
    "openmpi",
    "slurm",
    "hydra",
    "intel",
    "simgrid",
    "json",
]


def workload(name: str = "bad", *more: str) -> list[str]:
    return ["map", "-m", "torus:2x2", "-w", name, *more, "-o", OUTPUT]


def on_machine(machine: str, *more: str) -> list[str]:
    return ["map", "-m", machine, "-w", "ring.json", *more, "-o", OUTPUT]


def on_mesh(option: str, *more: str) -> list[str]:
    return on_machine("mesh:4x4", option, "./bad", *more)


def convert(form: str, *more: str) -> list[str]:
    return ["convert", "-m", "torus:2x2", "--map", "bad", "-f", form, "-t", "json", *more, "-o", OUTPUT]


def convert_hosts(form: str) -> list[str]:
    return convert(form, "--hosts", "n[0-3]")


EVALUATE = ["evaluate", "-m", "torus:2x2", "-w", "ring.json", "--map", "bad"]
CHECK_SCRIPT = ["check", "-m", "mesh:2x2", "--map", "good.map", "--job", "bad"]

# Every kind of file that the program reads, with a command line that reads it from the file "bad".
READERS: dict[str, list[str]] = {
    "workload": workload(),
    **{
        form: workload("bad", "--workload-format", form)
        for form in ["json", "edge-list", "dense-matrix", "matrix-market", "qaplib", "metis"]
    },
    "machine file": on_machine("./bad"),
    "graph file": on_machine("graph:bad"),
    "node list": on_mesh("--nodes"),
    "list of faulty nodes": on_mesh("--faulty"),
    "coordinate table": on_mesh("--fold"),
    "host names": on_mesh("--hosts", "-f", "slurm"),
    "start": on_mesh("--start"),
    "map to evaluate": EVALUATE,
    **{f"{form} map": convert_hosts(form) for form in MAP_FORMATS},
    "job script": CHECK_SCRIPT,
}


@dataclass(frozen=True)
class Bad:
    """An input that the program must refuse with `error: `, then `start`, and later each of `pieces`."""

    name: str
    command: list[str]
    content: str | bytes | None  # content of the file "bad"; None if the command line itself is wrong
    start: str
    pieces: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def line(number: int, message: str = "") -> str:
    return f"bad:{number}: {message}"
