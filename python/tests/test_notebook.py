"""Results in notebooks: well-formed, complete and escaped."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import haichi

LOGS = Path(__file__).resolve().parents[2] / "tests" / "data" / "logs"
EVIL = "<script>alert('1')</script>&"


def parsed(result: object) -> ElementTree.Element:
    """Parses the HTML as XML, which it must also be."""
    return ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")  # type: ignore[attr-defined]


def cells(page: ElementTree.Element) -> dict[str, list[str]]:
    """Returns the rows of all tables. The first cell of a row is its key."""
    rows = [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")]
    return {row[0]: row[1:] for row in rows}


def test_a_workload_shows_its_matrix() -> None:
    workload = haichi.Workload.from_messages([0, 1, 2, 2], [1, 2, 0, 2], [10, 1000, 0, 5], ranks=3, labels=[EVIL])
    page = parsed(workload)
    assert cells(page)["messages"] == ["4"] and cells(page)["bytes"] == ["1,010"]
    svg = next(page.iter("{http://www.w3.org/2000/svg}svg"))
    squares = {path.get("d"): float(path.get("fill-opacity", "0")) for path in svg if path.get("d")}
    # Row 1, column 2 has the most bytes, and row 0, column 1 has a hundredth of them. Empty messages, and messages of a
    # rank to itself, are not drawn.
    assert squares == {"M2 1h1v1h-1z": 1.0, "M1 0h1v1h-1z": 0.5}
    assert svg.get("viewBox") == "0 0 3 3"


def test_large_matrices_are_shown_in_groups_of_ranks() -> None:
    shown = haichi.Workload.from_matrix(np.ones((300, 300), np.int8))._repr_html_()
    assert "64 x 64 groups" in shown and shown.count("h1v1h-1z") == 64 * 64
    assert len(shown) < 100_000
    assert "h1v1" not in haichi.Workload.from_matrix(np.zeros((3, 3)))._repr_html_()


def test_a_result_shows_measures_default_bound_and_contention(cg_job, cg_found) -> None:
    job = cg_job
    found = job.evaluate(cg_found)
    rows = cells(parsed(found))
    assert rows["tac3 [seconds]"][2].endswith("(reached)")
    assert rows["hop_bytes"][0] == f"{found.metrics['hop_bytes']:,}"
    assert rows["set 3: messages on a link"] == ["1", str(found.report["default"]["set_contention"][2]), ""]
    measured = cells(parsed(job.evaluate(range(64), simulate=True)))
    assert measured["max-link-load [bytes]"][2] == f"{2**20:,}"
    assert all(float(seconds) > 0 for seconds in measured["simulated [seconds]"][:2])


def test_many_sets_take_few_rows() -> None:
    workload = haichi.Workload.from_messages(np.zeros(500), np.ones(500), 8, np.arange(500), ranks=2)
    rows = cells(parsed(haichi.Job(workload, "torus:2").evaluate([0, 1])))
    assert len(rows) < 50 and "... 477 more" in rows


def test_an_extraction_shows_its_sets() -> None:
    found = haichi.extract_sets(LOGS / "tit" / "ring.tit")
    rows = cells(parsed(found))
    assert any(row[1] == f"{found.report['sets'][0]['bytes']:,}" for row in rows.values() if len(row) == 3)


@pytest.mark.parametrize("text", [EVIL, '"><img src=x onerror=alert(1)>'])
def test_every_text_is_escaped(text) -> None:
    machine = haichi.Machine.from_dict(
        {
            "schema": "haichi-machine/1",
            "name": text,
            "topology": {"kind": "mesh", "axes": [{"name": "X", "size": 4}]},
            "link": {"bandwidth": "1GB/s", "cable_latency": "5ns"},
            "router": {"switch_latency": "10ns"},
            "packet": {"payload": "1000B"},
        }
    )
    workload = haichi.Workload.from_messages([0], [1], 8, ranks=4, labels=[text])

    def spread(node_of_rank: np.ndarray) -> float:
        return float(node_of_rank.sum())

    spread.__name__ = text
    results: list[object] = [machine, workload, haichi.Job(workload, machine).evaluate(range(4), objective=spread)]
    results += [
        haichi.optimize_shapes(haichi.jobs(workload, machine, ["4"]), objective=spread, evaluations=10, restarts=1)
    ]
    results += [haichi.Job(workload, machine), haichi.Job(workload, machine).simulate()]
    found = haichi.extract_sets(LOGS / "tit" / "ring.tit")
    report = {**found.report, "sets": [{**found.report["sets"][0], "label": text}], "warnings": [text]}
    results += [haichi.Extraction(found.workload, report)]
    for result in results:
        page = parsed(result)
        assert not any(element.tag in ("script", "img") for element in page.iter())
