"""The journal of a comparison: a single writer, and errors for other files."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import haichi
from haichi.comparison.journal import Journal

QUICK = {"strategies": ["default", "random"], "seeds": 2, "processes": 1}


@pytest.fixture(scope="module")
def job() -> haichi.Job:
    return haichi.Job(haichi.Workload.from_pattern("cg", ranks=8, bytes=65536, iterations=20), "torus:4x4")


def test_a_journal_has_one_writer(tmp_path: Path) -> None:
    first = Journal(tmp_path / "journal")
    with pytest.raises(haichi.InputError, match="another comparison"):
        Journal(tmp_path / "journal")
    first.close()
    assert not (tmp_path / "journal").exists()


def other_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE notes(text)")


OWN = "CREATE TABLE cells(key TEXT PRIMARY KEY, outcome TEXT NOT NULL) WITHOUT ROWID;"
FOREIGN = {
    "view": "CREATE VIEW cells AS WITH RECURSIVE c(key, outcome) AS "
    "(SELECT '1', '{}' UNION ALL SELECT key || '1', outcome FROM c) SELECT * FROM c",
    "trigger": OWN + "CREATE TRIGGER t AFTER INSERT ON cells BEGIN INSERT INTO cells VALUES (new.key || 1, 1); END",
    "further table": OWN + "CREATE TABLE notes(text)",
    "further view": OWN + "CREATE VIEW v AS SELECT * FROM cells",
    "index": OWN + "CREATE INDEX i ON cells(hex(zeroblob(100000000)))",
    "check": "CREATE TABLE cells(key TEXT PRIMARY KEY, outcome TEXT NOT NULL CHECK(hex(zeroblob(9)) <> outcome))",
    "generated": "CREATE TABLE cells(key TEXT PRIMARY KEY, outcome TEXT AS (hex(zeroblob(100000000))))",
    "default": "CREATE TABLE cells(key TEXT PRIMARY KEY, outcome TEXT NOT NULL, more DEFAULT (zeroblob(100000000)))",
    "virtual": "CREATE VIRTUAL TABLE cells USING fts5(key, outcome)",
}


def with_schema(name: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with closing(sqlite3.connect(path)) as database:
            database.executescript(FOREIGN[name])

    return write


@pytest.mark.parametrize(
    "write",
    [
        *(lambda path, text=text: path.write_text(text) for text in ('{"mine": 1}\n', "\n")),
        other_database,
        *map(with_schema, FOREIGN),
    ],
)
def test_what_is_no_journal_stays_as_it_is(job, tmp_path, write):
    path = tmp_path / "results.json"
    write(path)
    before = path.read_bytes()
    with pytest.raises(haichi.InputError, match="results.json: not the journal of a comparison"):
        haichi.compare(job, journal=path)
    assert path.read_bytes() == before


def torn(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + bytes(4096) + content[8192:])


def strange_row(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE cells SET outcome = '{}'")


@pytest.mark.parametrize(
    ("damage", "why"), [(torn, "damaged file"), (strange_row, "an entry is not a cell of a comparison")]
)
def test_a_damaged_journal_is_an_error(job, tmp_path, damage, why):
    options = QUICK | {"journal": tmp_path / "journal"}
    haichi.compare(job, **options)
    damage(tmp_path / "journal")
    with pytest.raises(haichi.InputError, match=why) as error:
        haichi.compare(job, **options)
    assert error.value.hint == "remove the file and start again"


def test_a_device_is_no_journal(job):
    with pytest.raises(haichi.InputError, match="not a regular file"):
        haichi.compare(job, journal="/dev/zero")


def test_a_journal_is_a_regular_file_and_not_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "link.journal").symlink_to("victim")
    with pytest.raises(haichi.InputError, match="symbolic link"):
        Journal(tmp_path / "link.journal")
    os.mkfifo(tmp_path / "pipe.journal")
    with pytest.raises(haichi.InputError, match="not a regular file"):
        Journal(tmp_path / "pipe.journal")
    assert (tmp_path / "victim").read_text() == "precious"
