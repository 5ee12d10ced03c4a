"""A call with several output files replaces either all of them or none."""

from pathlib import Path
from typing import Any

import pytest

import haichi
from haichi.base.outputs import write_files

OLD = "what was there before\n"


@pytest.fixture()
def old(tmp_path: Path) -> Path:
    (tmp_path / "a.json").write_text(OLD)
    (tmp_path / "b").mkdir()
    return tmp_path


def is_untouched(folder: Path) -> bool:
    return (folder / "a.json").read_text() == OLD and {path.name for path in folder.iterdir()} == {"a.json", "b"}


def test_all_files_of_a_call_are_written(old: Path) -> None:
    write_files([(old / "a.json", "\u00e4\n"), (str(old / "b/c.csv"), b"\xff\n")])
    assert (old / "a.json").read_bytes() == "\u00e4\n".encode() and (old / "b/c.csv").read_bytes() == b"\xff\n"


def test_what_cannot_be_written_leaves_the_other_files_as_they_were(old: Path) -> None:
    for second in (old / "b", old / "no/folder", old / "a.json"):
        with pytest.raises(haichi.OptionError, match="cannot write"):
            write_files([(old / "a.json", "new\n"), (second, "new\n")])
        assert is_untouched(old)


def test_a_full_disk_leaves_the_other_files_as_they_were(old: Path) -> None:
    with pytest.raises(haichi.InputError, match="/dev/full: No space left"):
        write_files([(old / "a.json", "new\n"), ("/dev/full", "new\n")])
    assert is_untouched(old)


def test_results_and_their_page_are_written_together(ring_comparison: dict[str, Any], old: Path) -> None:
    comparison = haichi.Comparison(ring_comparison)
    (old / "b/folder.csv").mkdir()
    with pytest.raises(haichi.OptionError, match="directory"):
        comparison.write(old / "a.json", old / "b/folder.csv")
    assert is_untouched(old)
    comparison.write(old / "a.json", old / "b/b.csv", old / "b/c.html")
    assert haichi.Comparison.read(old / "a.json").to_csv() == (old / "b/b.csv").read_text()
    assert (old / "b/c.html").read_text().startswith("<!DOCTYPE html>")


def test_maps_of_several_shapes_are_written_together(old: Path) -> None:
    jobs = haichi.jobs(haichi.Workload.from_pattern("ring", 4), "mesh:4x4", ["2x2", "1x4"])
    found = haichi.optimize_shapes(jobs, evaluations=100)
    (old / "b/1x4.map").mkdir()
    with pytest.raises(haichi.OptionError, match="directory"):
        found.write(old / "b/{shape}.map")
    assert [path.name for path in (old / "b").iterdir()] == ["1x4.map"]
    (old / "b/1x4.map").rmdir()
    found.write(old / "b/{shape}.map")
    assert {path.name for path in (old / "b").iterdir()} == {"2x2.map", "1x4.map"}
