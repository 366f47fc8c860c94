"""The engine is asked once about an experiment's paths, before anything is measured; the files that they name
go into the run."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pronghorn.engine import Engine
from pronghorn.errors import InputError
from pronghorn.execute.describe import described
from pronghorn.model import experiment_file
from pronghorn.model import path as paths
from pronghorn.model.source import Source

from ..laboratory import Laboratory

TRACED = """\
name = "Traced"
sites = ["tiny"]
paths = ["traced"]
arms = ["h2", "h3"]
repeat = 2
seed = 7

[path.traced]
down = { trace = "cell.trace", delay = "1ms" }
up = { rate = "1Mbit", delay = "1ms" }
"""


@pytest.fixture
def traced(laboratory: Laboratory) -> Iterator[Laboratory]:
    laboratory.write("traced.toml", TRACED)
    laboratory.write("cell.trace", "1\n5\n")
    yield laboratory


def test_a_wrong_line_is_named_with_its_file_before_anything_is_measured(traced: Laboratory) -> None:
    traced.write("cell.trace", "1\nwrong\n")
    result = traced.run("run", "traced.toml", "--out", "out")
    assert result.status == 2
    assert "cell.trace, line 2: 'wrong' is wrong (key 'down.trace' of path 'traced')." in result.stderr
    assert not Path("out").exists()


def test_the_engine_is_asked_once_a_path(laboratory: Laboratory) -> None:
    log = laboratory.folder / "log"
    laboratory.behave(log=str(log))
    assert laboratory.run("run", "experiment.toml", "--out", "out", "--set", "repeat=1").status == 0
    assert sum(request["op"] == "describe_path" for request in laboratory.requests(log)) == 2


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_run_keeps_the_files_and_goes_on_elsewhere(traced: Laboratory, mark: str) -> None:
    traced.write("cell.trace", f"{mark}1\n5\n")
    result = traced.run("run", "traced.toml", "--out", "out")
    assert result.status == 0, result.stderr
    (kept,) = Path("out/traces").iterdir()
    assert kept.read_text(encoding="utf-8") == "1\n5\n"
    assert f'trace = "traces/{kept.name}"' in Path("out/experiment.toml").read_text(encoding="utf-8")
    assert traced.manifest("out")["paths"]["traced"]["down"]["trace"]["text"].startswith("sha256:")
    shutil.move("out", "moved")
    Path("cell.trace").unlink()
    assert traced.run("run", "--resume", "moved").status == 0


def test_a_changed_file_is_another_experiment(traced: Laboratory) -> None:
    assert traced.run("run", "traced.toml", "--out", "out").status == 0
    traced.write("cell.trace", "1\n6\n")
    result = traced.run("run", "traced.toml", "--resume", "out")
    assert result.status == 2
    assert "holds a run of another experiment" in result.stderr
    (kept,) = Path("out/traces").iterdir()
    kept.write_text("1\n6\n", encoding="utf-8")
    assert traced.run("run", "--resume", "out").status == 2


def ask(*profiles: paths.PathProfile) -> list[paths.PathProfile]:
    async def together() -> list[paths.PathProfile]:
        engine = await Engine.start()
        try:
            return [await described(engine, profile) for profile in profiles]
        finally:
            await engine.stop()

    return asyncio.run(together())


@pytest.mark.needs("engine")
def test_every_shipped_profile_is_one_that_the_engine_takes() -> None:
    shipped = experiment_file.shipped_paths()
    for profile in ask(*shipped.values()):
        assert profile.figures is not None
        assert profile.spec is not None
        assert profile.figures.down.max_rate_bit_per_s == profile.spec.down.rate_bit_per_s
        assert profile.figures.up.mean_rate_bit_per_s == profile.spec.up.rate_bit_per_s


@pytest.mark.needs("engine")
@pytest.mark.parametrize(
    ("key", "file", "text", "line"),
    [
        ("down.jitter", "x.dist", "1 2\n3 x\n", 2),
        ("down.trace", "x.trace", "1\n\nx\n", 2),
        ("down.schedule", "x.csv", "time,rate\n0s,fast\n", 2),
    ],
)
def test_the_engine_names_a_texts_line(tmp_path: Path, key: str, file: str, text: str, line: int) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    stage = {"trace": f'trace = "{file}"', "schedule": f'schedule = "{file}"'}.get(
        key.removeprefix("down."), f'jitter = {{ spread = "1ms", table = "{file}" }}'
    )
    source = Source("p.toml", f'down = {{ delay = "1ms", {stage} }}\nup = {{}}\n', tmp_path)
    with pytest.raises(InputError) as caught:
        ask(paths.parse("p", source.table(), source))
    assert caught.value.message.startswith(f"{tmp_path / file}, line {line}: ")
    assert f"(key '{key}' of path 'p')" in caught.value.message
    assert caught.value.exit_status == 2
