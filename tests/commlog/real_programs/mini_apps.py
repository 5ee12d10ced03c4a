"""The communication sets of one iteration of public mini-applications. They were derived from the sources (README.md)
before the programs ran under the profiler. Each function states the posts and waits of the ranks.

Sizes are exact unless atoms move. Then they are estimates from the density."""

from __future__ import annotations

from itertools import product

from expectation import DOUBLE, Expectation, Grid, atoms_in_slabs, cube, square
from rules import Iteration


def comd(ranks: int) -> list[Expectation]:
    """Embedded atoms. Each step exchanges atoms over the three axes (MPI_Sendrecv to the lower and then to the upper
    neighbour). The force computation exchanges the derivative of the embedding energy in the same way. A rank has 3^3
    unit cells of 4 atoms in 2^3 boxes, and half of the atoms are in the first plane. Later axes forward the atoms
    received on earlier axes."""
    grid, it = Grid(cube(ranks), periodic=True), Iteration(ranks)
    for atom_bytes in [2 * 4 + 6 * DOUBLE, DOUBLE]:
        for axis, atoms in enumerate([54, 108, 216]):
            for rank in range(ranks):
                below, above = grid.along(rank, axis, -1), grid.along(rank, axis, 1)
                it.sendrecv(rank, below, atoms * atom_bytes, above)
                it.sendrecv(rank, above, atoms * atom_bytes, below)
    return [Expectation("time step", it, exact_sizes=False)]


def lulesh(ranks: int, elements: int = 6) -> list[Expectation]:
    """Forces go to all 26 neighbours. Positions and velocities go to neighbours that own fewer nodes (lower planes
    first), and gradients to the 6 neighbours at faces. Each exchange posts all receives first, waits for all sends at
    once, and then waits for the receives."""
    tp = round(ranks ** (1 / 3))
    grid, it = Grid((tp, tp, tp)), Iteration(ranks)  # column, row, plane
    nodes = elements + 1
    # (column, row, plane), in the order of the sends.
    faces = [(0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0), (-1, 0, 0), (1, 0, 0)]
    edges = [(-1, -1, 0), (0, -1, -1), (-1, 0, -1), (1, 1, 0), (0, 1, 1), (1, 0, 1)]
    edges += [(-1, 1, 0), (0, -1, 1), (-1, 0, 1), (1, -1, 0), (0, 1, -1), (1, 0, -1)]
    corners = [(c, r, p) for r, c, p in product([-1, 1], [-1, 1], [-1, 1])]
    # The directions not under "doSend". They are the lower half. If only owners send, they send in these directions
    # only.
    lower = {(0, 0, -1), (0, -1, 0), (-1, 0, 0), (-1, -1, 0), (0, -1, -1), (-1, 0, -1), (1, -1, 0), (0, 1, -1)}
    lower |= {(1, 0, -1)} | {corner for corner in corners if corner[2] == -1}
    it.collective("Allreduce")  # for the time step
    for fields, size, directions in [
        (3, nodes, faces + edges + corners),
        (6, nodes, [d for d in faces + edges + corners if d in lower]),
        (3, elements, faces),
    ]:
        for rank in range(ranks):
            receives, sends = [], []
            for d in directions:
                source = grid.beside(rank, *(-step for step in d))
                if source >= 0:
                    receives.append(it.irecv(rank, source))
            for d in directions:
                to = grid.beside(rank, *d)
                if to >= 0:
                    zeros = d.count(0)
                    sends.append(it.isend(rank, to, fields * size**zeros * DOUBLE))
            it.wait(rank, *sends)
            for receive in receives:
                it.wait(rank, receive)
    return [Expectation("time step", it)]


Box = list[list[int]]


def recursive_boxes(first: int, count: int, axis: int, box: Box, boxes: list[Box]) -> None:
    """miniFE's partition: halves along z, y, x, z ..."""
    if count == 1:
        boxes[first] = [list(side) for side in box]
        return
    low = count // 2
    n = box[axis][1] - box[axis][0]
    n_low = n - int(n * ((count - low) / count))
    halves = [[list(side) for side in box] for _ in range(2)]
    halves[0][axis][1] = halves[1][axis][0] = box[axis][0] + n_low
    recursive_boxes(first, low, (axis + 2) % 3, halves[0], boxes)
    recursive_boxes(first + low, count - low, (axis + 2) % 3, halves[1], boxes)


def minife(ranks: int, n: int = 24) -> list[Expectation]:
    """Conjugate gradients on the nodes of a brick of hexahedra. Before each matrix-vector product, every rank
    gets the values of the nodes beside its own. The neighbours are in the order in which the rows, read with
    ascending columns, first refer to one of their nodes. In this order, receives are posted first, and then blocking
    sends are made."""
    boxes: list[Box] = [[] for _ in range(ranks)]
    recursive_boxes(0, ranks, 2, [[0, n]] * 3, boxes)
    owner, row_of, row = {}, {}, 0
    for rank, box in enumerate(boxes):
        for side in box:
            side[1] += side[1] == n  # the rank at the upper end owns its nodes
        x, y, z = (range(*side) for side in box)
        for k, j, i in product(z, y, x):
            owner[i, j, k], row_of[i, j, k] = rank, row
            row += 1
    needed: list[dict[int, set[int]]] = []
    for rank, box in enumerate(boxes):
        of_rank: dict[int, set[int]] = {}
        x, y, z = (range(*side) for side in box)
        for k, j, i in product(z, y, x):
            around = [(i + a, j + b, k + c) for a, b, c in product([-1, 0, 1], repeat=3)]
            for node in sorted((p for p in around if p in owner and owner[p] != rank), key=row_of.__getitem__):
                of_rank.setdefault(owner[node], set()).add(row_of[node])
        needed.append(of_rank)
    it = Iteration(ranks)
    for rank in range(ranks):
        receives = [it.irecv(rank, source) for source in needed[rank]]
        for to in needed[rank]:
            it.send(rank, to, len(needed[to][rank]) * DOUBLE)
        for receive in receives:
            it.wait(rank, receive)
    it.collective("Allreduce")
    it.collective("Allreduce")
    return [Expectation("iteration of conjugate gradients", it)]


def hpccg(ranks: int, n: int = 8) -> list[Expectation]:
    """Bricks of n^3 points stacked along z. A rank sends a plane to the brick below and then one to the brick above."""
    it = Iteration(ranks)
    for rank in range(ranks):
        beside = [r for r in [rank - 1, rank + 1] if 0 <= r < ranks]
        receives = [it.irecv(rank, source) for source in beside]
        for to in beside:
            it.send(rank, to, n * n * DOUBLE)
        for receive in receives:
            it.wait(rank, receive)
    it.collective("Allreduce")
    it.collective("Allreduce")
    return [Expectation("iteration of conjugate gradients", it)]


def minimd(ranks: int) -> list[Expectation]:
    """A step between two re-neighbourings. Positions are exchanged along x, then y, then z, each time with the
    lower and then with the upper neighbour. After the force computation, the forces of the ghosts return in the
    opposite order, by Newton's third law. All exchanges use MPI_Sendrecv. The grid has the least surface: for 16
    ranks, 2 x 2 x 4 is the first such grid."""
    dims = {16: (2, 2, 4), 64: (4, 4, 4)}[ranks]
    grid, it = Grid(dims, last_fastest=True, periodic=True), Iteration(ranks)
    sizes = [n * 3 * DOUBLE for n in atoms_in_slabs(tuple(16 // d for d in dims))]
    swaps = [(axis, side) for axis in range(3) for side in [-1, 1]]
    for rank in range(ranks):
        for axis, side in swaps:
            it.sendrecv(rank, grid.along(rank, axis, side), sizes[axis], grid.along(rank, axis, -side))
        for axis, side in swaps[::-1]:
            it.sendrecv(rank, grid.along(rank, axis, -side), sizes[axis], grid.along(rank, axis, side))
    return [Expectation("time step", it, exact_sizes=False)]


def prk_stencil(ranks: int, n: int = 256, radius: int = 2) -> list[Expectation]:
    """A star of radius 2 on n x n points. Borders along y are exchanged and waited for, then borders along x."""
    grid, it = Grid(square(ranks)), Iteration(ranks)
    size = radius * (n // grid.dims[0]) * DOUBLE
    for axis in [1, 0]:
        for rank in range(ranks):
            posts = []
            for side in [1, -1]:
                other = grid.along(rank, axis, side)
                if other >= 0:
                    posts.append(it.irecv(rank, other, tag=axis))
                    posts.append(it.isend(rank, other, size, tag=axis))
            it.wait(rank, *posts)
    return [Expectation("iteration", it)]


def prk_p2p(ranks: int, columns: int = 65, group: int = 8) -> list[Expectation]:
    """A pipeline: groups of grid lines go from the first rank to the last, with the group as the tag. Then a corner
    goes back. The second returned loop is one pass of the inner loop over the groups."""
    it, inner = Iteration(ranks), Iteration(ranks)
    for rank in range(ranks):
        for j in range(1, columns, group):
            if rank > 0:
                it.recv(rank, rank - 1, tag=j)
            if rank < ranks - 1:
                it.send(rank, rank + 1, min(group, columns - j) * DOUBLE, tag=j)
        if rank == ranks - 1:
            it.send(rank, 0, DOUBLE, tag=888)
        if rank == 0:
            it.recv(rank, ranks - 1, tag=888)
        if rank > 0:
            inner.recv(rank, rank - 1)
        if rank < ranks - 1:
            inner.send(rank, rank + 1, group * DOUBLE)
    return [Expectation("iteration", it), Expectation("group of lines", inner)]


def prk_transpose(ranks: int, order: int = 256) -> list[Expectation]:
    """In phase k, a rank sends a block to the rank k below and receives one from the rank k above. It waits for
    both."""
    it = Iteration(ranks)
    size = (order // ranks) ** 2 * DOUBLE
    for rank in range(ranks):
        for phase in range(1, ranks):
            received = it.irecv(rank, (rank + phase) % ranks, tag=phase)
            sent = it.isend(rank, (rank - phase) % ranks, size, tag=phase)
            it.wait(rank, received)
            it.wait(rank, sent)
    return [Expectation("iteration", it)]


def cloverleaf(ranks: int, cells: int = 96) -> list[Expectation]:
    """Six halo exchanges a step, each first left and right, then bottom and top. Each has a number of fields and a
    depth. Three reductions of all ranks are between them."""
    grid, it = Grid(square(ranks)), Iteration(ranks)
    side = cells // grid.dims[0] + 5

    def exchange(fields: int, depth: int) -> None:
        for axis in [0, 1]:
            for rank in range(ranks):
                posts = []
                for step in [-1, 1]:
                    other = grid.along(rank, axis, step)
                    if other >= 0:
                        posts.append(it.isend(rank, other, fields * depth * side * DOUBLE))
                        posts.append(it.irecv(rank, other))
                it.wait(rank, *posts)

    exchange(5, 1)  # pressure, energy, density, two velocities
    exchange(1, 1)  # viscosity
    it.collective("Allreduce")  # the time step
    it.collective("Allreduce")  # error flags of the PdV kernel, predictor step
    exchange(1, 1)  # pressure
    it.collective("Allreduce")  # error flags of the PdV kernel, corrector step
    exchange(4, 2)  # energy, density, volume fluxes
    exchange(6, 2)  # energy, density, velocities, mass fluxes: twice
    exchange(6, 2)
    return [Expectation("time step", it)]
