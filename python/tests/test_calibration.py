"""A calibration recovers the machine of the benchmarks. It reports undetermined values and the origin of each value.

The benchmarks are a live MPI program on the simulated machine. The calibration reads the times that this program
prints. The tests thus do not compare the calibration with times that it simulates itself.
"""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import haichi
from haichi.calibration import Calibration, calibrate
from haichi.calibration.calibrate import Value, like_content
from haichi.calibration.identify import Held
from haichi.calibration.machine_file import machine_text
from haichi.calibration.report import report_json, report_text
from haichi.cli.commands import run

SOURCE = Path(__file__).parents[2] / "tests/bench/micro_benchmarks.c"
LIKE = "fattree:2x4"
KNOWN = {
    "node": {
        "nic_bandwidth": "2.5GB/s",
        "dma_bandwidth": "4GB/s",
        "memory_bandwidth": "4.5GB/s",
        "mpi_call_overhead": "300ns",
        "rendezvous_overhead": "5us",
        "eager_limit": "8KiB",
        "shared_memory_latency": "300ns",
        "shared_memory_bandwidth": "8GB/s",
    },
    "router": {"switch_latency": "250ns"},
}
TRUE = {
    "call_overhead": 300e-9,
    "hop_latency": 250e-9,
    "bandwidth": 1 / 2.5e9,
    "dma_bandwidth": 1 / 4e9,
    "copies": 1 / 4.5e9,
    "rendezvous_overhead": 5e-6,
    "shared_memory_latency": 300e-9,
    "shared_memory_bandwidth": 1 / 8e9,
}
NODES = {2: [0, 1], 4: [0, 4], 0: [0, 0]}
"""Nodes of the two ranks, for each number of links between them."""
MEASURED = (
    *(("latency", hops, 1 << 20, 20) for hops in (2, 4, 0)),
    *((name, 2, 1 << 18, 8) for name in ("bandwidth", "bibandwidth")),
)
SIZES = {4**k for k in range(11)} | {8192, 32768}
"""About half of the measured sizes, to keep the tests fast. There are sizes on both sides of the eager limit."""


@pytest.fixture(scope="session")
def known_machine() -> dict[str, Any]:
    content, _ = like_content(LIKE)
    machine = copy.deepcopy(content)
    for section, values in KNOWN.items():
        machine[section] |= values
    del machine["notes"]
    return machine


@pytest.fixture(scope="session")
def measured(
    known_machine: dict[str, Any], live_programs: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Output of the program on the known machine, for each NAME@HOPS."""
    program = tmp_path_factory.mktemp("benchmarks") / "micro_benchmarks"
    subprocess.run(["mpicc.mpich", "-O1", "-w", str(SOURCE), "-o", str(program)], check=True)
    texts = {}
    for name, hops, largest, rounds in MEASURED:
        run = haichi.simulate_program(
            [program, name, str(largest), "1", str(rounds)], known_machine, ranks=2, ppn=2, placement=NODES[hops]
        )
        assert run.output is not None
        texts[f"{name}.txt@{hops}"] = "".join(line for line in run.output.splitlines(True) if _is_kept(line))
    return texts


def _is_kept(line: str) -> bool:
    return not line[:1].isdigit() or int(line.split()[0]) in SIZES


Write = Callable[[dict[str, str]], list[str]]


def write_to(folder: Path, texts: dict[str, str]) -> list[str]:
    words = []
    for word, text in texts.items():
        name, hops = word.split("@")
        (folder / f"{hops}-{name}").write_text(text)
        words.append(f"{folder}/{hops}-{name}@{hops}")
    return words


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Function that writes outputs to files and returns the arguments of `calibrate`."""
    return partial(write_to, tmp_path)


@pytest.fixture(scope="session")
def recovered(measured: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Calibration:
    """The calibration from all outputs, without noise."""
    return calibrate(write_to(tmp_path_factory.mktemp("recovered"), measured), like=LIKE)


def off(calibration: Calibration) -> dict[str, float]:
    """Returns the relative errors of the calibrated bandwidths and times."""
    return {name: abs(calibration.value(name).value / true - 1) for name, true in TRUE.items()}


def noisy(text: str, seed: int, share: float) -> str:
    """Adds normal noise to each time or rate of an output. `share` is its relative standard deviation."""
    draw = random.Random(seed)
    lines = []
    for line in text.splitlines():
        words = line.split()
        if line[:1].isdigit():
            line = f"{words[0]:10}{float(words[1]) * (1 + draw.gauss(0, share)):18.3f}"
        lines.append(line + "\n")
    return "".join(lines)


def test_it_gets_back_a_simulated_machine_from_what_benchmarks_print_there(recovered: Calibration) -> None:
    found = recovered
    assert max(off(found).values()) < 0.02, off(found)
    assert found.eager_limit == 8192 and found.eager.is_told
    assert all(found.value(name).is_fitted for name in TRUE)
    assert found.rms < 0.01
    assert abs(found.errors).max() < 0.03  # the program has few rounds, so it does not quite reach the steady state


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_noise_of_five_percent_moves_values_by_less_than_ten(measured: dict[str, str], write: Write, seed: int) -> None:
    noised = {word: noisy(text, 100 * seed + k, 0.05) for k, (word, text) in enumerate(measured.items())}
    found = calibrate(write(noised), like=LIKE)
    assert max(off(found).values()) < 0.10, off(found)
    assert found.eager_limit == 8192 and found.eager.is_told
    assert 0.03 < found.rms < 0.07
    for name, true in TRUE.items():  # the reported errors match the true errors
        value = found.value(name)
        assert value.error is not None and abs(value.value - true) < 4 * value.error


def test_a_ping_pong_alone_cannot_tell_calls_from_the_network(measured: dict[str, str], write: Write) -> None:
    found = calibrate(write({"latency.txt@2": measured["latency.txt@2"]}), like=LIKE)
    hops = found.value("hop_latency")
    assert not hops.is_fitted and hops.held is not None
    assert hops.held.kind == "preset" and "call_overhead" in hops.held.together
    assert hops.value == pytest.approx(140e-9)  # value of the preset
    assert found.rms < 0.01  # unknown values do not change measured times
    text = report_text(found)
    assert (
        "latency per hop (router.switch_latency): 140 ns, value of fattree:2x4 (the data cannot separate it from"
        in text
    )
    assert "ping-pongs at two distances (FILE@HOPS)" in text
    assert "latency within a node (node.shared_memory_latency)" in text
    assert "no measurement depends on it" in text


def test_without_a_jump_there_is_no_eager_limit(measured: dict[str, str], write: Write) -> None:
    small = [
        line for line in measured["latency.txt@2"].splitlines() if not line[:1].isdigit() or int(line.split()[0]) < 4096
    ]
    found = calibrate(write({"latency.txt@2": "\n".join(small) + "\n"}), like=LIKE)
    assert not found.eager.is_told
    assert found.eager_limit == 16384 == found.preset_limit
    assert not found.value("rendezvous_overhead").is_fitted
    assert "eager limit (node.eager_limit): 16384 bytes" in report_text(found)


def osu(title: str, rows: dict[int, float]) -> str:
    unit = "Bandwidth (MB/s)" if title == "Bandwidth" else "Latency (us)"
    return f"# OSU MPI {title} Test v5.8\n# Size  {unit}\n" + "".join(f"{n} {value:.2f}\n" for n, value in rows.items())


JUMP = 32768


def jumping(size: int) -> float:
    """Returns microseconds of a ping-pong whose large messages are slower than any parameter can explain."""
    return 12 + size / 5e3 if size <= JUMP else 32 + size / 4.2e3


def test_a_jump_that_everybody_sees_is_the_eager_limit(write: Write, tmp_path: Path) -> None:
    found = calibrate(
        write(
            {
                "latency.txt@2": osu("Latency", {1 << k: jumping(1 << k) for k in (3, *range(12, 17), 18, 20, 22)}),
                "bw.txt@2": osu(
                    "Bandwidth", {1 << k: (1 << k) / (1.2 + (1 << k) / 10e3) for k in (3, 12, 15, 17, 19, 20, 21, 22)}
                ),
            }
        )
    )
    assert found.eager_limit == JUMP and found.eager.is_told
    assert found.value("bandwidth").value == pytest.approx(1 / 10e9, rel=0.1)
    overhead = found.value("rendezvous_overhead")
    assert overhead.is_fitted and 3e-6 < overhead.value < 20e-6
    assert all(value.error < 0.5 * value.value for value in found.values if value.error is not None)
    values, _, poor = report_text(found).partition("poor fits:\n")
    assert "fitted: times jump between 32768 and 65536 bytes" in values
    assert "2-latency.txt: ping-pong, 2 links: the error of simulated times is" in poor


def test_small_messages_do_not_determine_a_bandwidth(write: Write, tmp_path: Path) -> None:
    rows = {1: 1.65, 4: 1.66, 8: 1.69, 12: 1.70, 16: 1.70, 19: 1.71}
    found = calibrate(write({"small.txt@2": osu("Latency", rows)}))
    assert [value.parameter.name for value in found.values if value.is_fitted] == ["call_overhead"]
    text = report_text(found)
    values, _, unknown = text.partition("values that the data does not determine:\n")
    assert "bandwidth" not in values
    reason = "value of switch:2 (measured times hardly depend on it)"
    assert f"  - bandwidth (link.bandwidth): 2.8 GB/s, {reason}. Measure messages of 1 MiB and more" in unknown
    machine = json.loads(machine_text(found, str(tmp_path / "m.json")))
    assert machine["node"]["dma_bandwidth"] == "2800000000B/s" and machine["notes"]["/node/dma_bandwidth"] == reason
    entry = json.loads(report_json(found, "{}"))["parameters"]["bandwidth"]
    assert (entry["fitted"], entry["origin"], entry["standard_error"]) == (False, reason, None)


def test_few_bytes_do_not_determine_a_bandwidth_although_times_grow(write: Write) -> None:
    rows = {size: 1.65 + 0.003 * size for size in (1, 3, 8, 13, 16, 19)}
    found = calibrate(write({"small.txt@2": osu("Latency", rows)}))
    assert "bandwidth" not in [value.parameter.name for value in found.values if value.is_fitted]


def without_a_jump(size: int) -> float:
    """Returns microseconds of a ping-pong. Even a memory as slow as the network does not explain the time per byte of
    eager messages."""
    return min(1.65 + size / 1e3, 4.5 + size / 3.4e3)


def test_times_without_a_jump_do_not_tell_the_eager_limit(write: Write) -> None:
    found = calibrate(
        write(
            {
                "latency.txt@2": osu("Latency", {1 << k: without_a_jump(1 << k) for k in (3, 7, *range(9, 17), 20)}),
                "bw.txt@2": osu("Bandwidth", {1 << k: (1 << k) / (0.28 + (1 << k) / 3.4e3) for k in (3, 10, 14, 18)}),
            }
        )
    )
    assert not found.eager.is_told
    assert "eager limit (node.eager_limit): " in report_text(found).partition("does not determine:\n")[2]
    assert found.value("copies").value <= found.value("bandwidth").value  # memory is not slower than the network
    assert found.value("bandwidth").value == pytest.approx(1 / 3.4e9, rel=0.2)


def test_one_size_after_a_gap_does_not_tell_an_overhead_or_the_limit(write: Write) -> None:
    """NetPIPE also measures sizes that differ by a few bytes, which count as one size."""
    sizes = (1, 24576, 32768, 49152, 65536, 8388605, 8388608, 8388611)
    found = calibrate(write({"gap.txt@2": osu("Latency", {size: 250 + size / 53 for size in sizes})}))
    assert not found.eager.is_told and not found.value("rendezvous_overhead").is_fitted
    assert found.value("bandwidth").value == pytest.approx(1 / 53e6, rel=0.15)


def test_a_stream_alone_does_not_determine_a_latency(write: Write) -> None:
    rows = {1 << k: (1 << k) / (0.28 + (1 << k) / 3.4e3) for k in (3, 10, 14, 18)}
    found = calibrate(write({"bw.txt@2": osu("Bandwidth", rows)}))
    latency = found.value("hop_latency")
    assert not latency.is_fitted and latency.value == pytest.approx(128e-9)  # as in switch:2
    assert found.value("bandwidth").value == pytest.approx(1 / 3.4e9, rel=0.1)


def test_few_points_fit_few_parameters(write: Write) -> None:
    found = calibrate(write({"few.txt@2": osu("Latency", {1: 20, 64: 20.1, 1 << 20: 270})}))
    assert len(found.points) == 3
    assert {value.parameter.name for value in found.values if value.is_fitted} == {"call_overhead", "bandwidth"}
    copies = found.value("copies").held
    assert copies is not None and copies.kind == "preset" and "bandwidth" in copies.together


def test_a_held_value_that_the_preset_does_not_fit_is_not_fitted(recovered: Calibration) -> None:
    def held(value: Value) -> Value:
        if value.parameter.name != "bandwidth":
            return value
        return replace(value, error=None, held=Held("bandwidth", value.value, "nearest", ("copies",)))

    found = replace(recovered, values=tuple(map(held, recovered.values)))
    values, _, unknown = report_text(found).partition("values that the data does not determine:\n")
    reason = (
        "the nearest to the value of fattree:2x4 that fits (the data cannot separate it from copies of eager messages)"
    )
    assert f"bandwidth (link.bandwidth): 2.5 GB/s, {reason}. Measure" in unknown
    assert values.count("given the value of bandwidth") == 1


def test_files_of_one_name_keep_the_directories_that_distinguish_them(tmp_path: Path) -> None:
    text = "# OSU MPI Barrier Latency Test v7.3\n# Avg Latency(us)\n              3.25\n"
    paths = [tmp_path / folder / "run/osu.txt" for folder in ("near", "far")]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text(text)
    report = report_text(calibrate([str(path) for path in paths]))
    assert "fitted to 1 point of near/run/osu.txt, 1 point of far/run/osu.txt" in report
    assert "near/run/osu.txt: barrier" in report and "far/run/osu.txt: barrier" in report


def test_a_step_that_the_fit_does_not_reproduce_is_named(tmp_path: Path) -> None:
    rows = {1 << power: 1.0 + (1 << power) / 1000 + 3 * (power >= 3) for power in range(12)}
    (tmp_path / "inline.txt").write_text(osu("Latency", rows))
    poor = report_text(calibrate([str(tmp_path / "inline.txt")])).partition("poor fits:\n")[2]
    assert "inline.txt: ping-pong, 2 links: measured times change by a factor of 4 from 4 to 8 bytes" in poor


def test_a_barrier_is_what_it_takes(write: Write) -> None:
    text = "# OSU MPI Barrier Latency Test v7.3\n# Avg Latency(us)\n              3.25\n"
    found = calibrate(write({"barrier.txt@2": text}), like=LIKE)
    assert found.value("barrier").value == pytest.approx(3.25e-6, rel=1e-3)
    assert found.machine["node"]["barrier"] == "3250000ps"


def test_the_report_word_by_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "# OSU MPI Barrier Latency Test v7.3\n# Avg Latency(us)\n              3.25\n"
    (tmp_path / "barrier.txt").write_text("# OSU MPI Allreduce Latency Test v7.3\n" + text)
    assert run(["calibrate", str(tmp_path / "barrier.txt")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:6] == [
        "1 point of 1 file; other values from switch:2",
        "errors of simulated times: 0.0% root mean square, 0.0% median, 0.0% maximum",
        "",
        "  barrier                          3.25 us  ± 1.0%      fitted to 1 point of barrier.txt",
        "  eager limit                      16384 B              value of switch:2 (no measurement depends on it)",
        "",
    ]
    assert lines[6] == "values that the data does not determine:"
    assert lines[7] == (
        "  - call overhead (node.mpi_call_overhead): 1 us, value of switch:2 (no measurement depends on it). "
        "Measure streams of small messages (osu_bw, Uniband), where calls alone set the rate."
    )
    assert lines[-7:] == [
        "",
        "barrier.txt: barrier",
        "       bytes   measured, us  simulated, us    error",
        "           0           3.25           3.25    +0.0%",
        "",
        "omitted:",
        "  barrier.txt: line 1: OSU MPI Allreduce Latency Test: haichi does not fit this benchmark",
    ]


def test_the_machine_file_loads_and_says_where_values_come_from(recovered: Calibration, tmp_path: Path) -> None:
    found = recovered
    content = json.loads(machine_text(found, str(tmp_path / "fitted.json")))
    assert haichi.Machine.from_dict(content).name == "fitted"
    notes = content["notes"]
    assert notes["/node/mpi_call_overhead"].startswith(
        "fitted to 13 points of 2-latency.txt, 13 points of 4-latency.txt"
    )
    assert "±" in notes["/node/mpi_call_overhead"]
    assert notes["/node/eager_limit"] == "fitted: times jump between 8192 and 16384 bytes"
    assert "nic_bandwidth" in content["node"] and notes["/node/nic_bandwidth"].startswith("fitted")
    assert content["packet"] == found.content["packet"]
    assert "Values without a note are from fattree:2x4" in notes[""]


def test_equal_input_gives_equal_bytes(measured: dict[str, str], write: Write, tmp_path: Path) -> None:
    words = write({"latency.txt@0": measured["latency.txt@0"]})
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        command = ["calibrate", *words, "-o", f"{tmp_path}/{name}/machine.json", "--figure", f"{tmp_path}/{name}/f.svg"]
        assert run(command) == 0
    for file in ("machine.json", "f.svg"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_the_report_as_json(measured: dict[str, str], write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    words = write({"latency.txt@0": measured["latency.txt@0"]})
    assert run(["calibrate", *words, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["schema"] == "haichi-calibration/1"
    assert len(report["points"]) == 13
    assert report["files"][0]["hops"] == 0
    bandwidth = report["parameters"]["shared_memory_bandwidth"]
    assert bandwidth["fitted"] and bandwidth["seconds_per_byte"] == pytest.approx(1 / 8e9, rel=0.02)
    assert haichi.Machine.from_dict(report["machine"]).nodes == 2


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        ([], "RESULTS is missing", "--help"),
        (
            ["osu.txt@3"],
            "osu.txt@3: no node of switch:2 has a distance of 3 links from its first node",
            "use one of the distances 0, 2",
        ),
        (["osu.txt", "--like", "swich:2"], "swich:2", ""),
        (["osu.txt", "--figure", "f.pdf"], "invalid --figure: 'f.pdf' (the name must end with .svg or .png)", ""),
        (["osu.txt", "--like", "fx10"], "machine 'fx10' leaves its sizes open", "the form is"),
        (["few.txt"], "at least 3 measured points, found 2", "measure more message sizes"),
        (["osu.txt", "-o", "osu.txt"], "osu.txt", ""),
        (["osu.txt@2", "./osu.txt"], "./osu.txt: duplicate file", "give each file once"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
    hint: str,
) -> None:
    rows = "".join(f"{2**k} {1 + 2**k / 1000}\n" for k in range(16))
    header = "# OSU MPI Latency Test v7.3\n# Size       Avg Latency(us)\n"
    (tmp_path / "osu.txt").write_text(header + rows)
    (tmp_path / "few.txt").write_text(header + "1 1.0\n8 1.1\n")
    monkeypatch.chdir(tmp_path)
    assert run(["calibrate", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err and hint in captured.err
    assert sorted(os.listdir(tmp_path)) == ["few.txt", "osu.txt"]
    assert (tmp_path / "osu.txt").read_text() == header + rows


def test_files_that_contradict_each_other_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, factor in (("first.txt", 1), ("second.txt", 3)):
        rows = "".join(f"{2**k} {factor * (1 + 2**k / 1000):.3f}\n" for k in range(0, 16, 2))
        (tmp_path / name).write_text("# OSU MPI Latency Test v7.3\n# Size       Avg Latency(us)\n" + rows)
    files = [str(tmp_path / name) for name in ("first.txt", "second.txt")]
    assert run(["calibrate", *files]) == 0
    words = capsys.readouterr().out
    assert "poor fits:" in words and "first.txt: ping-pong, 2 links: the error of simulated times is" in words
    assert run(["calibrate", files[0]]) == 0
    assert "poor fits:" not in capsys.readouterr().out
