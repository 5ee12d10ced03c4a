"""A small part of the study of two clusters matches the closed forms and the published figures."""

import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[2] / "studies/wide_area"
sys.path.append(str(STUDY))

import link_tables  # noqa: E402
import nas_tables  # noqa: E402
from closed_forms import ClosedForms  # noqa: E402
from micro_benchmarks import ping_pong  # noqa: E402
from study_machines import one_cluster, two_clusters, two_switches  # noqa: E402


def test_round_trips_of_8_bytes_are_the_studys(tmp_path: Path) -> None:
    assert 2e6 * ping_pong(tmp_path, one_cluster(), 1, 8) == pytest.approx(23.4, abs=0.01)
    assert 2e6 * ping_pong(tmp_path, two_clusters(), link_tables.FAR, 8) == pytest.approx(100.0, abs=0.5)


def test_peaks_are_the_studys(tmp_path: Path) -> None:
    large = 2**24
    assert large / ping_pong(tmp_path, one_cluster(), 1, large, 1) / 1e6 == pytest.approx(120, rel=0.01)
    far = ping_pong(tmp_path, two_clusters(), link_tables.FAR, large, 1)
    assert large / far / 1e6 == pytest.approx(53.5, rel=0.01)


# Eager messages of one packet, of several, and of more than the buffers hold, and zero-copy messages.
@pytest.mark.parametrize("size", [8, 8192, 8193, 16385, 131072, 262144, 262145, 1048576])
@pytest.mark.parametrize("delay_ms", [0, 1, 4, 20])
def test_half_round_trips_follow_the_closed_form(tmp_path: Path, size: int, delay_ms: float) -> None:
    machine = two_clusters(1, delay_ms)
    forms = ClosedForms(machine, crosses=True)
    measured = ping_pong(tmp_path, machine, link_tables.FAR, size)
    pieces = -(-size // 8192)
    ways = 1 if pieces <= 8 else 1 + 2 * ((pieces - 1) // 8)
    ticks = (1 if size <= 262144 else 5) * ways + 1
    expected = forms.half_round_trip(size)
    waits = (pieces - 1) // 8 * 8192 / 66e6 if size <= 262144 else 0  # notices of arrival may wait for the bus
    assert expected - 1e-9 <= measured <= expected + ticks * forms.tick + waits


@pytest.mark.parametrize("size", [8, 8192, 16384, 16385, 1048576])
def test_half_round_trips_within_a_cluster_are_the_closed_form(tmp_path: Path, size: int) -> None:
    machine = one_cluster()
    expected = ClosedForms(machine, crosses=False).half_round_trip(size)
    assert ping_pong(tmp_path, machine, 1, size) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("crosses", [False, True])
def test_a_second_packet_costs_the_work_of_a_nic(tmp_path: Path, crosses: bool) -> None:
    machine, far = (two_clusters(), link_tables.FAR) if crosses else (one_cluster(), 1)
    one, two, full = (ping_pong(tmp_path, machine, far, size) for size in (8192, 8193, 16384))
    assert two - one == pytest.approx(5.57e-6, abs=0.1e-6)  # the dip at 8 KB
    assert 16384 / full > 8192 / one


def test_both_directions_share_the_bus_of_a_gateway_node(tmp_path: Path) -> None:
    for _, alone, expected, both, most in link_tables.both_ways(tmp_path, (0, 1)).rows:
        assert alone == pytest.approx(expected, rel=0.01)
        assert 0.95 * float(most) < float(both) <= float(most)  # notices of arrival cross, too


def test_a_delay_of_1_ms_lowers_bandwidth_clearly(tmp_path: Path) -> None:
    no_delay, one_ms = (row[1] for row in link_tables.delays(tmp_path, (0, 1)).rows)
    assert float(one_ms) < 0.6 * float(no_delay)


def test_streams_follow_the_closed_forms(tmp_path: Path) -> None:
    for _, eager, expected, zero_copy, expected_of_it in link_tables.delays(tmp_path, (0, 1, 4)).rows:
        assert eager == pytest.approx(expected, rel=0.01)
        assert zero_copy == pytest.approx(expected_of_it, rel=0.01)


def test_bandwidth_grows_with_the_bridges_until_the_buffers_limit_it(tmp_path: Path) -> None:
    for row in link_tables.bridges(tmp_path, (1, 4), (0, 10)).rows:
        assert row[1:3] == pytest.approx(row[3:5], rel=0.02)


def test_remedies_bring_what_the_closed_forms_say(tmp_path: Path) -> None:
    rows = link_tables.what_ifs(tmp_path, (4,)).rows
    for what, kind, measured, expected in rows:
        assert measured == pytest.approx(expected, rel=0.02), (what, kind)
    rates = {(row[0], row[1]): row[2] for row in rows}
    assert rates["handshakes that overlap", "zero copy"] == pytest.approx(53.5, rel=0.01)
    assert rates["buffers of 8 MiB", "eager"] == pytest.approx(53.5, rel=0.01)
    assert rates["buffers of 8 MiB", "zero copy"] == rates["as it is", "zero copy"]
    assert rates["gateway nodes twice as fast", "eager"] == pytest.approx(float(rates["as it is", "eager"]), rel=0.02)


def test_ep_is_twice_as_fast_on_two_clusters_and_is_gains_nothing(tmp_path: Path) -> None:
    runs = nas_tables.Runs(tmp_path)
    assert runs.scores("ep", (0, 20), 1) == pytest.approx([2, 2], rel=0.03)
    assert max(runs.scores("is", (0,), 2)) < 1


def test_links_between_two_switches_are_at_least_as_fast_as_gateway_nodes(tmp_path: Path) -> None:
    runs = nas_tables.Runs(tmp_path)
    one, four = runs.scores_on("mg", [two_switches(links) for links in (1, 4)])
    assert runs.scores("mg", (0,), 1)[0] < one < four <= 2


def test_a_program_of_which_few_iterations_are_simulated_takes_as_long_as_one_of_which_all_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = nas_tables.Runs(tmp_path)
    machine = two_clusters(2, 4)
    few = runs.seconds("mg", 32, machine)
    monkeypatch.setitem(nas_tables.PROGRAMS, "mg", nas_tables.Program(20, None))
    assert few == pytest.approx(runs.seconds("mg", 32, machine), rel=0.02)


def test_computing_is_what_was_measured_times_one_factor(tmp_path: Path) -> None:
    times = nas_tables.computing()
    assert times["cg"] == pytest.approx(21.1 * 47.175)
    alone = nas_tables.Runs(tmp_path).seconds("ep", 16, one_cluster())
    assert alone == pytest.approx(times["ep"] / 16, rel=1e-3)


def test_the_blocks_of_lu_fit_into_the_cache_on_32_ranks_alone() -> None:
    assert nas_tables.misses_of_lu(32) == 1
    # Half of 4800 bytes per point and iteration at 1067 MB/s, added to 8.65 us of computation.
    assert nas_tables.misses_of_lu(16) == pytest.approx(1 + 0.496 * 4800 / 1067 / 8.646, rel=1e-3)


def test_where_a_score_falls_to_one() -> None:
    assert nas_tables.falls_to_one((0, 4, 10), (1.5, 0.5, 0.1)) == "2.0"
    assert nas_tables.falls_to_one((0, 4), (0.9, 0.5)) == "below 1 everywhere"
    assert nas_tables.falls_to_one((0, 4), (1.9, 1.5)) == "above 4"


def test_the_command_writes_tables_and_figures(tmp_path: Path) -> None:
    command = [sys.executable, STUDY / "wide_area_study.py", "--quick", "--out", tmp_path]
    subprocess.run(command, check=True, timeout=600)
    text = (tmp_path / "tables.md").read_text()
    for table in ("sizes", "both_ways", "nas_two_switches", "nas_processors"):
        assert (tmp_path / f"{table}.csv").read_text().count("\n") > 1
    assert "| k |" in text
    for figure in ("bridges", "nas"):
        assert (tmp_path / f"{figure}.svg").read_text().startswith("<?xml")
