"""A typed user script. mypy --strict checks it, and test_simulate.py runs it."""

import pickle
import sys

import numpy as np
import numpy.typing as npt

import haichi

Matrix = npt.NDArray[np.int64]


def slowest_rank(run: haichi.SimulatedRun) -> int:
    times: npt.NDArray[np.float64] = run.end_seconds
    return int(times.argmax())


def show(progress: haichi.SimulationProgress) -> None:
    sys.stderr.write(f"{progress.iterations_done} of {progress.iterations}\n")


def show_search(progress: haichi.SearchProgress) -> None:
    sys.stderr.write(f"{progress.fraction_done:.0%}, {progress.best_value}, {progress.restarts_done}\n")


def spread(node_of_rank: npt.NDArray[np.int32]) -> float:
    return float(np.abs(np.diff(node_of_rank)).sum())


def numpy_spread(node_of_rank: npt.NDArray[np.int32]) -> np.int64:
    return np.int64(np.abs(np.diff(node_of_rank)).sum())


def compare() -> tuple[float, float]:
    workload = haichi.Workload.from_pattern("cg", ranks=16, iterations=2)
    job = haichi.Job(workload, "torus:4x4")
    found: haichi.Placement = job.optimize(seed=3, evaluations=1000, progress=show_search)
    measured: haichi.Evaluation = job.evaluate(found, simulate=True)
    assert measured.simulated is not None and measured.simulated.default is not None
    simulation = job.simulate(found, barrier="both", sim_iterations="all", statistics=None, progress=show)
    without, with_barriers = simulation.runs
    link: haichi.LinkTraffic = without.most_loaded_links[0]
    assert 0 <= slowest_rank(with_barriers) < 16 and link.bytes > 0
    rows: list[dict[str, object]] = simulation.to_dict()["runs"]
    assert len(rows) == 2
    return without.seconds, measured.simulated.run.seconds


def machines() -> haichi.Machine:
    machine = haichi.Machine("torus:4x4")
    axes: tuple[haichi.Axis, ...] = machine.axes
    nodes: int | None = machine.nodes
    assert nodes == 16 and [axis.size for axis in axes] == [4, 4] and machine.kind == "torus"
    again: haichi.Machine = pickle.loads(pickle.dumps(machine))
    assert again == machine and again.digest() == machine.digest()
    topology = {"kind": "mesh", "axes": [{"name": "X", "size": 16}]}
    mesh = haichi.Machine.from_dict(
        {"schema": "haichi-machine/1", "topology": topology, "link": {"bandwidth": "1GB/s"}}
    )
    text: str | None = mesh.text
    assert text is not None and haichi.Machine.from_json(text).nodes == 16
    return machine


def functions_and_shapes() -> float:
    matrix: Matrix = np.ones((16, 16), np.int64)
    workload = haichi.Workload.from_matrix(matrix, iterations=3)
    seconds: npt.NDArray[np.float64] = workload.compute_seconds
    source: npt.NDArray[np.int32] = workload.messages.source
    assert len(seconds) == 1 and len(source) == 256 and len(workload.digest()) == 64
    machine = machines()
    job = haichi.Job(workload.with_message_size("4KiB"), machine, hosts="n[00-15]")
    found = job.optimize(spread, evaluations=100, restarts=1)
    start = haichi.Job(matrix, machine, faulty=np.array([], np.int64)).optimize(
        start=found, evaluations=100, restarts=1
    )
    assert start.job.ranks == 16
    measured = job.evaluate(found.node_of_rank, objective=numpy_spread)
    jobs: list[haichi.Job] = haichi.jobs(workload, machine, [(4, 4), "4x4"])
    shapes = haichi.optimize_shapes(jobs, "hop-bytes", robust="max", evaluations=100, restarts=1)
    robust: haichi.RobustPlacement | None = shapes.robust
    assert robust is not None and isinstance(shapes, haichi.ShapesResult)
    positions: npt.NDArray[np.int32] = robust.position_of_rank
    evaluations: tuple[haichi.Evaluation, ...] = shapes.evaluations
    assert len(positions) == 16 and len(evaluations) == 2
    compared = haichi.compare(haichi.Job(workload, machine), strategies=["default"], seeds=1, views=False)
    assert len(compared.cells) == 1
    return measured.value - job.evaluate(found).value


def mirrored(job: haichi.Job) -> npt.NDArray[np.int64]:
    return np.arange(job.nodes)[::-1]


def research() -> int:
    job = haichi.Job(np.ones((16, 16), np.int64), "torus:4x4")
    distances: npt.NDArray[np.int32] = job.distances()
    few: npt.NDArray[np.int32] = job.distances([0, 1], [2, 3])
    assert distances.shape == (16, 16) and few.shape == (2,) and job.coordinates.shape == (16, 2)
    placement = job.place(range(16))
    loads = placement.link_loads("seconds")
    links: haichi.Links = job.links
    assert len(loads) == len(links) == len(links.names())
    text: str = haichi.convert(placement, job.machine, to="json")
    assert text and haichi.Workload.from_matrix(job.workload.to_matrix()).ranks == 16
    compared = haichi.compare(
        [job, haichi.Job(job.workload, "mesh:4x4")],
        strategies={"mirrored": mirrored, "given": placement.node_of_rank, "array": np.arange(16), "hops": "hop-bytes"},
        seeds=[3],
        evaluations=100,
        views=False,
    )
    return len(compared.cells)
