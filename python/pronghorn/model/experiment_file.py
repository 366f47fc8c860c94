"""Finding an experiment (a file, or a shipped one by its name) and the shipped paths, and applying
overrides."""

import copy
import secrets
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from pronghorn import reading
from pronghorn.errors import InputError, unknown
from pronghorn.model import experiment_table, foreign, recorded_site, site_settings
from pronghorn.model import path as paths
from pronghorn.model.experiment import Experiment
from pronghorn.model.experiment_table import Vocabulary
from pronghorn.model.path import PathProfile, link
from pronghorn.model.recorded_site import RecordedSite
from pronghorn.model.source import Source

DEFAULT_EXPERIMENT = "default"

_LISTS = ("sites", "paths", "origins", "clients", "arms", "artifacts", "tolerate", "kernels")


@cache
def shipped_paths() -> dict[str, PathProfile]:
    """The path profiles that come with the program, by name."""
    sources = _shipped("paths")
    found = {name: paths.parse(name, source.table(), source) for name, source in sources.items()}
    return {name: paths.join(path, found, sources[name]) for name, path in found.items()}


def shipped_experiments() -> tuple[str, ...]:
    """The names of the experiments that come with the program."""
    return tuple(_shipped("experiments"))


def read(
    argument: str | None,
    vocabulary: Vocabulary,
    *,
    overrides: list[str],
    seed: int | None,
    stored_seed: int | None = None,
    recorded: bool = False,
) -> Experiment:
    """The experiment that `argument` names: a file, or a shipped one (None: the default one).

    `overrides` are `KEY=VALUE` texts of `--set`; `seed` is `--seed`, `stored_seed` the seed of the run to
    resume. An experiment without any seed gets a fresh one, which its run records. `recorded`: it is the one
    that a run keeps, of a version whose defaults may have been others, and perhaps of a machine with other
    folders. InputError where anything is wrong."""
    source, folder = _find(argument)
    source.recorded = recorded
    table = source.table()
    if recorded and "sites" in table:
        table.setdefault(site_settings.COMPRESSION, site_settings.BEFORE)
    for override in overrides:
        _apply(override, table, source, vocabulary, Path.cwd())
    if seed is not None:
        table["seed"] = seed
        source.overrides[("seed",)] = "--seed"
    default_seed = stored_seed if stored_seed is not None else secrets.randbits(32)
    return experiment_table.parse(table, source, vocabulary, default_seed=default_seed, folder=folder)


def parsed(name: str, text: str, folder: Path, vocabulary: Vocabulary) -> Experiment:
    """The experiment of a text, as if it stood in the file `name` of `folder`. InputError where it is
    wrong."""
    source = Source(name, text, folder)
    return experiment_table.parse(source.table(), source, vocabulary, default_seed=0, folder=folder)


def _find(argument: str | None) -> tuple[Source, Path]:
    name = argument if argument is not None else DEFAULT_EXPERIMENT
    shipped = _shipped("experiments")
    file = Path(name)
    try:
        exists = argument is not None and (file.is_file() or (name not in shipped and file.exists()))
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: no such file: {error}.") from None
    if exists and file.is_dir():
        raise InputError(f"{name}: this is a folder, not a regular file.", hint=_of_folder(name, file))
    if exists:
        text = reading.asked(file, reading.MOST_TOML, "an experiment")
        return Source(name, text, file.parent), file.parent
    if name in shipped:
        return shipped[name], Path.cwd()
    if "://" in name:
        raise InputError(
            f"{name}: this is an address; an experiment is a TOML file or a shipped one's name.",
            hint=f"That server itself: pronghorn new live.toml --site {name}\n  A copy of its page, over "
            f"emulated paths: pronghorn mirror {name}",
        )
    if name.endswith(".toml") or "/" in name:
        raise InputError(f"{name}: no such file.", hint=f"Shipped experiments: {', '.join(shipped)}.")
    raise InputError(unknown("experiment", name, shipped) + " Or the path of a TOML file.")


def _of_folder(name: str, folder: Path) -> str | None:
    """What a folder that stands in the place of an experiment was probably meant for."""
    if (folder / "experiment.toml").is_file():
        return f"To continue the run in it: pronghorn run --resume {name}"
    if recorded_site.is_archive(folder):
        return f"To measure the recorded page in it: pronghorn run --set sites={name}"
    if (folder / "index.html").is_file():
        return f"To measure the page in it: pronghorn run --set sites=dir:{name}"
    return None


def _apply(
    override: str, table: dict[str, Any], source: Source, vocabulary: Vocabulary, folder: Path
) -> None:
    name, separator, text = override.partition("=")
    keys = tuple(part.strip() for part in name.split("."))
    if not separator or not all(keys):
        raise InputError(f"--set {override}: write KEY=VALUE, such as repeat=20 or path.lte.down.loss=5%.")
    if keys[0] in link.PLAIN:
        raise InputError(
            f"--set {override}: {keys[0]!r} is a key of a path's links, not of an experiment.",
            hint=f"Name the path and the link: --set path.lte.down.{override.strip()}",
        )
    value: Any
    try:
        value = foreign.toml(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    except ValueError as error:
        raise InputError(f"--set {name}: this value can't be read.") from error
    if keys == ("kernels",) and not isinstance(value, list):
        # 6.10 is a version, and no number.
        value = text.strip()
    if len(keys) == 1 and keys[0] in _LISTS and isinstance(value, str):
        value = [item.strip() for item in value.split(",")]
    if keys[0] == "sites" and isinstance(value, list):
        value = [_absolute(item, folder) for item in value]
    if keys[0] == "path" and len(keys) > 2 and keys[1] in vocabulary.paths:
        definitions = table.setdefault("path", {})
        if isinstance(definitions, dict) and keys[1] not in definitions:
            definitions[keys[1]] = copy.deepcopy(vocabulary.paths[keys[1]].definition)
    target: Any = table
    for key in keys[:-1]:
        target = target.setdefault(key, {})
        if not isinstance(target, dict):
            raise InputError(f"--set {override}: '{key}' is no table.")
    target[keys[-1]] = value
    source.overrides[keys] = f"--set {override}"


def _absolute(site: Any, folder: Path) -> Any:
    if not isinstance(site, str):
        return site
    if site.startswith("dir:"):
        return f"dir:{(folder / site.removeprefix('dir:')).resolve()}"
    # An archive, with or without a word before it, is looked for from another folder later.
    try:
        recorded = RecordedSite.asked(site, folder)
    except ValueError:
        return site
    return site if recorded is None else str(recorded)


def _shipped(kind: str) -> dict[str, Source]:
    folder = resources.files("pronghorn") / "data" / kind
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name
    )
    return {
        file.name.removesuffix(".toml"): Source(f"{kind}/{file.name}", file.read_text(encoding="utf-8"))
        for file in files
    }
