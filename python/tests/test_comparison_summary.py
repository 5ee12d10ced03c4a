"""The summary of a comparison: factors, savings and advice."""

import numpy as np
import pytest

from haichi.comparison.summary import Times, advise_overall, factor, summarise_job, times_of


def times(name: str, *seconds: float, is_seeded: bool = True) -> Times:
    return Times(name, None, seconds, 0, is_seeded)


def test_a_factor_has_the_relative_spreads_of_both():
    found = factor(times("a", 1.0, 1.1, 0.9), times("b", 2.0, 2.2, 1.8))
    assert found.value == pytest.approx(2.0)
    assert found.spread == pytest.approx(2.0 * np.hypot(0.1, 0.1))
    assert found.is_larger
    assert not factor(times("a", 1.0, 1.4), times("b", 1.1, 1.5)).is_larger
    assert factor(times("a", 1.0), times("b", 2.0)).is_larger is None


WORKLOAD = {"name": "w", "iterations": 1000, "compute_seconds": 0.0}


def test_savings_are_per_cent_and_hours_with_their_uncertainty():
    usual = times("default", 1.5, is_seeded=False)
    job = summarise_job(WORKLOAD, None, [times("tac3", 1.0, 1.02, 0.98), usual], usual, "simulated_seconds")
    found = job
    assert found["helps"]
    assert found["recommended"] == "tac3"
    assert found["hours_saved"] == pytest.approx(0.5 / 3600)
    assert found["hours_saved_spread"] == pytest.approx(0.02 / 3600)
    assert found["advice"].startswith("map with tac3: 33.3 ± 1.3 % less communication time than with the default")


@pytest.mark.parametrize("seconds", [(1.499, 1.4985), (1.51, 1.6), (1.5, 1.5)])
def test_mapping_that_saves_less_than_a_percent_will_not_help(seconds):
    usual = times("default", 1.5, is_seeded=False)
    job = summarise_job(WORKLOAD, None, [times("tac3", *seconds), usual], usual, "simulated_seconds")
    assert job["helps"] is False
    assert job["advice"].startswith("no significant gain; keep the default placement: ")
    assert ("; gains below 1 % do not count" in job["advice"]) == (seconds == (1.499, 1.4985))


def test_who_does_not_differ_beyond_the_spread_has_not_lost():
    usual = times("default", 2.0, is_seeded=False)
    job = summarise_job(WORKLOAD, None, [times("tac3", 1.0, 1.2), times("rmatt", 1.1, 1.3)], usual, "tac3_seconds")
    assert job["winner"] == "tac3"
    assert job["factors"]["rmatt"]["is_larger"] is False
    assert "not significantly faster than rmatt" in job["verdict"]


def test_a_gain_within_the_spread_is_none_unless_another_strategy_surely_has_one():
    usual = times("default", 1.5, is_seeded=False)
    unsure = times("random", 1.0, 1.7)
    job = summarise_job(WORKLOAD, None, [unsure, usual], usual, "tac3_seconds")
    assert job["helps"] is False
    assert job["advice"].startswith(
        "no significant gain; keep the default placement: the best strategy, random, takes 10.0 ± 33.0 % less"
    )
    sure = times("map:own", 1.4, is_seeded=False)
    job = summarise_job(WORKLOAD, None, [unsure, sure, usual], usual, "tac3_seconds")
    assert (job["winner"], job["recommended"]) == ("random", "map:own")


def test_without_the_strategies_that_failed_nobody_knows():
    usual = times("default", 1.5, is_seeded=False)
    job = summarise_job(WORKLOAD, None, [usual], usual, "tac3_seconds", failed=["tac3"])
    assert job["helps"] is None
    assert job["advice"].startswith("not known, because tac3 failed")


def test_the_last_line_adds_up_what_the_lines_of_the_jobs_say():
    usual, slow = times("default", 1.0, is_seeded=False), times("default", 100.0, is_seeded=False)
    jobs = [
        ({"own": times("own", 0.5, is_seeded=False), "default": usual}, usual),
        ({"own": times("own", 110.0, is_seeded=False), "default": slow}, slow),
    ]
    entries = [summarise_job(WORKLOAD, None, list(t.values()), base, "tac3_seconds") for t, base in jobs]
    found = advise_overall(jobs, entries, "tac3_seconds")
    assert found["helps"]
    assert found["hours_saved"] == pytest.approx(0.5 / 3600)
    assert found["seconds_before"] == 101
    assert found["advice"].startswith("map every job as its line states")


def test_a_single_search_of_auto_states_its_own_spread():
    workload = WORKLOAD | {"name": "w"}
    verdict = {"text": "", "helps": True, "share_saved": 0.25, "spread": 0.01}
    cell = {"status": "done", "simulated": {"none": {"seconds": 1.5}}, "verdict": verdict}
    auto = times_of("auto", [cell], workload, "simulated_seconds", True)
    assert auto is not None and auto.spread == pytest.approx(0.02)
    usual = Times("default", "none", (2.0,), 0, False)
    job = summarise_job(workload, None, [auto, usual], usual, "simulated_seconds")
    assert job["advice"].startswith("map with auto: 25.0 ± 1.0 % less communication time")
    kept = cell | {"simulated": {"none": {"seconds": 2.0}}, "verdict": verdict | {"helps": False}}
    auto = times_of("auto", [kept], workload, "simulated_seconds", True)
    assert auto is not None and auto.spread == 0
    assert summarise_job(workload, None, [usual, auto], usual, "simulated_seconds")["helps"] is False
