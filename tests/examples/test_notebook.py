"""The notebook runs in a new kernel and gives the results that it stores.

    .venv/bin/python tests/examples/test_notebook.py

The command runs the notebook and stores its outputs.
"""

import tempfile
import warnings
from pathlib import Path

import nbformat
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples/notebook/placement.ipynb"
MOST_BYTES = 300_000


def executed(folder: Path) -> nbformat.NotebookNode:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    resources = {"metadata": {"path": folder}}
    NotebookClient(notebook, timeout=300, record_timing=False, coalesce_streams=True, resources=resources).execute()
    return notebook


def outputs_of(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for cell in notebook.cells if "outputs" in cell for output in cell.outputs]


def texts_of(notebook: nbformat.NotebookNode) -> list[str]:
    """The texts of all outputs; pictures differ between versions of matplotlib."""
    outputs = [output for output in outputs_of(notebook) if "image/png" not in output.get("data", {})]
    return [output.get("text", "") or output["data"]["text/plain"] for output in outputs]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_it_runs_with_the_stored_outputs(tmp_path: Path) -> None:
    for package in ("matplotlib", "networkx", "pandas", "scipy"):
        pytest.importorskip(package)
    stored = nbformat.read(NOTEBOOK, as_version=4)
    assert NOTEBOOK.stat().st_size <= MOST_BYTES
    found = executed(tmp_path)
    assert texts_of(found) == texts_of(stored), "store the new outputs as the head of this file shows"
    text = "".join(texts_of(found))
    assert sum("image/png" in output.get("data", {}) for output in outputs_of(stored)) == 2
    assert "placed      1.00 hops per byte" in text
    assert "optimal, set_contention=[1, 1, 1, 1]" in text
    assert "set 1: 0->7  1->2  2->1  3->4  4->3  5->6  6->5  7->0" in text
    assert not [output for output in outputs_of(found) if output.output_type == "stream" and output.name == "stderr"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        nbformat.write(executed(Path(directory)), NOTEBOOK)
