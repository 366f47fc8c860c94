"""`pronghorn report` writes Markdown, charts and a notebook where it is asked to, and says what it can't."""

import json
import os
import signal
import threading
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from pronghorn.errors import Interrupted
from pronghorn.host.interrupts import interruptible
from pronghorn.model.summary import Summary
from pronghorn.report.notebook import execution
from pronghorn.report.notebook.source import Source, sources

from ..laboratory import EXPERIMENT, Laboratory


@pytest.fixture
def finished(laboratory: Laboratory) -> Laboratory:
    """A laboratory with a run in `out`."""
    assert laboratory.run("run", "experiment.toml", "--out", "out").status == 0
    return laboratory


def test_markdown_goes_to_a_file_beside_the_table_or_alone_to_stdout(finished: Laboratory) -> None:
    to_file = finished.run("report", "out", "--markdown", "pull.md")
    assert to_file.status == 0, to_file.stderr
    assert to_file.stdout.endswith("\nout/report.html\npull.md\n")
    alone = finished.run("report", "out", "--markdown", "-")
    assert alone.stdout == Path("pull.md").read_text(encoding="utf-8")
    assert alone.stdout.startswith("## Fake\n")


def test_a_notebook_imports_nothing_from_where_it_lies_or_runs(finished: Laboratory) -> None:
    """Both folders may be another person's; so may the settings of IPython there."""
    planted = "open('planted', 'a').write(__name__); raise SystemExit(9)"
    Path("books").mkdir()
    for folder in ("out", "books", "."):
        for name in ("altair", "numpy", "polars", "ipykernel_launcher", "sitecustomize", "ipython_config"):
            finished.write(f"{folder}/{name}.py", planted)
    for place in ("out/it.ipynb", "books/it.ipynb"):
        result = finished.run("report", "out", "--notebook", place)
        assert result.status == 0, result.stderr
    assert not list(Path().rglob("planted"))


def test_charts_and_markdown_show_a_name_s_control_characters(laboratory: Laboratory) -> None:
    named = EXPERIMENT.replace("Fake", "F\\u001bk\\u0000e").replace("path.far", 'path."f\\u009br"')
    laboratory.write("experiment.toml", named.replace('"far"', '"f\\u009br"'))
    finished = laboratory
    assert finished.run("run", "experiment.toml", "--out", "out").status == 0
    words = ("--charts", "pictures", "--markdown", "it.md", "--export", "csv", "--junit", "it.xml")
    result = finished.run("report", "out", *words)
    assert result.status == 0, result.stderr
    assert "F\\u001bk\\u0000e" in result.stdout
    assert "F\\u001bk\\u0000e" in Path("pictures/verdicts.svg").read_text(encoding="utf-8")
    for file in (*Path("pictures").glob("*.svg"), Path("it.xml"), Path("it.md"), Path("out/report.html")):
        text = file.read_text(encoding="utf-8")
        assert not set(text) & {"\x1b", "\0", "\x9b"}
        if file.suffix != ".html" and file.suffix != ".md":
            ET.fromstring(text.encode())


@pytest.mark.parametrize(
    "words", [("--notebook", "--markdown"), ("--charts", "--junit=x"), ("--junit", "--odd")]
)
def test_an_option_without_its_value_takes_no_other_option_for_it(
    finished: Laboratory, words: tuple[str, ...]
) -> None:
    before = sorted(Path().iterdir())
    result = finished.run("report", "out", *words)
    assert result.status == 2
    assert f"{words[0]}: needs a value, " in result.stderr
    assert sorted(Path().iterdir()) == before


def test_a_file_that_looks_like_an_option_is_named_behind_an_equals_sign(finished: Laboratory) -> None:
    assert finished.run("report", "out", "--markdown=--notebook").status == 0
    assert Path("--notebook").is_file()


def test_charts_are_written_and_need_not_be_looked_for(finished: Laboratory) -> None:
    result = finished.run("report", "out", "--charts", "pictures")
    assert result.status == 0, result.stderr
    assert result.stdout.endswith("\npictures\n")
    names = {file.name for file in Path("pictures").iterdir()}
    assert {"verdicts.svg", "verdicts.png", "violins-near.svg", "waterfalls-far.png"} <= names


def test_a_notebook_is_executed_and_finds_the_summary_s_medians(finished: Laboratory) -> None:
    """It lies in another folder than the run, of which the table of trials was lost."""
    Path("books").mkdir()
    Path("out/trials.parquet").unlink()
    result = finished.run("report", "out", "--notebook", "books/it.ipynb")
    assert result.status == 0, result.stderr
    notebook = json.loads(Path("books/it.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs: list[dict[str, Any]] = [output for cell in code for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error"]
    said = "".join("".join(output.get("text", "")) for output in outputs)
    assert "6 medians, each that of summary.json" in said
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    assert Path("out/trials.parquet").exists()


def test_a_notebook_that_is_interrupted_is_none_that_failed_and_leaves_no_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patience_s = 120
    running = tmp_path / "kernel"
    code = f"import os\nwith open({str(running)!r}, 'w') as file: file.write(f'{{os.getpid()}}\\n')\n"
    endless = Source("code", f"{code}import time\ntime.sleep({2 * patience_s})")
    monkeypatch.setattr(execution, "sources", lambda *_: [endless])
    monkeypatch.setattr(execution, "CELL_LIMIT_S", patience_s)

    def strike() -> None:
        for _ in range(10 * patience_s):
            if running.exists() and running.read_text(encoding="utf-8").endswith("\n"):
                os.kill(os.getpid(), signal.SIGINT)
                return
            time.sleep(0.1)

    striking = threading.Thread(target=strike)
    striking.start()
    with pytest.raises(Interrupted), interruptible():
        execution.executed(_empty("It"), tmp_path, tmp_path)
    striking.join()
    with pytest.raises(ProcessLookupError):
        os.kill(int(running.read_text(encoding="utf-8")), 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--json", "--markdown", "-"), "--json and --markdown - both use stdout"),
        (("--markdown", "nowhere/pull.md"), "nowhere/pull.md: this file can't be written."),
        (("--notebook", "out"), "out: this file can't be written."),
        (("--markdown", "it", "--notebook", "it"), "it: named twice"),
        (("--charts", "experiment.toml/below"), "experiment.toml/below: this is not a writable folder."),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_is_done(
    laboratory: Laboratory, arguments: tuple[str, ...], message: str
) -> None:
    Path("out").mkdir()
    result = laboratory.run("report", "out", *arguments)
    assert result.status == 2
    assert message in result.stderr


def test_without_the_packages_of_the_extra_it_names_the_mend(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("out").mkdir()
    monkeypatch.setattr(execution, "NEEDED", ("nbformat", "a_package_that_is_nowhere"))
    result = laboratory.run("report", "out", "--notebook", "it.ipynb")
    assert result.status == 3
    assert result.stderr == (
        "pronghorn: a notebook can't be written: a_package_that_is_nowhere not installed.\n"
        "  pip install 'pronghorn[notebook]'\n"
    )


def test_the_notebook_names_the_run_by_its_way_from_there() -> None:
    found = _empty("Is it *?*")
    told = sources(found, Path("../it's a run"))
    assert told[0].text.startswith("# Is it \\*?\\*\n\n- h3: nothing &lt;measured&gt;.")
    assert 'RUN = Path("../it\'s a run")' in told[1].text


def _empty(name: str) -> Summary:
    return Summary(
        name=name,
        seed=1,
        arms=["h2"],
        baseline="h2",
        margin=0.03,
        limit_s=1.0,
        resamples=10,
        headline=["h3: nothing <measured>."],
        cells=[],
    )
