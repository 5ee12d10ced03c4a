"""Distances, coordinates, routes and loads as arrays."""

import pickle
from itertools import product

import numpy as np
import pytest

import haichi

CG = haichi.Workload.from_pattern("cg", ranks=16)


@pytest.fixture
def job() -> haichi.Job:
    return haichi.Job(CG, "torus:4x6")


def test_distances_of_a_torus(job: haichi.Job) -> None:
    rows, columns = np.divmod(np.arange(24), 6)
    steps = [np.abs(np.subtract.outer(at, at)) for at in (rows, columns)]
    expected = np.minimum(steps[0], 4 - steps[0]) + np.minimum(steps[1], 6 - steps[1])
    table = job.distances()
    assert table.dtype == np.int32 and np.array_equal(table, expected)
    assert np.array_equal(job.distances([3, 5]), table[[3, 5]])
    assert job.distances([[3, 5]]).shape == (1, 2, 24) and job.distances(3).shape == (24,)
    pairs = job.distances(CG.messages.source, CG.messages.destination)
    assert np.array_equal(pairs, table[CG.messages.source, CG.messages.destination])
    assert np.array_equal(job.distances(np.arange(5)[:, None], np.arange(7)), table[:5, :7])
    assert job.distances(2, 2) == 0 and job.distances([], []).shape == (0,)


def test_wrong_nodes_are_rejected(job: haichi.Job) -> None:
    for wrong, message in (
        (([24],), r"invalid node in sources: 24 \(the job has 24 nodes\)"),
        (([0], [-1]), "invalid node in destinations: -1"),
        (([0.5], [1]), "sources must contain whole numbers"),
        (([0, 1], [1, 2, 3]), r"shape \(2,\) and destinations of shape \(3,\)"),
    ):
        with pytest.raises(haichi.InputError, match=message):
            job.distances(*wrong)
    with pytest.raises(haichi.OptionError, match="destinations require sources"):
        job.distances(destinations=[1])


def test_large_tables_are_refused_with_their_size() -> None:
    job = haichi.Job(CG, "torus:100x100")
    size = r"table of 10,000 x 10,000 entries and 381 MiB \(the limit is 256 MiB\)"
    for arguments in ((), (np.arange(10000),), (np.arange(10000)[:, None], np.arange(10000))):
        with pytest.raises(haichi.OptionError, match=size) as error:
            job.distances(*arguments)
        assert "job.distances(a, b)" in error.value.hint
    assert job.distances(np.arange(10000), np.arange(10000)).sum() == 0
    assert job.distances([0]).shape == (1, 10000)


def test_a_faulty_node_has_no_distances() -> None:
    job = haichi.Job(CG, "fx10-kyushu", shape="1x1x2x2x3x2", faulty=[7])
    table = job.distances()
    is_faulty = np.arange(24) == 7
    assert np.all(table[7] == -1) and np.all(table[:, 7] == -1) and np.all(table[np.ix_(~is_faulty, ~is_faulty)] >= 0)
    with pytest.raises(haichi.OptionError, match="is faulty"):
        job.route(7, 0)


def test_coordinates() -> None:
    assert haichi.Machine("torus:2x3").coordinates.tolist() == [list(at) for at in product(range(2), range(3))]
    job = haichi.Job(CG, "torus:6x6", shape="4x4", origin="4x1")
    assert job.coordinates[[0, 8, 15]].tolist() == [[4, 1], [0, 1], [1, 4]]
    listed = haichi.Job(CG, "mesh:8x8", nodes=np.arange(63, 31, -1))
    assert listed.coordinates[:2].tolist() == [[7, 7], [7, 6]]


def test_machines_without_coordinates_say_so() -> None:
    tree = haichi.Machine("fattree:2x4")
    for without in (tree, haichi.Job(CG, tree)):
        with pytest.raises(haichi.UnsupportedError, match="have no coordinates") as error:
            _ = without.coordinates
        assert "Job.distances" in error.value.hint


@pytest.mark.parametrize(
    ("machine", "options"),
    [
        ("torus:4x6", {}),
        ("mesh:4x6", {"count_nic": True}),
        ("fattree:2x4", {}),
        ("dragonfly:4,2,2", {"nodes": np.arange(3, 30)}),
        ("fx10-kyushu", {"shape": "1x1x2x2x3x2", "faulty": [8]}),
    ],
)
def test_loads_are_those_of_routes_and_reports(machine: str, options: dict[str, object]) -> None:
    job = haichi.Job(CG, machine, **options)
    placement = job.place()
    nodes = placement.node_of_rank
    expected = np.zeros(len(job.links), np.int64)
    for source, destination, size in zip(*CG.messages[:3], strict=True):
        route = job.route(nodes[source], nodes[destination])
        expected[route] += size
    loads = placement.link_loads()
    metrics = job.evaluate(placement, objective="hop-bytes").metrics
    assert np.array_equal(loads, expected)
    assert loads.max() == metrics["max_link_bytes"] and placement.link_loads("messages").max() > 0
    by_set = [placement.link_loads("messages", set=t).max() for t in range(len(CG.labels))]
    assert by_set == metrics["set_contention"]
    assert np.allclose(placement.link_loads("seconds"), loads / job.links.bandwidth)


def test_routes_lead_from_source_to_destination() -> None:
    job = haichi.Job(CG, "dragonfly:4,2,2", nodes=np.arange(39, 9, -1))
    links = job.links
    for source, destination in ((0, 29), (5, 4), (3, 17)):
        route = job.route(source, destination)
        vertices = [links.source[route[0]], *links.destination[route]]
        assert vertices[0] == links.vertex_of_node[source] and vertices[-1] == links.vertex_of_node[destination]
        assert np.array_equal(links.source[route[1:]], links.destination[route[:-1]])
    assert len(job.route(3, 3)) == 0 and len(links.names()) == len(set(links.names())) == len(links)


def test_wrong_loads_and_routes_are_rejected(job: haichi.Job) -> None:
    with pytest.raises(haichi.OptionError, match="invalid measure: 'hops'"):
        job.place().link_loads("hops")  # type: ignore[arg-type]
    for number in (-1, len(CG.labels)):
        with pytest.raises(haichi.OptionError, match=f"invalid set: {number}"):
            job.place().link_loads(set=number)
        with pytest.raises(haichi.OptionError, match=f"invalid set: {number}"):
            CG.to_matrix(set=number)
    with pytest.raises(haichi.InputError, match="one source and one destination"):
        job.route([0, 1], [2, 3])  # type: ignore[arg-type]


def test_links_are_read_only_and_jobs_still_pickle(job: haichi.Job) -> None:
    assert job.links is job.links and repr(job.links) == f"Links({len(job.links)})"
    with pytest.raises(ValueError, match="read-only"):
        job.links.source[0] = 1
    assert np.array_equal(pickle.loads(pickle.dumps(job)).links.source, job.links.source)


def test_matrices_of_workloads() -> None:
    scipy = pytest.importorskip("scipy.sparse")
    dense = CG.to_matrix()
    expected = np.zeros((16, 16), np.int64)
    np.add.at(expected, (CG.messages.source, CG.messages.destination), CG.messages.bytes)
    assert np.array_equal(dense, expected) and dense.dtype == np.int64
    sparse = CG.to_matrix(sparse=True)
    assert isinstance(sparse, scipy.csr_array) and np.array_equal(sparse.toarray(), dense)
    assert np.array_equal(sum(CG.to_matrix(set=t) for t in range(len(CG.labels))), dense)
    assert np.array_equal(CG.to_matrix(set=1, sparse=True).toarray(), CG.to_matrix(set=1))
    assert np.array_equal(haichi.Workload.from_matrix(dense).to_matrix(), dense)


def test_a_large_dense_matrix_is_refused_with_its_size() -> None:
    large = haichi.Workload.from_messages([0], [9999], 8, ranks=10000)
    with pytest.raises(haichi.OptionError, match="10,000 x 10,000 entries and 763 MiB") as error:
        large.to_matrix()
    assert "sparse=True" in error.value.hint
    assert large.to_matrix(sparse=True)[0, 9999] == 8
