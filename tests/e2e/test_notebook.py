"""The notebook of the documentation runs as it stands."""

from pathlib import Path

import nbclient
import nbformat
import pytest

pytestmark = [pytest.mark.needs("guest"), pytest.mark.beside]

NOTEBOOK = Path(__file__).parents[2] / "docs/notebooks/python.ipynb"


def test_the_notebook_runs_and_shows_what_it_did(tmp_path: Path) -> None:
    shown = nbformat.read(NOTEBOOK, as_version=4)
    made = nbformat.read(NOTEBOOK, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(made, kernel_name="python3", timeout=1200, resources=resources).execute()

    def columns(notebook: nbformat.NotebookNode) -> list[list[str]]:
        texts = [
            output["data"]["text/plain"]
            for cell in notebook.cells
            for output in cell.get("outputs", [])
            if output["output_type"] == "execute_result"
        ]
        return [text.splitlines()[2:4] for text in texts]

    assert len(columns(made)) == 4
    # The figures are of the kernel that was built; the frames have the same columns whatever that is.
    assert [lines[:1] for lines in columns(made)] == [lines[:1] for lines in columns(shown)]
