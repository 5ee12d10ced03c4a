"""Arrays, placements and functions as strategies, and several machines in one comparison."""

import numpy as np
import numpy.typing as npt
import pytest

import haichi

CG = haichi.Workload.from_pattern("cg", ranks=8)
JOB = haichi.Job(CG, "torus:2x4")
REVERSED = np.arange(8)[::-1]


def nodes_of(comparison: haichi.Comparison) -> dict[tuple[str, int], list[int]]:
    return {(cell["strategy"], cell["seed"]): cell["node_of_rank"].tolist() for cell in comparison.cells}


def compared(jobs: object = JOB, **options: object) -> haichi.Comparison:
    return haichi.compare(jobs, **{"seeds": [1, 2], "evaluations": 200, "processes": 1, "views": False, **options})


def shuffled(job: haichi.Job, seed: int) -> npt.NDArray[np.int64]:
    return np.random.default_rng(seed).permutation(job.nodes)[: job.ranks]


def test_placements_of_all_kinds() -> None:
    found = JOB.optimize("hop-bytes", evaluations=200)
    calls = []

    def fixed(job: haichi.Job) -> haichi.Placement:
        calls.append(job)
        return job.place(REVERSED)

    comparison = compared(strategies=["default", REVERSED, found, shuffled, fixed, lambda job: list(range(8))])
    nodes = nodes_of(comparison)
    assert not comparison.failed
    assert nodes["placement", 1] == nodes["placement", 2] == nodes["fixed", 2] == REVERSED.tolist()
    assert nodes["placement 2", 1] == found.node_of_rank.tolist()
    assert nodes["shuffled", 1] == shuffled(JOB, 1).tolist() != nodes["shuffled", 2] == shuffled(JOB, 2).tolist()
    assert nodes["function", 1] == [*range(8)] and all(isinstance(job, haichi.Job | np.ndarray) for job in calls)
    summary = {entry["strategy"]: entry for entry in comparison.summary["jobs"][0]["strategies"]}
    assert summary["fixed"]["mean"] == JOB.evaluate(REVERSED).metrics["tac3_seconds"] * CG.iterations


def test_names_from_a_dict_and_single_strategies() -> None:
    comparison = compared(strategies={"mine": REVERSED, "search": "hop-bytes"}, seeds=1)
    assert [cell["strategy"] for cell in comparison.cells] == ["mine", "search"]
    assert comparison.cells[1]["objective"] == "hop-bytes"
    for single in (REVERSED, [*REVERSED], JOB.place(REVERSED), lambda job: REVERSED):
        (cell,) = compared(strategies=single, seeds=1).cells
        assert cell["node_of_rank"].tolist() == REVERSED.tolist()


def test_an_objective_is_searched_for_every_seed() -> None:
    distances, matrix = JOB.distances(), CG.to_matrix()

    def travel(nodes: npt.NDArray[np.int32]) -> float:
        return float((matrix * distances[np.ix_(nodes, nodes)]).sum())

    nodes = nodes_of(compared(strategies=[travel]))
    for seed in (1, 2):
        expected = JOB.optimize(travel, seed=seed, evaluations=200)
        assert nodes["travel", seed] == expected.node_of_rank.tolist()


def test_a_placement_that_does_not_fit_fails_in_its_cell_only() -> None:
    comparison = compared(strategies=["default", [0, 1, 2]], seeds=1)
    assert [cell["status"] for cell in comparison.cells] == ["done", "failed"]
    assert "3 ranks, but the workload has 8" in comparison.failed[0]["error"]


@pytest.mark.parametrize(
    ("strategies", "error", "message"),
    [
        ([], haichi.OptionError, "at least one strategy"),
        ([""], haichi.OptionError, "a strategy is empty"),
        ({"": REVERSED}, haichi.OptionError, "a strategy is empty"),
        ({"default": REVERSED}, haichi.OptionError, "the name 'default' belongs to the default placement"),
        (["tac3", "tac3"], haichi.OptionError, "duplicate strategy: 'tac3'"),
        ([None], TypeError, "a strategy must be a name, a placement"),
        ([np.zeros((2, 2, 2))], haichi.OptionError, "must be 1D"),
        (lambda job: [99] * 8, haichi.OptionError, "strategy 'function': .*99"),
        (haichi.Job(CG, "torus:4x2").place(), haichi.OptionError, "strategy 'placement': .* job on other nodes"),
    ],
)
def test_wrong_strategies(strategies: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        compared(strategies=strategies)


def test_errors_of_functions_reach_the_caller() -> None:
    def broken(job: haichi.Job) -> None:
        raise RuntimeError("no placement today")

    with pytest.raises(RuntimeError, match="no placement today"):
        compared(strategies=[broken])


def test_several_machines(tmp_path) -> None:
    jobs = [JOB, haichi.Job(CG, "mesh:4x4", nodes=np.arange(8)), haichi.Job(CG, "fattree:3x2")]
    comparison = compared(jobs, strategies=["default", "hop-bytes"], seeds=1, views=True)
    assert not comparison.failed and len(comparison.cells) == 6
    names = [f"workload 1 on {job.machine.name}" for job in jobs]
    assert comparison.to_dict()["request"]["workloads"] == names
    assert [entry["machine"] for entry in comparison.to_dict()["workloads"]] == [job.machine.name for job in jobs]
    for job, name in zip(jobs, names, strict=True):
        default = next(cell for cell in comparison.cells if cell["workload"] == name)
        assert default["metrics"] == job.evaluate().metrics
    comparison.write(tmp_path / "report.html", tmp_path / "all.json")
    assert haichi.Comparison.read(tmp_path / "all.json").to_json() == comparison.to_json()
    assert compared({"a": JOB, "b": jobs[2]}, strategies=["default"], seeds=1).to_dict()["request"]["workloads"] == [
        "a",
        "b",
    ]


def test_plots_draw_into_given_axes() -> None:
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot

    comparison = compared(strategies=["default", "hop-bytes"], seeds=1, views=True)
    _, axes = pyplot.subplots(1, 2)
    assert comparison.plot(ax=axes[0]) is axes[0] and len(axes[0].patches) == 2
    assert comparison.plot("link-loads", ax=axes[1]) is axes[1] and len(axes[1].lines) == 2
    with pytest.raises(haichi.OptionError, match="do not have the data of the figure 'link-loads'"):
        compared(strategies=["default"], seeds=1).plot("link-loads", ax=axes[0])
    for arguments, message in ((("bars",), "invalid figure: 'bars'"), (("strategies",), "invalid job: 1")):
        with pytest.raises(haichi.OptionError, match=message):
            comparison.plot(*arguments, job=1, ax=axes[0])
    pyplot.close("all")


def test_default_strategies_suit_every_machine() -> None:
    comparison = compared([JOB, haichi.Job(CG, "fattree:3x2")], seeds=1)
    assert not comparison.failed


def test_a_data_frame_has_a_row_per_cell() -> None:
    pytest.importorskip("pandas")
    frame = compared(strategies=["default", "hop-bytes"]).to_dataframe()
    assert frame[["machine", "strategy", "seed"]].values.tolist()[2] == ["torus:2x4", "hop-bytes", 1]
    assert frame.hop_bytes_value.dtype.kind == "i" and len(frame) == 4
