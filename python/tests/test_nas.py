"""NAS programs as logs of calls."""

from pathlib import Path

import pytest

import haichi


def test_a_program_is_a_log_that_jobs_take(tmp_path: Path) -> None:
    path = tmp_path / "lu.haichi-log"
    haichi.write_nas_log(path, "nas-lu", 4, problem_class="S", iterations=5, compute_seconds=50)
    job = haichi.Job(path, "torus:2x2")
    run = job.simulate(form="calls").run
    assert 1.25 < run.seconds < 1.4  # 5 of 50 iterations take 5 s on one rank, so 1.25 s on four ranks
    assert job.simulate(form="calls", compute="none").run.seconds < 0.01
    assert job.workload.ranks == 4


def test_patterns_are_listed_with_the_programs() -> None:
    names = [entry.name for entry in haichi.list_patterns()]
    assert names.index("cg") < names.index("nas-cg")


@pytest.mark.parametrize(
    ("program", "ranks", "problem_class", "message"),
    [
        ("nas-cgg", 4, "S", "unknown pattern 'nas-cgg'"),
        ("nas-sp", 8, "A", "it requires a square number"),
        ("nas-is", 4, "E", "no class 'E'"),
        ("nas-is", 0, "A", "requires a number of ranks"),
    ],
)
def test_what_does_not_run_is_refused(
    tmp_path: Path, program: str, ranks: int, problem_class: str, message: str
) -> None:
    with pytest.raises(haichi.OptionError, match=message):
        haichi.write_nas_log(tmp_path / "a", program, ranks, problem_class=problem_class)
    assert not any(tmp_path.iterdir())
