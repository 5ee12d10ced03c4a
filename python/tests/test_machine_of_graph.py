"""Machines from graphs of NetworkX."""

import pickle

import numpy as np
import pytest

import haichi

networkx = pytest.importorskip("networkx")
RING = haichi.Workload.from_pattern("ring", ranks=6)


def prism(**attributes: object) -> "networkx.Graph":
    graph = networkx.circular_ladder_graph(3)
    networkx.set_edge_attributes(graph, {edge: dict(attributes) for edge in graph.edges})
    return graph


def test_distances_are_those_of_the_graph() -> None:
    for graph in (prism(bandwidth="5GB/s"), networkx.DiGraph(prism(bandwidth=5e9)), prism(bandwidth=np.int64(5e9))):
        job = haichi.Job(RING, graph)
        assert job.machine.link_bandwidth == 5_000_000_000 and job.machine.kind == "graph"
        expected = networkx.floyd_warshall_numpy(graph, range(6), weight=None)
        assert np.array_equal(job.distances(), expected)
        assert haichi.Machine(graph) == haichi.Machine.from_graph(graph) == pickle.loads(pickle.dumps(job.machine))


def test_bandwidths_and_latencies() -> None:
    graph = prism(capacity=3e9, latency=1.5e-7)
    assert haichi.Machine.from_graph(graph, bandwidth="capacity").link_bandwidth == 3_000_000_000
    for all_edges in ("7GB/s", 7e9, 7_000_000_000):
        assert haichi.Machine.from_graph(graph, bandwidth=all_edges).link_bandwidth == 7_000_000_000
    slow = haichi.Job(RING, haichi.Machine.from_graph(prism(latency=1e-3), bandwidth=1e9)).simulate()
    assert slow.seconds > 1e-3
    multi = networkx.MultiGraph(prism())
    multi.add_edge(0, 1)
    machine = haichi.Machine.from_graph(multi, bandwidth=1e9)
    assert len(haichi.Job(RING, machine).links) == 2 * multi.number_of_edges()


def test_terminals() -> None:
    graph = networkx.star_graph(4)  # 0 is the centre
    chosen = haichi.Machine.from_graph(graph, bandwidth="1GB/s", terminals=[4, 2])
    assert chosen.nodes == 2 and haichi.Job(haichi.Workload.from_pattern("ring", ranks=2), chosen).distances(0, 1) == 2
    networkx.set_node_attributes(graph, {node: node != 0 for node in graph}, "terminal")
    assert haichi.Machine.from_graph(graph, bandwidth=1e9).nodes == 4
    networkx.set_node_attributes(graph, {node: int(node > 2) for node in graph}, "host")
    machine = haichi.Machine.from_graph(graph, bandwidth=1e9, terminals="host", name="star & more")
    assert machine.nodes == 2 and machine.name == "graph:star & more"


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        ({}, {"bandwidth": "capacity"}, "the edge 0 - 1 has no attribute 'capacity'"),
        ({}, {"bandwidth": -1}, "bandwidth must be a positive number, not -1"),
        ({}, {"bandwidth": "5XB/s"}, "unknown unit in bandwidth"),
        ({"bandwidth": None}, {}, "the edge 0 - 1 has no attribute 'bandwidth'"),
        ({"bandwidth": float("nan")}, {}, "the edge 0 - 1: bandwidth must be a positive number, not nan"),
        ({}, {"terminals": [1, 1]}, "duplicate node in terminals"),
        ({}, {"terminals": ["x"]}, "terminals contain 'x'"),
        ({}, {"terminals": "compute"}, "no node of the graph has the attribute 'compute'"),
    ],
)
def test_wrong_graphs(change: dict[str, object], arguments: dict[str, object], message: str) -> None:
    with pytest.raises((haichi.InputError, haichi.OptionError), match=message):
        haichi.Machine.from_graph(prism(**{"bandwidth": 1e9, **change}), **arguments)


def test_wrong_nodes_and_edges() -> None:
    loop = prism(bandwidth=1e9)
    loop.add_edge(2, 2, bandwidth=1e9)
    with pytest.raises(haichi.InputError, match="the edge 2 - 2 leads from a node to itself"):
        haichi.Machine.from_graph(loop)
    twins = networkx.Graph([(1, "1")])
    with pytest.raises(haichi.InputError, match="two nodes of the graph have the name '1'"):
        haichi.Machine.from_graph(twins, bandwidth=1e9)
    with pytest.raises(TypeError, match="from_graph requires a graph of NetworkX, not str"):
        haichi.Machine.from_graph("torus:4x4")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="machine must be a name or a path, not 3"):
        haichi.Machine(3)  # type: ignore[arg-type]
