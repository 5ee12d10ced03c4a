"""Pictures of throughput and buffer use, from the link statistics of a simulation."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import haichi
from haichi.model.simulation import LinkStatistics
from haichi.report.link_history import link_history_page, read_link_history

HEADER = (
    "bin,begin_seconds,end_seconds,router,channel,bytes,throughput_bytes_per_s,efficiency,buffered_packets,"
    "buffer_utilisation\n"
)
SMALL = HEADER + (
    '0,0.0,1e-6,0,"X+ (0)->(1)",1000,1e9,0.5,3,0.25\n'
    '0,0.0,1e-6,1,"X- (1)->(0)",500,5e8,0.25,0,0\n'
    '0,0.0,1e-6,1,"ejection (1)",800,8e8,0.4,0,0\n'
    '2,2e-6,2.5e-6,0,"X+ (0)->(1)",1000,2e9,1,1,0.5\n'
)


def test_bins_have_the_throughput_and_the_buffer_use_of_all_links(tmp_path: Path) -> None:
    file = tmp_path / "links.csv"
    file.write_text(SMALL)
    history = read_link_history(str(file))
    assert history.seconds == pytest.approx(2.5e-6)
    assert history.received_bytes_per_s == pytest.approx([8e8, 0, 0])  # a bin without lines is idle
    assert history.carried_bytes_per_s == pytest.approx([1.5e9, 0, 2e9])  # the last bin is shorter
    assert history.buffered_packets == pytest.approx([3, 0, 1])
    assert history.efficiency.names == ["X+ (0)->(1)", "X- (1)->(0)"]
    assert history.efficiency.values.tolist() == [pytest.approx([0.5, 0, 1]), pytest.approx([0.25, 0, 0])]
    assert history.buffers.names == ["X+ (0)->(1)"]
    assert history.buffers.peak() == ("X+ (0)->(1)", 2, pytest.approx(0.5))


def test_long_runs_have_at_most_300_bins(tmp_path: Path) -> None:
    file = tmp_path / "links.csv"
    bins = 1000
    file.write_text(HEADER + "".join(f'{n},{n}e-6,{n + 1}e-6,0,"X+ (0)->(1)",100,1e8,0.5,2,0.1\n' for n in range(bins)))
    history = read_link_history(str(file))
    assert len(history.buffered_packets) == 250
    assert history.bin_seconds == pytest.approx(4e-6)
    assert history.carried_bytes_per_s == pytest.approx([1e8] * 250)
    assert history.efficiency.values[0] == pytest.approx([0.5] * 250)
    assert history.buffers.values[0] == pytest.approx([0.1] * 250)
    assert len(link_history_page(history, "links.csv")) < 100_000


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("0,0,1e-6,0,X,1,1,1,1", "expected 10 fields, found 9"),
        ("0,0,1e-6,0,X,one,1,1,1,1", "'one'"),
        ("0,0,1e-6,0,X,nan,1,1,1,1", "expected numbers of at least 0"),
        ("-1,0,1e-6,0,X,1,1,1,1,1", "expected numbers of at least 0"),
    ],
)
def test_broken_lines_are_errors_with_their_numbers(tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "links.csv"
    file.write_text(SMALL + line + "\n")
    with pytest.raises(haichi.InputError, match="line 6") as error:
        read_link_history(str(file))
    assert reason in str(error.value)


def test_a_run_without_traffic_has_no_pictures(tmp_path: Path) -> None:
    file = tmp_path / "links.csv"
    file.write_text(HEADER)
    with pytest.raises(haichi.InputError, match="no link carried anything"):
        read_link_history(str(file))


def test_report_draws_the_statistics_of_a_simulation(
    tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    statistics, page = tmp_path / "links.csv", tmp_path / "links.html"
    workload = haichi.Workload.from_pattern("alltoall-pairwise", ranks=16, bytes=65536, iterations=1)
    run = haichi.Job(workload, "torus:4x4").simulate(statistics=LinkStatistics(statistics, 1e-6), most_loaded=100).run
    code, _, errors = command("report", statistics, "-o", page, "--figures", tmp_path / "figures")
    assert code == 0 and str(page) in errors
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"links-over-time.svg", "links-over-time.png"}
    found = re.search(r'<script type="application/json" id="comparison">(.*?)</script>', page.read_text())
    assert found is not None
    data = json.loads(found[1])
    assert data["seconds"] == pytest.approx(run.simulated_seconds, rel=0.01)  # until no packet is under way
    ends = [min((n + 1) * data["bin_seconds"], data["seconds"]) for n in range(len(data["received"]))]
    begins = [0, *ends[:-1]]
    received = sum(r * (end - begin) for r, begin, end in zip(data["received"], begins, ends, strict=True))
    assert received == pytest.approx(run.payload_bytes, rel=1e-6)  # packets on the preset torus have no header
    assert max(max(row) for row in data["buffers"]["levels"]) > 0
    # The rows have the names of the most loaded links, on the page and in the figure.
    loaded = [link.link for link in run.most_loaded_links if not link.link.startswith("ejection ")]
    assert loaded and set(loaded) <= set(data["efficiency"]["names"])
    figure = (tmp_path / "figures" / "links-over-time.svg").read_text()
    assert all(f"<!-- {name.replace('->', '-&gt;')} -->" in figure for name in data["efficiency"]["names"])


@pytest.mark.parametrize(
    "line", ["0,0.2,0.1,0,X+,4,4,0.1,0,0", "0,0,0.1,0,X+,4,4,1e300,0,0", "9" * 20 + ",0,1,0,X+,4,4,0.1,0,0"]
)
def test_impossible_numbers_are_refused(line: str, tmp_path: Path) -> None:
    file = tmp_path / "links.csv"
    file.write_text(HEADER + line + "\n")
    with pytest.raises(haichi.InputError, match="line 2: invalid link statistics"):
        read_link_history(str(file))


def test_dollar_signs_in_names_begin_no_formula(tmp_path: Path, command: Callable[..., tuple[int, str, str]]) -> None:
    statistics = tmp_path / "$x^$.csv"
    workload = haichi.Workload.from_pattern("ring", ranks=4, bytes=65536, iterations=1)
    run = haichi.Job(workload, "torus:4").simulate(statistics=LinkStatistics(statistics, 1e-6), most_loaded=100).run
    loaded = next(link.link for link in run.most_loaded_links if not link.link.startswith("ejection "))
    statistics.write_text(statistics.read_text().replace(loaded, r"$\frac{$ $x^$"))
    code, _, errors = command("report", statistics, "-o", tmp_path / "links.html", "--figures", tmp_path / "figures")
    assert code == 0, errors
