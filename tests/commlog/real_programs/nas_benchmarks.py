"""The communication sets of one iteration of NAS Parallel Benchmarks 3.3 (MPI, Fortran). They were derived from the
sources (README.md) before the programs ran under the profiler."""

from __future__ import annotations

from expectation import DOUBLE, Expectation, Grid, square
from rules import Iteration


def cg(ranks: int, order: int = 7000) -> list[Expectation]:
    """One of the 25 iterations of conj_grad. The partial products are summed in each row of ranks, nearest partner
    first. The result goes to the transposed rank. Two sums of one number in the rows follow, farthest partner first.
    Each exchange is a posted receive, a blocking send, and a wait."""
    side = square(ranks)[0]
    it = Iteration(ranks)
    bits = [1 << i for i in range(side.bit_length() - 1)]
    for rank in range(ranks):

        def exchange(partner: int, size: int, rank: int = rank) -> None:
            receive = it.irecv(rank, partner)
            it.send(rank, partner, size)
            it.wait(rank, receive)

        in_row = [rank // side * side + (rank % side ^ bit) for bit in bits]
        for partner in in_row:
            exchange(partner, order // side * DOUBLE)
        transposed = rank % side * side + rank // side
        if transposed != rank:
            exchange(transposed, order // side * DOUBLE)
        for _ in range(2):
            for partner in in_row[::-1]:
                exchange(partner, DOUBLE)
    return [Expectation("iteration of conj_grad", it)]


def lu(ranks: int, n: int = 33) -> list[Expectation]:
    """A step. For each inner plane, a wave goes from north-west to south-east, and then for each plane a wave goes
    back. Borders two points deep follow: north to south, back, west to east, back. All calls block, except the receives
    of the borders."""
    grid = Grid(square(ranks))  # the row runs fastest; north is the row before, west the column before
    it = Iteration(ranks)
    for rank in range(ranks):
        north, south = grid.along(rank, 0, -1), grid.along(rank, 0, 1)
        west, east = grid.along(rank, 1, -1), grid.along(rank, 1, 1)
        row, column = grid.place(rank)
        nx = n // grid.dims[0] + (row < n % grid.dims[0])
        ny = n // grid.dims[1] + (column < n % grid.dims[1])
        inner_x = nx - (north < 0) - (south < 0)
        inner_y = ny - (west < 0) - (east < 0)

        def plane(
            sources: list[int], to_x: int, to_y: int, rank: int = rank, x: int = inner_x, y: int = inner_y
        ) -> None:
            for source in sources:
                if source >= 0:
                    it.recv(rank, source)
            if to_x >= 0:
                it.send(rank, to_x, 5 * y * DOUBLE)
            if to_y >= 0:
                it.send(rank, to_y, 5 * x * DOUBLE)

        def border(source: int, to: int, size: int, rank: int = rank) -> None:
            receive = it.irecv(rank, source) if source >= 0 else None
            if to >= 0:
                it.send(rank, to, size)
            if receive is not None:
                it.wait(rank, receive)

        for _ in range(n - 2):
            plane([north, west], south, east)
        for _ in range(n - 2):
            plane([south, east], north, west)
        border(north, south, 10 * ny * n * DOUBLE)
        border(south, north, 10 * ny * n * DOUBLE)
        border(west, east, 10 * nx * n * DOUBLE)
        border(east, west, 10 * nx * n * DOUBLE)
    return [Expectation("time step", it)]


class MultigridRank:
    """One rank's data in the subroutine setup of MG. For each level (from 1, the coarsest) and axis, it has the points
    with ghosts and the neighbouring ranks. It also states whether the rank gives to or takes from ranks that are idle
    on the level below."""

    def __init__(self, rank: int, dims: tuple[int, int, int], top: int) -> None:
        grid = Grid(dims)
        at = grid.place(rank)
        step = [1, 1, 1]
        self.points: dict[int, list[int]] = {}
        self.dead: dict[int, bool] = {}
        self.beside: dict[tuple[int, int, int], int] = {}  # axis, direction, level
        self.gives: set[tuple[int, int]] = set()  # axis, level
        self.takes: set[tuple[int, int]] = set()
        for level in range(top, 0, -1):
            n = 1 << level
            own = []
            for axis in range(3):
                p, i = dims[axis], at[axis]
                mine = 2 + (i + 1) * n // p - i * n // p
                next_one = 2 + (step[axis] + i + 1) * n // p - (step[axis] + i) * n // p
                if 2 in (mine, next_one):
                    step[axis] *= 2
                if level < top:
                    if (next_one, mine) == (2, 3):
                        self.gives.add((axis, level + 1))
                    if (next_one, mine) == (3, 2):
                        self.takes.add((axis, level + 1))
                own.append(mine)
            self.points[level] = own
            self.dead[level] = 2 in own
            for axis in range(3):
                for direction in [-1, 1]:
                    there = list(at)
                    there[axis] = (at[axis] + direction * step[axis] + dims[axis]) % dims[axis]
                    self.beside[axis, direction, level] = grid.rank(there)


def mg(ranks: int, top: int = 6) -> list[Expectation]:
    """A V-cycle on 2^top points a side, and the residual after it. Each exchange is with both neighbours, axis by axis.
    Exchanges follow each restriction (at the coarse level), the smoothing at the coarsest level, and the residual and
    smoothing at each finer level. Before the finer levels, ranks that were idle receive interpolated values
    from other ranks."""
    power = ranks.bit_length() - 1
    dx = power // 3
    dy = (power - dx) // 2
    dims = (1 << dx, 1 << dy, 1 << (power - dx - dy))
    it = Iteration(ranks)

    for rank in range(ranks):
        known = MultigridRank(rank, dims, top)

        def tag(axis: int, direction: int) -> int:
            return 10 * axis + direction + 1

        def comm3(level: int, rank: int = rank, known: MultigridRank = known) -> None:
            if known.dead[level]:
                return
            n1, n2, n3 = known.points[level]
            sizes = [(n2 - 2) * (n3 - 2), n1 * (n3 - 2), n1 * n2]
            for axis in range(3):
                below = it.irecv(rank, known.beside[axis, 1, level], tag(axis, -1))
                above = it.irecv(rank, known.beside[axis, -1, level], tag(axis, 1))
                it.send(rank, known.beside[axis, 1, level], sizes[axis] * DOUBLE, tag(axis, 1))
                it.send(rank, known.beside[axis, -1, level], sizes[axis] * DOUBLE, tag(axis, -1))
                it.wait(rank, below)
                it.wait(rank, above)

        def comm3_ex(level: int, rank: int = rank, known: MultigridRank = known) -> None:
            n1, n2, n3 = known.points[level]
            faces = [n2 * n3, n1 * n3, n1 * n2]
            for axis in range(3):
                if (axis, level) in known.takes:
                    below = it.irecv(rank, known.beside[axis, 1, level], tag(axis, -1))
                    above = it.irecv(rank, known.beside[axis, -1, level], tag(axis, 1))
                    it.wait(rank, below)
                    it.wait(rank, above)
                if (axis, level) in known.gives:
                    it.send(rank, known.beside[axis, 1, level], 2 * faces[axis] * DOUBLE, tag(axis, 1))
                    it.send(rank, known.beside[axis, -1, level], faces[axis] * DOUBLE, tag(axis, -1))

        for level in range(top, 1, -1):
            comm3(level - 1)  # rprj3
        comm3(1)  # psinv
        for level in range(2, top + 1):
            comm3_ex(level)  # interp
            comm3(level)  # resid
            comm3(level)  # psinv
        comm3(top)  # resid, after the cycle
    return [Expectation("V-cycle", it)]
