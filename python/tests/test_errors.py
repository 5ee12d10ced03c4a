"""Errors of the C++ library become Python exceptions with hints."""

import pickle
import traceback

import numpy as np
import pytest

import haichi


def test_wrong_options_are_option_errors_and_value_errors(cg_job):
    with pytest.raises(haichi.OptionError, match="objective") as caught:
        cg_job.optimize(objective="tac")
    assert isinstance(caught.value, ValueError)
    assert "tac3" in caught.value.hint
    assert f"hint: {caught.value.hint}" in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    "options",
    [
        {"shape": "1x2"},
        {"shape": "1xtwo"},
        {"shape": [9, 9, 9, 9, 9, 9]},
        {"schedule": "fast"},
        {"moves": "sideways"},
        {"verify": "maybe"},
        {"seed": -1},
        {"strategy": "luck"},
        {"routing": "dor:XYZ"},
        {"ppn": 0},
        {"objective": "\udcff"},
    ],
)
def test_every_wrong_option_is_refused(cg64, on_shape_1, options):
    of_job = {name: value for name, value in options.items() if name in ("shape", "routing", "ppn")}
    of_search = {name: value for name, value in options.items() if name not in of_job}
    with pytest.raises(haichi.OptionError):
        haichi.Job(cg64, **(on_shape_1 | of_job)).optimize(**of_search)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(name, -5) for name in ("evaluations", "restarts", "threads", "ppn", "seed")],
        *[(name, value) for name in ("evaluations", "restarts", "threads", "ppn", "seed") for value in (True, 1.5)],
        *[(name, 2**70) for name in ("evaluations", "restarts", "threads", "ppn", "seed")],
        *[("time", value) for value in (-1, 0, np.nan, np.inf, 1e9, 10**400, True)],
        *[("smoothing", value) for value in (-1, np.nan, np.inf, True)],
    ],
)
def test_numbers_out_of_range_are_refused_by_name(cg64, on_shape_1, cg_job, name, value):
    """An earlier search with an invalid time limit did not end."""
    runs = [cg_job.optimize, lambda **given: haichi.optimize_shapes([cg_job], **given)]
    if name == "ppn":
        runs = [lambda ppn: haichi.Job(cg64, **on_shape_1, ppn=ppn)]
    for run in runs:
        with pytest.raises(haichi.OptionError, match=f"^{name}: "):
            run(**{name: value})


def test_whole_numbers_of_numpy_are_options(cg_job):
    plain = {"evaluations": 500, "restarts": 2, "threads": 1, "seed": 7}
    numpy = {name: np.int32(value) for name, value in plain.items()} | {"seed": np.uint64(7)}
    found = [cg_job.optimize(objective="hop-bytes", **options) for options in (plain, numpy)]
    np.testing.assert_array_equal(found[0].node_of_rank, found[1].node_of_rank)
    assert found[1].evaluations == found[0].evaluations == 1000
    none = cg_job.optimize("tac3", restarts=None, threads=None, evaluations=None)
    np.testing.assert_array_equal(none.node_of_rank, cg_job.optimize("tac3").node_of_rank)


def test_unknown_machine_is_an_option_error(cg64):
    with pytest.raises(haichi.OptionError):
        haichi.Job(cg64, "fx10-kyusyu")


def test_what_a_topology_does_not_have_is_unsupported(cg64):
    with pytest.raises(haichi.UnsupportedError):
        haichi.Job(cg64, "dragonfly:2,4,2", fold="mesh")


def test_bad_files_are_input_errors_with_file_and_line(tmp_path, on_shape_1):
    path = tmp_path / "workload.json"
    path.write_text('{"schema": "haichi-workload/1",\n "ranks": 2,\n "sets": [{"messages": [[0, 5, 1]]}]}\n')
    with pytest.raises(haichi.InputError, match=r"workload\.json:3: "):
        haichi.Job(path, **on_shape_1)


def test_bad_placements_are_refused(cg_job):
    with pytest.raises(haichi.Error):
        cg_job.evaluate(np.zeros(64, int))
    with pytest.raises(haichi.Error):
        cg_job.evaluate(np.arange(63))
    with pytest.raises(haichi.Error):
        cg_job.evaluate(np.arange(64) + 50)
    with pytest.raises(haichi.OptionError, match="1D"):
        cg_job.evaluate(np.zeros((8, 8), int))


def test_errors_survive_pickling_with_their_hint():
    error = pickle.loads(pickle.dumps(haichi.OptionError("no §message-size", "§time 10s")))
    assert (str(error), error.hint) == ("no message_size", "time 10s")
    assert error.on_command_line() == ("no --message-size", "--time 10s")
