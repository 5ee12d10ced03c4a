"""The notebook runs in a new kernel and gives the results that its text describes."""

import warnings
from pathlib import Path

import nbformat
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples/notebook/placement.ipynb"


@pytest.fixture(scope="module")
def notebook() -> nbformat.NotebookNode:
    return nbformat.read(NOTEBOOK, as_version=4)


def test_outputs_are_not_kept(notebook: nbformat.NotebookNode) -> None:
    assert all(cell.outputs == [] and cell.execution_count is None for cell in notebook.cells if "outputs" in cell)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_it_runs(notebook: nbformat.NotebookNode, tmp_path: Path) -> None:
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": tmp_path}})
    client.execute()
    outputs = [output for cell in notebook.cells if "outputs" in cell for output in cell.outputs]
    text = "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in outputs)
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    assert "placed      1.00 hops per byte" in text
    assert "optimal, set_contention=[1, 1, 1, 1]" in text
    assert "set 1: 0->7  1->2  2->1  3->4  4->3  5->6  6->5  7->0" in text
    assert not [output for output in outputs if output.output_type == "stream" and output.name == "stderr"]
