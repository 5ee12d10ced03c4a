"""Placements on two clusters, compared with graph partitioners, and the decision whether to use both clusters."""

import json
import math
import os
import random
import subprocess

import networkx as nx
import numpy as np
import pytest

import haichi
from haichi.base.program import find_program


def cut_bytes(job: haichi.Job, placement: haichi.Placement) -> int:
    """Returns the bytes between the clusters in both directions. The first half of the nodes is the first cluster."""
    messages = job.workload.messages
    is_first = placement.node_of_rank < job.nodes // 2
    return int(messages.bytes[is_first[messages.source] != is_first[messages.destination]].sum())


def least_cut(graph: nx.Graph, starts: int) -> int:
    """Returns the cut of the best bisection. Kernighan and Lin's method starts from random halves and from the Fiedler
    vector."""
    ranks = sorted(graph)
    fiedler = nx.fiedler_vector(graph, seed=1)
    halves = [np.argsort(fiedler)[: len(ranks) // 2].tolist()]
    shuffled = random.Random(1)
    halves += [shuffled.sample(ranks, len(ranks) // 2) for _ in range(starts)]
    best = math.inf
    for half in halves:
        parts = nx.community.kernighan_lin_bisection(graph, (set(half), set(ranks) - set(half)), seed=1, max_iter=100)
        best = min(best, nx.cut_size(graph, *parts, weight="weight"))
    return int(2 * best)


def near_points(ranks: int, seed: int) -> nx.Graph:
    """Returns a connected random geometric graph. Close pairs have heavy edges."""
    for attempt in range(seed * 1000, seed * 1000 + 100):
        points = nx.random_geometric_graph(ranks, 1.7 / math.sqrt(ranks), seed=attempt)
        if nx.is_connected(points):
            break
    position = nx.get_node_attributes(points, "pos")
    graph = nx.Graph()
    graph.add_nodes_from(range(ranks))
    for a, b in points.edges:
        graph.add_edge(a, b, weight=1000 + int(1e4 * (1 - math.dist(position[a], position[b]))))
    return graph


@pytest.mark.parametrize("ranks", [32, 64, 128])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_map_cuts_no_more_than_partitioners_do(ranks: int, seed: int) -> None:
    graph = near_points(ranks, seed)
    job = haichi.Job(graph, f"two-clusters:2,1ms,{ranks // 2}")
    assert cut_bytes(job, job.optimize("hop-bytes", threads=1)) <= least_cut(graph, starts=20)


@pytest.mark.parametrize(
    ("dims", "pairs"), [((8, 8), 8), ((16, 8), 8), ((4, 4, 4), 16), ((8, 4, 4), 16)], ids=lambda value: str(value)
)
def test_a_map_cuts_shuffled_stencils_straight(dims: tuple[int, ...], pairs: int) -> None:
    stencil = haichi.Workload.from_pattern(f"stencil{len(dims)}d", dims=dims, bytes=1000, shuffle=4)
    job = haichi.Job(stencil, f"two-clusters:2,1ms,{stencil.ranks // 2}")
    assert cut_bytes(job, job.optimize("hop-bytes", threads=1)) == 2 * pairs * 1000


def test_what_a_crossing_weighs_is_as_documented() -> None:
    """Checks the example of docs/reference/networks.md."""
    talk = [(0, 1, 1000), (2, 3, 1000), (1, 2, 10)]
    source, destination, size = zip(*talk, *((b, a, n) for a, b, n in talk), strict=True)
    job = haichi.Job(haichi.Workload.from_messages(source, destination, size), "two-clusters:1,4ms,2")
    assert job.evaluate([0, 1, 2, 3]).metrics["hop_bytes"] == 2 * 4000 + 70 * 20 == 9400
    assert job.evaluate([2, 0, 1, 3]).metrics["hop_bytes"] == 2 * 20 + 70 * 4000 == 280_040


@pytest.fixture(scope="module")
def halo() -> haichi.Workload:
    return haichi.Workload.from_pattern("stencil2d", dims=(4, 4), bytes=1000, iterations=20)


@pytest.fixture(scope="module")
def larger_halo() -> haichi.Workload:
    return haichi.Workload.from_pattern("stencil2d", dims=(4, 8), bytes=1000, iterations=20)


def test_spreading_is_advised_where_computing_pays_for_it(halo, larger_halo) -> None:
    found = haichi.advise_spread(halo, "two-clusters:2,1ms", larger_halo, compute_time=0.1, seeds=1)
    assert found.advice == "spread" and 1.8 < found.gain < 2
    assert [place.clusters for place in found.in_one] == [(0,), (1,)]
    assert found.over_all.nodes == found.over_all.ranks == 32
    assert found.over_all.seconds == min(found.over_all.default_seconds, *found.over_all.mapped_seconds)
    assert found.pays_up_to_delay_seconds > 0.001
    assert found.sentence in repr(found) and found._repr_html_().count("<tr>") == 4
    unknown = haichi.advise_spread(halo, "two-clusters:2,1ms", larger_halo, seeds=1)
    assert unknown.advice == "unknown" and 0 < unknown.pays_from_compute_seconds < 0.1
    assert haichi.advise_spread(halo, "two-clusters:2,1ms,8", ppn=2, seeds=1).over_all.ranks_per_node == 1


def test_its_answer_is_that_of_the_program(halo, larger_halo, tmp_path) -> None:
    program = os.environ.get("HAICHI_BIN")
    if not program:
        pytest.skip("compares with the built program, which ctest names in HAICHI_BIN")
    halo.write(tmp_path / "16.json")
    larger_halo.write(tmp_path / "32.json")
    job = [program, "advise", "spread", "-m", "two-clusters", "-w", "16.json", "--spread-workload", "32.json"]
    done = subprocess.run([*job, "--seeds", "1", "--json"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == haichi.advise_spread(halo, "two-clusters", larger_halo, seeds=1).report


def test_wrong_questions_about_spreading_raise(halo, larger_halo) -> None:
    with pytest.raises(haichi.UnsupportedError, match="has one cluster"):
        haichi.advise_spread(halo, "torus:4x4")
    with pytest.raises(haichi.OptionError, match="do not fit into one cluster"):
        haichi.advise_spread(larger_halo, "two-clusters")
    with pytest.raises(haichi.OptionError, match="compute_time"):
        haichi.advise_spread(halo, "two-clusters", compute_time=-1)
    with pytest.raises(haichi.OptionError, match="form"):
        haichi.advise_spread(halo, "two-clusters", form="calls")
    with pytest.raises(haichi.OptionError, match="in one cluster"):
        haichi.advise_spread(halo, "two-clusters", nodes=list(range(16)))


def test_bridges_are_joined_in_one_pass_over_the_links() -> None:
    """An older version visited all links for each bridge, which took minutes."""
    asked = [find_program(), "list", "machines", "--show=two-clusters:4096,2ms,2097152"]
    assert b'"count": 4096' in subprocess.run(asked, check=True, capture_output=True, timeout=30).stdout
