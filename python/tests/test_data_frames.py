"""Data frames and plots of results, whose packages are optional."""

import sys

import numpy as np
import pytest

import haichi

JOB = haichi.Job(haichi.Workload.from_pattern("cg", ranks=8, iterations=2), "torus:2x4")


def test_what_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, call, package in (
        ("pandas", JOB.workload.to_dataframe, "pandas"),
        ("pandas", JOB.links.to_dataframe, "pandas"),
        ("scipy.sparse", lambda: JOB.workload.to_matrix(sparse=True), "scipy"),
        ("matplotlib.pyplot", JOB.workload.plot, "matplotlib"),
        ("matplotlib.pyplot", JOB.place().plot_link_loads, "matplotlib"),
    ):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(haichi.UnsupportedError, match=f"require {package}") as error:
            call()
        assert f"pip install {package}" in error.value.hint


def test_simulations() -> None:
    pandas = pytest.importorskip("pandas")
    simulation = JOB.simulate(barrier="both", sim_iterations=1)
    ranks = simulation.to_dataframe()
    assert isinstance(ranks, pandas.DataFrame) and list(ranks.barrier.unique()) == ["none", "sets"]
    assert len(ranks) == 16 and ranks["rank"].tolist() == [*range(8)] * 2
    assert np.array_equal(ranks.end_seconds[8:], simulation.runs[1].end_seconds)
    runs = simulation.to_dataframe("runs")
    assert runs.seconds.tolist() == [run.seconds for run in simulation.runs]
    links = simulation.to_dataframe("links")
    assert links.link[0] == simulation.runs[0].most_loaded_links[0].link
    with pytest.raises(haichi.OptionError, match="invalid rows: 'sets'"):
        simulation.to_dataframe("sets")  # type: ignore[arg-type]


def test_messages_and_links() -> None:
    pytest.importorskip("pandas")
    frame = JOB.workload.to_dataframe()
    assert frame.columns.tolist() == ["source", "destination", "bytes", "set", "label"]
    assert frame.bytes.sum() == JOB.workload.total_bytes and frame.label.iloc[-1] == JOB.workload.labels[-1]
    assert JOB.links.to_dataframe().name.tolist() == JOB.links.names()


def test_logs(tmp_path) -> None:
    path = tmp_path / "cg.haichi-log"
    haichi.write_nas_log(path, "nas-cg", problem_class="S", ranks=16)
    log = haichi.read_log(path)
    assert (log.ranks, log.ranks_with_data, log.has_calls, log.warnings) == (16, 16, True, [])
    assert repr(log).startswith("Log(haichi, ranks=16") and "ranks" in log._repr_html_()
    sends = log.columns()
    is_send = np.array(sends["function"]) == "MPI_Send"
    assert log.to_matrix().sum() == sends["sent_bytes"][is_send].sum() == log.columns("pairs")["bytes"].sum() > 0
    assert log.columns("ranks")["rank"].tolist() == [*range(16)] and set(log.columns("ranks")["state"]) == {"finished"}
    assert np.array_equal(log.to_matrix(sparse=True).toarray(), log.to_matrix())
    with pytest.raises(haichi.OptionError, match="invalid table of a log: 'calls'"):
        log.columns("calls")  # type: ignore[arg-type]
    pytest.importorskip("pandas")
    assert log.to_dataframe("pairs").columns.tolist() == ["source", "destination", "messages", "bytes"]


def test_wrong_logs(tmp_path) -> None:
    paths = [tmp_path / name for name in ("a.haichi-log", "b.haichi-log")]
    for path, ranks in zip(paths, (4, 8), strict=True):
        haichi.write_nas_log(path, "nas-ep", problem_class="S", ranks=ranks)
    with pytest.raises(haichi.OptionError, match="reads the log of one job, found 2"):
        haichi.read_log(paths)
    with pytest.raises(haichi.OptionError, match="at least one file"):
        haichi.read_log([])
    with pytest.raises(haichi.InputError, match="no-such-file"):
        haichi.read_log(tmp_path / "no-such-file")
    with pytest.raises(haichi.OptionError, match="'otf3'"):
        haichi.read_log(paths[0], format="otf3")


def test_plots_draw_into_given_axes() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3)
    placement = JOB.place()
    assert JOB.workload.plot(ax=axes[0]) is axes[0] and len(axes[0].images) == 1
    assert placement.plot_link_loads("seconds", ax=axes[1]) is axes[1]
    drawn = axes[1].lines[0].get_ydata()
    assert np.array_equal(drawn, np.sort(placement.link_loads("seconds"))[::-1])
    assert JOB.simulate(sim_iterations=1).plot(ax=axes[2]) is axes[2]
    assert placement.plot_link_loads().figure is not figure
    pyplot.close("all")
