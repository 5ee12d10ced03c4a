"""The summary of a comparison: factors, savings and advice."""

import numpy as np
import pytest

from haichi.comparison.summary import Times, advise_overall, factor, summarise_job


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
    assert job["advice"].startswith("mapping will not help: ")


def test_who_does_not_differ_beyond_the_spread_has_not_lost():
    usual = times("default", 2.0, is_seeded=False)
    job = summarise_job(WORKLOAD, None, [times("tac3", 1.0, 1.2), times("rmatt", 1.1, 1.3)], usual, "tac3_seconds")
    assert job["winner"] == "tac3"
    assert job["factors"]["rmatt"]["is_larger"] is False
    assert "not faster than rmatt beyond the spread" in job["verdict"]


def test_what_saves_less_than_its_spread_is_not_known_to_help_unless_another_surely_does():
    usual = times("default", 1.5, is_seeded=False)
    unsure = times("random", 1.0, 1.7)
    job = summarise_job(WORKLOAD, None, [unsure, usual], usual, "tac3_seconds")
    assert job["helps"] is None
    assert job["advice"].startswith("it is not known whether mapping helps: the best strategy, random, saves 0.15 ±")
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
