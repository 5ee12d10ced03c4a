"""The expected communication of a program, and the grids of ranks that programs use."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256

from rules import Iteration, Sets

DOUBLE = 8


@dataclass(frozen=True)
class Grid:
    """Ranks on a grid. The first coordinate runs fastest or, as in MPI_Cart_create, the last."""

    dims: tuple[int, ...]
    last_fastest: bool = False
    periodic: bool = False

    def order(self) -> list[int]:
        axes = list(range(len(self.dims)))
        return axes[::-1] if self.last_fastest else axes

    def place(self, rank: int) -> list[int]:
        at = [0] * len(self.dims)
        for axis in self.order():
            at[axis] = rank % self.dims[axis]
            rank //= self.dims[axis]
        return at

    def rank(self, at: list[int]) -> int:
        rank, stride = 0, 1
        for axis in self.order():
            rank += at[axis] % self.dims[axis] * stride
            stride *= self.dims[axis]
        return rank

    def beside(self, rank: int, *steps: int) -> int:
        """Returns the rank at this distance, or -1 beyond a border that is not periodic."""
        at = [a + s for a, s in zip(self.place(rank), steps, strict=True)]
        if not self.periodic and any(not 0 <= a < d for a, d in zip(at, self.dims, strict=True)):
            return -1
        return self.rank(at)

    def along(self, rank: int, axis: int, step: int) -> int:
        return self.beside(rank, *(step if a == axis else 0 for a in range(len(self.dims))))


@dataclass(frozen=True)
class Expectation:
    """The expectation for one loop of a program on a number of ranks."""

    loop: str  # which loop
    iteration: Iteration
    exact_sizes: bool = True

    def summary(self) -> dict[str, object]:
        sets = self.iteration.sets()
        return {
            "iteration": self.loop,
            "collectives": self.iteration.collectives,
            "sizes": "exact" if self.exact_sizes else "estimated",
            "messages": sum(len(s) for s in sets),
            "bytes": sum(size for s in sets for _, _, size in s),
            "sets": [[len(s), sum(size for _, _, size in s)] for s in sets],
            "sha256": fingerprint(sets),
        }


def fingerprint(sets: Sets) -> str:
    return sha256(json.dumps([sorted(s) for s in sets], separators=(",", ":")).encode()).hexdigest()


def cube(ranks: int) -> tuple[int, int, int]:
    return {16: (4, 2, 2), 64: (4, 4, 4)}[ranks]


def square(ranks: int) -> tuple[int, int]:
    side = round(ranks**0.5)
    return side, side


def atoms_in_slabs(cells: tuple[int, ...]) -> list[int]:
    """The Lennard-Jones liquid of miniMD and LAMMPS, density 0.8442, with ghosts up to 2.8. Returns the number of atoms
    that each axis sends to one side, x first."""
    sides = [c * (4 / 0.8442) ** (1 / 3) for c in cells]
    atoms = []
    for axis in range(3):
        area = 1.0
        for other in range(3):
            if other != axis:
                area *= sides[other] + (2 * 2.8 if other < axis else 0)
        atoms.append(round(area * 2.8 * 0.8442))
    return atoms
