"""Experiments from their text: parsed, refused, and parsed again from what they resolve to."""

from pathlib import Path

import pytest

from pronghorn.errors import InputError
from pronghorn.model import experiment_table, toml_text
from pronghorn.model.experiment import Experiment
from pronghorn.model.experiment_table import Vocabulary
from pronghorn.model.source import Source

VOCABULARY = Vocabulary(
    ("tiny",), ("builtin", "caddy", "caddy:tuned"), ("native", "chromium"), {}, configurable=("caddy",)
)


REST = """\
sites = ["tiny"]
paths = ["direct"]
arms = ["h2", "h3"]
seed = 1
"""


LIVE = """\
arms = ["h2", "h3"]
seed = 1
"""


def parse(
    text: str, folder: Path = Path(), overrides: dict[tuple[str, ...], str] | None = None
) -> Experiment:
    source = Source("x.toml", text, folder)
    source.overrides.update(overrides or {})
    return experiment_table.parse(source.table(), source, VOCABULARY, default_seed=0, folder=folder)


def refused(text: str, folder: Path = Path()) -> str:
    with pytest.raises(InputError) as caught:
        parse(text, folder)
    return caught.value.message


def again(experiment: Experiment, folder: Path = Path()) -> Experiment:
    """The experiment that its own resolved text gives, in a folder that holds its texts."""
    for name, text in experiment.texts.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return parse(toml_text.dumps(experiment.resolved()), folder)
