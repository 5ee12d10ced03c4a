"""Errors of the library become Python exceptions with their hints."""

import pickle
import traceback

import numpy as np
import pytest

import haichi


def test_wrong_options_are_option_errors_and_value_errors(cg64, on_shape_1):
    with pytest.raises(haichi.OptionError, match="objective") as caught:
        haichi.optimize(cg64, **on_shape_1, objective="tac")
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
    ],
)
def test_every_wrong_option_is_refused(cg64, on_shape_1, options):
    with pytest.raises(haichi.OptionError):
        haichi.optimize(cg64, **(on_shape_1 | options))


def test_unknown_machine_is_an_option_error(cg64):
    with pytest.raises(haichi.OptionError):
        haichi.optimize(cg64, "fx10-kyusyu")


def test_what_a_topology_does_not_have_is_unsupported(cg64):
    with pytest.raises(haichi.UnsupportedError):
        haichi.optimize(cg64, "dragonfly:2,4,2", fold="mesh")


def test_bad_files_are_input_errors_with_file_and_line(tmp_path, on_shape_1):
    path = tmp_path / "workload.json"
    path.write_text('{"schema": "haichi-workload/1",\n "ranks": 2,\n "sets": [{"messages": [[0, 5, 1]]}]}\n')
    with pytest.raises(haichi.InputError, match=r"workload\.json:3: "):
        haichi.optimize(path, **on_shape_1)


def test_bad_placements_are_refused(cg64, on_shape_1):
    with pytest.raises(haichi.Error):
        haichi.evaluate(cg64, node_of_rank=np.zeros(64, int), **on_shape_1)
    with pytest.raises(haichi.Error):
        haichi.evaluate(cg64, node_of_rank=np.arange(63), **on_shape_1)
    with pytest.raises(haichi.Error):
        haichi.evaluate(cg64, node_of_rank=np.arange(64) + 50, **on_shape_1)
    with pytest.raises(haichi.OptionError, match="1D"):
        haichi.evaluate(cg64, node_of_rank=np.zeros((8, 8), int), **on_shape_1)


def test_errors_survive_pickling_with_their_hint():
    error = pickle.loads(pickle.dumps(haichi.OptionError("no", "do this")))
    assert (str(error), error.hint) == ("no", "do this")
