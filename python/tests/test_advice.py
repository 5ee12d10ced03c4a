"""Advice on shapes, barriers and NICs has the same values in Python as from the program."""

import dataclasses
import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

import haichi

LOGS = Path(__file__).resolve().parents[2] / "tests" / "data" / "logs"
SHAPE = "1x2x4x2x3x2"


@pytest.fixture(scope="session")
def small() -> haichi.Workload:
    return haichi.Workload.from_pattern("cg", ranks=16, bytes=100_000)


@pytest.fixture(scope="session")
def shapes(small) -> haichi.ShapeAdvice:
    return haichi.advise_shape(small, "fx10-kyushu", node_count=24, seeds=2)


def test_shapes_are_compared_by_simulated_times(shapes) -> None:
    assert shapes.nodes == 24 and not shapes.interrupted
    assert {row.shape for row in shapes.shapes} == {(1, 1, 2, 2, 3, 2), (1, 2, 1, 2, 3, 2), (2, 1, 1, 2, 3, 2)}
    for row in shapes.shapes:
        assert row.idle_nodes == 8 and row.contention_sum == sum(row.set_contention)
        assert len(row.without_barriers.by_seed) == len(row.with_barriers.by_seed) == 2
    assert shapes.sentence in repr(shapes)
    page = shapes._repr_html_()
    assert page.count("<tr>") == 4 and "1x2x1x2x3x2" in page
    with pytest.raises(dataclasses.FrozenInstanceError):
        shapes.gain = 1


def test_answers_are_those_of_the_program(small, shapes, tmp_path) -> None:
    program = os.environ.get("HAICHI_BIN")
    if not program:
        pytest.skip("compares with the built program, which ctest names in HAICHI_BIN")
    small.write(tmp_path / "cg16.json")
    job = [program, "advise", "shape", "-m", "fx10-kyushu", "-w", "cg16.json", "--node-count", "24", "--seeds", "2"]
    done = subprocess.run([*job, "--json"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == shapes.report


def test_barriers_that_only_cost_are_not_advised(small) -> None:
    job = haichi.Job(small, "fx10-kyushu", shape=SHAPE)
    placement = job.optimize()
    found = job.advise_barrier(placement)
    assert found.set_contention == tuple(job.evaluate(placement).metrics["set_contention"])
    assert found.advice == "none" and found.answer.gain_seconds < 0
    assert found.answer.simulations == len(found.answer.choices) == 8
    assert found.answer.choices[0].sets == ()
    assert found.sentence.startswith("No barrier")
    assert found.sentence in repr(found) and found._repr_html_().count("<tr>") == 9


def test_barriers_are_asked_for_several_sizes_and_draws(small) -> None:
    found = haichi.Job(small, "fx10-kyushu", shape=SHAPE).advise_barrier(
        sizes=["64KiB", 4096], compute_imbalance="20us", draws=2, compute_imbalance_seed=3
    )
    assert [one.message_size for one in found.answers] == [4096, 65536]
    assert len(found.answers[0].choices[0].seconds) == 2
    with pytest.raises(AttributeError, match="2 answers"):
        _ = found.advice
    assert found._repr_html_().count("<tr>") == 3


def test_sets_of_an_answer_can_be_simulated(small) -> None:
    job = haichi.Job(small, "fx10-kyushu", shape=SHAPE)
    found = job.advise_barrier()
    best = next(choice for choice in found.answer.choices if choice.sets == found.sets)
    run = job.simulate(barrier=",".join(map(str, found.sets)))
    assert run.seconds == pytest.approx(best.seconds[0], rel=0.02)
    assert "with a barrier before set" in repr(run)


def test_wrong_questions_raise() -> None:
    ring = haichi.Workload.from_messages([0, 1], [1, 0], [1000, 1000])
    with pytest.raises(haichi.OptionError, match="an imbalance in per cent requires a workload with computation time"):
        haichi.Job(ring, "torus:2").advise_barrier(compute_imbalance="5%")
    with pytest.raises(haichi.OptionError, match="sizes"):
        haichi.Job(ring, "torus:2").advise_barrier(sizes=[-1])
    with pytest.raises(haichi.UnsupportedError, match="not a mesh or torus"):
        haichi.advise_shape(ring, "fattree:2x4")
    with pytest.raises(haichi.OptionError, match="packet_hops"):
        haichi.advise_shape(ring, "torus:4", packet_hops=0)
    with pytest.raises(haichi.OptionError, match="node_count"):
        haichi.advise_shape(ring, "torus:4", node_count=0)


def test_a_machine_without_times_gives_no_answer(tmp_path) -> None:
    (tmp_path / "bare.json").write_text(
        '{"schema": "haichi-machine/1", "topology": {"kind": "mesh", "axes": [{"name": "X", "size": 4}]},'
        ' "link": {"bandwidth": "5GB/s"}}'
    )
    ring = haichi.Workload.from_messages([0, 1], [1, 0], [1000, 1000])
    for found in (
        haichi.advise_shape(ring, tmp_path / "bare.json"),
        haichi.Job(ring, tmp_path / "bare.json").advise_barrier(),
    ):
        assert found.advice == "unknown" and "packet.payload" in found.sentence


def test_rails_from_a_log() -> None:
    found = haichi.advise_rails(LOGS / "mpip" / next(iter(sorted(os.listdir(LOGS / "mpip")))))
    assert len(found.answers) == 1 and not found.measured
    assert found.answers[0].advice in ("more", "fewer", "unknown")
    assert found.sentence in repr(found) and found._repr_html_().count("<tr>") == 2
    with pytest.raises(haichi.OptionError, match="haichi advise rails requires a log FILE"):
        haichi.advise_rails([])
    with pytest.raises(haichi.OptionError, match="rails"):
        haichi.advise_rails({"a": 0})


def test_ctrl_c_ends_it_with_what_is_known() -> None:
    endless = haichi.Workload.from_pattern("cg", ranks=64, bytes=2**32)
    threading.Timer(1, lambda: signal.raise_signal(signal.SIGINT)).start()
    found = haichi.Job(endless, "fx10-kyushu", shape=SHAPE).advise_barrier(packet_hops=1e18)
    assert found.interrupted and found.advice == "unknown"
