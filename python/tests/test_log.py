"""What runs decide goes to the logger `haichi`, in the caller's thread."""

import logging
import threading
from pathlib import Path

import pytest

import haichi


@pytest.fixture()
def ring(tmp_path: Path) -> Path:
    path = tmp_path / "ring.json"
    haichi.Workload.from_pattern("ring", ranks=8).write(path)
    return path


def entries(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == level]


def test_nothing_is_logged_unless_asked(ring: Path, caplog: pytest.LogCaptureFixture) -> None:
    haichi.Workload.from_file(ring)
    assert caplog.records == []


def test_the_format_of_a_file_is_told(ring: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="haichi"):
        haichi.Workload.from_file(ring)
    assert [(record.name, record.levelname) for record in caplog.records] == [("haichi", "INFO")]
    assert entries(caplog, logging.INFO) == [f"workload '{ring}': format json, by its content"]
    assert caplog.records[0].thread == threading.get_ident()


def test_debug_holds_info(ring: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="haichi"):
        haichi.Workload.from_file(ring)
    assert len(entries(caplog, logging.INFO)) == 1
    assert entries(caplog, logging.DEBUG) == [f"workload '{ring}': 8 ranks, 8 messages in 1 sets"]


def test_what_was_logged_before_an_error_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"schema": "haichi-workload/1", "ranks": 2, "sets": [')
    with caplog.at_level(logging.INFO, logger="haichi"), pytest.raises(haichi.InputError):
        haichi.Workload.from_file(path)
    assert entries(caplog, logging.INFO) == [f"workload '{path}': format json, by its content"]


def test_percent_signs_in_names_are_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "100%d.json"
    haichi.Workload.from_pattern("ring", ranks=4).write(path)
    with caplog.at_level(logging.INFO, logger="haichi"):
        haichi.Workload.from_file(path)
    assert "100%d.json" in entries(caplog, logging.INFO)[0]
