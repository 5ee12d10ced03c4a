"""Packed arrays, and the contents of views of placements."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

import haichi
from haichi import _core
from haichi.base.packed_arrays import pack_array, unpack_array
from haichi.comparison.views import ViewRequest, placement_views

DTYPES = ["int8", "uint8", "int32", "int64", "float32", "float64"]


@given(st.sampled_from(DTYPES).flatmap(lambda dtype: st_numpy.arrays(dtype, st.integers(0, 60))))
def test_packed_arrays_come_back_through_json(array: np.ndarray) -> None:
    packed = json.loads(json.dumps(pack_array(array, array.dtype.name)))
    np.testing.assert_array_equal(unpack_array(packed, "array"), array)


def test_a_packed_matrix_keeps_its_shape_and_type() -> None:
    array = np.arange(600, dtype=np.int32).reshape(20, 30) - 300
    unpacked = unpack_array(pack_array(array, "int32"), "array", dimensions=2)
    assert unpacked.dtype == np.int32
    np.testing.assert_array_equal(unpacked, array)


LONG = pack_array(np.arange(100), "int32")


@pytest.mark.parametrize(
    ("packed", "reason"),
    [
        (7, "expected a packed array, found int"),
        ([1, "2"], "must contain numbers, not '2'"),
        ([True], "must contain numbers, not True"),
        ([2**70], "a number exceeds 64 bits"),
        ({**LONG, "dtype": "object"}, "unknown dtype 'object'"),
        ({**LONG, "shape": [10, 10]}, "must have 1 sizes"),
        ({**LONG, "shape": [-1]}, "must have 1 sizes"),
        ({**LONG, "shape": [99]}, "expected 396 bytes"),
        ({**LONG, "shape": [101]}, "expected 404 bytes"),
        ({**LONG, "shape": [2**40]}, "are too many"),
        ({**LONG, "zlib": None}, "requires the string 'zlib'"),
        ({**LONG, "zlib": "#"}, "cannot unpack the array"),
        ({**LONG, "zlib": LONG["zlib"][:40]}, "r.views"),  # truncated: base64 or zlib fails
    ],
)
def test_broken_packed_arrays_are_refused_by_name(packed: Any, reason: str) -> None:
    with pytest.raises(haichi.InputError) as error:
        unpack_array(packed, "r.views[0].link")
    assert "r.views[0].link" in str(error.value)
    assert reason in str(error.value)


@pytest.fixture(scope="module")
def small_cg() -> haichi.Workload:
    return haichi.Workload.from_pattern("cg", ranks=64, bytes=2**17)


def request(
    workload: haichi.Workload, machine: str, allocation: dict[str, Any] | None = None, **other: Any
) -> ViewRequest:
    values: dict[str, Any] = {
        "job": haichi.Job(workload, machine, **allocation or {})._spec,
        "node_of_rank": np.arange(workload.ranks, dtype=np.int32),
        "workload_name": "w",
        "strategy": "default",
        "seed": 1,
        "role": "before",
    }
    return ViewRequest(**values | other)


def test_loads_are_those_of_the_routes_and_of_the_metrics(cg64: haichi.Workload, on_shape_1: dict[str, str]) -> None:
    node_of_rank = np.random.default_rng(1).permutation(96)[:64].astype(np.int32)
    shape = {"shape": on_shape_1["shape"]}
    parts = placement_views([request(cg64, on_shape_1["machine"], allocation=shape, node_of_rank=node_of_rank)])
    (view,) = parts["views"]
    result = haichi.Job(cg64, **on_shape_1).evaluate(node_of_rank)
    first, link = _core.message_routes(result.placement._core)
    np.testing.assert_array_equal(unpack_array(view["routes"]["first"], "first"), first)
    np.testing.assert_array_equal(unpack_array(view["routes"]["link"], "link"), link)
    np.testing.assert_array_equal(unpack_array(view["node_of_rank"], "node_of_rank"), node_of_rank)
    most = [max(unpack_array(loads["messages"], "messages")) for loads in view["set_links"]]
    assert most == result.metrics["set_contention"]
    for number, loads in enumerate(view["set_links"]):
        expected: dict[int, list[int]] = {}
        for m in np.flatnonzero(cg64.messages.set == number):
            for used in link[first[m] : first[m + 1]].tolist():
                entry = expected.setdefault(used, [0, 0])
                entry[0] += 1
                entry[1] += int(cg64.messages.bytes[m])
        columns = (unpack_array(loads[name], name).tolist() for name in ("link", "messages", "bytes"))
        assert {number: [count, load] for number, count, load in zip(*columns, strict=True)} == expected


def test_views_of_one_job_share_network_and_messages_and_have_equal_bytes(small_cg: haichi.Workload) -> None:
    requests = [
        request(small_cg, "torus:8x8", runs=("none",)),
        request(small_cg, "torus:8x8", runs=("none",), role="after", node_of_rank=np.arange(64)[::-1].astype(np.int32)),
        request(small_cg, "fattree:3x4", role="other"),
    ]
    parts = placement_views(requests)
    assert [(view["network"], view["messages"]) for view in parts["views"]] == [(0, 0), (0, 0), (1, 0)]
    assert [bool(network["axes"]) for network in parts["networks"]] == [True, False]
    assert json.dumps(parts) == json.dumps(placement_views(requests))


@pytest.mark.parametrize("machine", ["torus:8x8", "fattree:3x4", "dragonfly:2,4,2"])
@pytest.mark.parametrize("barrier", ["none", "sets"])
def test_time_and_space_hold_the_bytes_that_were_simulated(
    small_cg: haichi.Workload, machine: str, barrier: str
) -> None:
    parts = placement_views([request(small_cg, machine, runs=(barrier,))])
    simulated = parts["views"][0]["simulated"][barrier]
    network = parts["networks"][0]
    run = (
        haichi.Job(small_cg, machine)
        .simulate(np.arange(64), barrier=barrier, sim_iterations=simulated["iterations"])
        .run
    )
    assert simulated["seconds"] == pytest.approx(run.simulated_seconds)
    np.testing.assert_allclose(unpack_array(simulated["ranks"]["wait_seconds"], "w"), run.wait_seconds, rtol=1e-6)
    links = unpack_array(simulated["links"]["link"], "link")
    efficiency = unpack_array(simulated["links"]["efficiency"], "efficiency", dimensions=2) / 255
    bins = efficiency.shape[1]
    assert 200 <= bins <= 400
    assert (bins - 1) * simulated["bin_seconds"] <= simulated["seconds"]
    # The run reports the bytes of each link, with headers. The view has the efficiency in each bin, rounded to 1/255.
    bandwidth = unpack_array(network["link_bandwidth_bytes_per_s"], "bandwidth")[links]
    moved = efficiency.sum(axis=1) * simulated["bin_seconds"] * bandwidth
    every = (
        haichi.Job(small_cg, machine)
        .simulate(np.arange(64), barrier=barrier, sim_iterations=simulated["iterations"], most_loaded=10**6)
        .run
    )
    expected = sum(link.bytes for link in every.most_loaded_links if not link.link.startswith("ejection"))
    assert moved.sum() == pytest.approx(expected, rel=0.02)
    mean = unpack_array(simulated["mean_efficiency"], "mean")
    fabric = len(unpack_array(network["link_source"], "source"))
    assert mean.sum() * fabric == pytest.approx(efficiency.sum(), rel=0.02)
    assert simulated["links"]["left_out"] == 0


def test_pictures_leave_no_files_behind_even_when_killed(small_cg: haichi.Workload, tmp_path: Any) -> None:
    """A file with a name would remain after SIGKILL."""
    script = f"""
import os, signal, threading
from haichi import _core
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_views import request
import haichi
def killed(statistics, network, bin_ps):
    assert statistics.read(1)
    os.kill(os.getpid(), signal.SIGKILL)
from haichi.comparison import views
views._time_space = killed
views.placement_views([request(haichi.Workload.from_pattern("cg", ranks=16), "torus:4x4", runs=("none",))])
"""
    done = subprocess.run([sys.executable, "-c", script], env=os.environ | {"TMPDIR": str(tmp_path)}, check=False)
    assert done.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_a_full_temporary_folder_is_named(small_cg: haichi.Workload, monkeypatch: Any) -> None:
    def full(*arguments: Any, **options: Any) -> Any:
        return open("/dev/full", "w", encoding="utf-8")  # noqa: SIM115

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    message = f"^cannot write statistics for the pictures to {tempfile.gettempdir()}"
    with pytest.raises(haichi.InputError, match=message) as caught:
        placement_views([request(small_cg, "torus:8x8", runs=("none",))])
    assert "TMPDIR" in caught.value.hint


def test_without_a_temporary_folder_pictures_say_so(small_cg: haichi.Workload, monkeypatch: Any, tmp_path: Any) -> None:
    def missing(*arguments: Any, **options: Any) -> Any:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.TemporaryFile", missing)
    monkeypatch.setattr("tempfile.gettempdir", missing)
    monkeypatch.setenv("TMPDIR", "/nowhere")
    with pytest.raises(haichi.InputError, match="^cannot write statistics for the pictures to /nowhere"):
        placement_views([request(small_cg, "torus:8x8", runs=("none",))])


def test_a_job_without_messages_over_links_has_a_view(tmp_path: Any) -> None:
    alone = haichi.Workload.from_messages([0], [1], [100], ranks=2)
    parts = placement_views(
        [request(alone, "torus:2", allocation={"ppn": 2}, node_of_rank=np.zeros(2, np.int32), runs=("none",))]
    )
    view = parts["views"][0]
    assert view["set_links"] == [{"link": [], "messages": [], "bytes": []}]
    assert unpack_array(view["simulated"]["none"]["mean_efficiency"], "mean").size == 0


def test_routes_and_links_beyond_the_budget_are_left_out(cg64: haichi.Workload, monkeypatch: Any) -> None:
    monkeypatch.setattr("haichi.comparison.views._MOST_ENTRIES", 40)
    view = placement_views([request(cg64, "torus:8x8")])["views"][0]
    assert view["routes"] is None
    for number, loads in enumerate(view["set_links"]):
        assert len(unpack_array(loads["link"], "link")) == 40 // len(cg64.labels)
        assert loads["left_out"] > 0
        heaviest = haichi.Job(cg64, "torus:8x8").evaluate(np.arange(64)).metrics["set_max_link_bytes"][number]
        assert max(unpack_array(loads["bytes"], "bytes")) == heaviest
