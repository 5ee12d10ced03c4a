"""Buffers, objects and collectives of mpi4py. Every rank prints its results."""

from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
right, left = (rank + 1) % ranks, (rank - 1) % ranks
here = array("d", [0.0] * 1000)
for turn in range(30):
    there = array("d", [rank + turn] * 1000)
    world.Sendrecv([there, MPI.DOUBLE], right, 0, [here, MPI.DOUBLE], left, 0)
request = world.isend({"from": rank}, right, 3)
got = world.recv(source=left, tag=3)
request.wait()
line = f"{rank} of {ranks}: {here[0]} {sum(here)} {got} {world.allreduce(rank)} {world.bcast('x' * 10, 0)}"
for text in world.gather(line) or []:
    print(text)
