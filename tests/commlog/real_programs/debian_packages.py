"""The communication sets of one iteration of programs in Debian's packages. They were derived from the packages'
sources (README.md) before the programs ran under the profiler."""

from __future__ import annotations

from expectation import DOUBLE, Expectation, Grid, atoms_in_slabs, cube, square
from rules import Iteration


def lammps(ranks: int) -> list[Expectation]:
    """Like miniMD, but each swap is a posted receive, a blocking send and a wait. Each rank has 4 x 4 x 4 unit
    cells."""
    grid, it = Grid(cube(ranks), last_fastest=True, periodic=True), Iteration(ranks)
    sizes = [n * 3 * DOUBLE for n in atoms_in_slabs((4, 4, 4))]

    def swap(rank: int, to: int, source: int, size: int) -> None:
        receive = it.irecv(rank, source)
        it.send(rank, to, size)
        it.wait(rank, receive)

    swaps = [(axis, side) for axis in range(3) for side in [-1, 1]]
    for rank in range(ranks):
        for axis, side in swaps:
            swap(rank, grid.along(rank, axis, side), grid.along(rank, axis, -side), sizes[axis])
        for axis, side in swaps[::-1]:
            swap(rank, grid.along(rank, axis, -side), grid.along(rank, axis, side), sizes[axis])
    return [Expectation("time step", it, exact_sizes=False)]


def icofoam(ranks: int, cells: int = 64) -> list[Expectation]:
    """The lid-driven cavity, cells x cells, in squares, with the ranks along x first. Most of the work is the conjugate
    gradient solver for the pressure. An iteration has the sum of w r, the exchange of border values, the sum of w p,
    and the residual. Neighbours are in rank order, each with a posted receive and then a posted send. One wait covers
    all of them."""
    grid, it = Grid(square(ranks)), Iteration(ranks)
    it.collective("Allreduce")
    for rank in range(ranks):
        beside = [grid.beside(rank, *step) for step in [(0, -1), (-1, 0), (1, 0), (0, 1)]]
        posts = []
        for other in sorted(r for r in beside if r >= 0):
            posts.append(it.irecv(rank, other))
            posts.append(it.isend(rank, other, cells // grid.dims[0] * DOUBLE))
        it.wait(rank, *posts)
    it.collective("Allreduce")
    it.collective("Allreduce")
    return [Expectation("iteration of conjugate gradients", it)]
