"""An experiment from its TOML table: every key read, every fault told with its place."""

from pathlib import Path
from typing import Any, NamedTuple

from pronghorn.errors import unknown
from pronghorn.model import (
    background,
    browser,
    certificate,
    events,
    experiment_knobs,
    explanation,
    live_servers,
    load,
    published,
    recorded_site,
    replay_settings,
    sampling,
    site_settings,
    stacks,
    units,
)
from pronghorn.model import experiment_values as values
from pronghorn.model import path as paths
from pronghorn.model.background import Background
from pronghorn.model.experiment import LIVE_SITE, Experiment
from pronghorn.model.experiment_reader import ExperimentReader
from pronghorn.model.load import LoadSettings
from pronghorn.model.path import PathProfile
from pronghorn.model.recorded_site import RecordedSite
from pronghorn.model.sampling import Sampling
from pronghorn.model.source import Source
from pronghorn.model.stacks import Known
from pronghorn.model.trial import MOST_ATTEMPTS

KEYS = (
    "name", "sites", "paths", "origins", "clients", "arms", "baseline",
    "repeat", "attempts", "state", "pause", "limit", "margin", "margin_time", "seed", "jobs", "artifacts",
    "path", "cache_control", "certificate", "browser", "authority", "explain", "compression", "host",
    "fair", "knobs", "load", "published", "background", "preflight", "tolerate", "clock", "kernels",
    "replay", "events",
)  # fmt: skip


class Vocabulary(NamedTuple):
    """The names that an experiment may use: sites, origins, clients, and the shipped paths with their
    profiles; after the `configurable` origins the file of a configuration may follow."""

    sites: tuple[str, ...]
    origins: tuple[str, ...]
    clients: tuple[str, ...]
    paths: dict[str, PathProfile]
    configurable: tuple[str, ...] = ()


def parse(
    table: dict[str, Any], source: Source, vocabulary: Vocabulary, *, default_seed: int, folder: Path
) -> Experiment:
    """The experiment in `table`; InputError with its place where something is wrong.

    `default_seed` holds where the experiment names none; `folder` is what a site's relative path starts
    from."""
    source.refuse_unknown((), table, KEYS)
    reader = ExperimentReader(table, source)
    profiles = _profiles(table, source, vocabulary)
    arm_list = values.arms(reader)
    origins = stacks.parse(reader, "origin", Known(vocabulary.origins, vocabulary.configurable), "builtin")
    clients = stacks.parse(reader, "client", Known(vocabulary.clients), "native")
    live = live_servers.parse(reader, origins.names)
    sites = (
        (LIVE_SITE,)
        if live
        else tuple(_site(name, reader, vocabulary, folder) for name in reader.names("sites"))
    )
    authority, authority_texts = live_servers.authority(reader, live=live)
    made = _load(reader, clients.names)
    return Experiment(
        name=reader.text("name", Path(source.name).stem),
        sites=sites,
        paths=(paths.direct(),)
        if live
        else tuple(profiles[name] for name in reader.known("paths", "path", tuple(profiles))),
        origins=origins.names,
        clients=clients.names,
        own_origins=dict(origins.own),
        own_clients=dict(clients.own),
        texts={**origins.texts, **clients.texts, **authority_texts},
        authority=authority,
        arms=arm_list,
        baseline=values.baseline(reader, arm_list),
        repeat=values.repeat(reader),
        sampling=_sampling(reader),
        limit=values.limit(reader),
        margin_text=values.margin(reader),
        margin_time=values.margin_time(reader),
        attempts=reader.whole("attempts", MOST_ATTEMPTS, least=1, most=MOST_ATTEMPTS),
        seed=reader.whole("seed", default_seed, least=0, most=2**63 - 1),
        jobs=reader.whole("jobs", None, least=1, most=1024),
        artifacts=values.artifacts(reader),
        preflight=values.preflight(reader),
        state=values.state(reader),
        pause=values.pause(reader),
        cache_control=values.cache_control(reader, arm_list),
        compression=site_settings.BEFORE
        if live
        else site_settings.compression(reader, vocabulary.origins, origins.names, clients.names),
        hosts=site_settings.hosts(reader, sites),
        certificate=certificate.parse(reader.sub("certificate", certificate.EXAMPLE)),
        browser=browser.parse(reader.sub("browser", browser.EXAMPLE), arm_list),
        replay=replay_settings.parse(reader.sub(replay_settings.KEY, replay_settings.EXAMPLE), sites),
        explain=explanation.parse(table, source, tuple(arm.name for arm in arm_list)),
        fair=reader.flag("fair", False),
        load=made,
        published=_published(reader),
        background=_background(reader, clients.names),
        events=events.parse(table, source, clients.names, made),
        clock=values.clock(reader),
        kernels=values.kernels(reader),
        tolerate=values.tolerate(reader),
        knobs=experiment_knobs.parse(reader.sub(experiment_knobs.KEY, experiment_knobs.EXAMPLE), arm_list),
    )


def _has_several_kernels(reader: ExperimentReader) -> bool:
    return values.clock(reader) == "both" or len(values.kernels(reader)) > 1


def _sampling(reader: ExperimentReader) -> Sampling | None:
    found = sampling.parse(reader)
    if found is not None and _has_several_kernels(reader):
        raise reader.error(
            sampling.KEY,
            "kernels and clocks are compared over the blocks that all of them have, and a rule would stop "
            f"each at another one. Write a number, such as {sampling.KEY} = 20.",
        )
    return found


def _load(reader: ExperimentReader, clients: tuple[str, ...]) -> LoadSettings | None:
    wanted = load.CLIENT in clients
    if load.KEY not in reader:
        if wanted:
            raise reader.error(
                "clients",
                f"client '{load.CLIENT}' needs to know which load to make. Write {load.KEY} = "
                f"{load.EXAMPLE}.",
                element=load.CLIENT,
            )
        return None
    if not wanted:
        raise reader.error(
            load.KEY, f'no client makes loads. Write clients = ["{load.CLIENT}"], or leave it out.'
        )
    table = reader.sub(load.KEY, load.EXAMPLE)
    return load.within(table, load.parse(table), units.time_ns(values.limit(reader)) / 1e9)


def _background(reader: ExperimentReader, clients: tuple[str, ...]) -> Background | None:
    if background.KEY not in reader:
        return None
    if load.CLIENT in clients:
        raise reader.error(
            background.KEY,
            f"client '{load.CLIENT}' makes a load itself, so no other load can run beside it. Leave out "
            "one of them.",
        )
    return background.parse(reader.sub(background.KEY, background.EXAMPLE))


def _published(reader: ExperimentReader) -> str | None:
    if "published" not in reader:
        return None
    if _has_several_kernels(reader):
        raise reader.error(
            "published",
            "published measurements have one kernel and one clock; name one of each, or leave it out.",
        )
    return reader.choice("published", "published measurement", published.names(), "")


def _profiles(table: dict[str, Any], source: Source, vocabulary: Vocabulary) -> dict[str, PathProfile]:
    definitions = table.get("path", {})
    if not isinstance(definitions, dict):
        raise source.error(("path",), "a path is defined in its own table, [path.NAME].")
    profiles = {**vocabulary.paths, paths.DIRECT: paths.direct()}
    for name, definition in definitions.items():
        if name == paths.DIRECT:
            raise source.error(
                ("path", name), f"{name!r} is the path without an emulated network. Choose another name."
            )
        profiles[name] = paths.parse(name, definition, source, ("path", name))
    return {name: paths.join(path, profiles, source, ("path", name)) for name, path in profiles.items()}


def _site(name: str, reader: ExperimentReader, vocabulary: Vocabulary, folder: Path) -> str:
    if name.startswith("dir:"):
        root = (folder / name.removeprefix("dir:")).resolve()
        if not (root.is_dir() or reader.source.recorded):
            raise reader.source.error(("sites",), f"{name!r}: {root} is no folder.", element=name)
        return f"dir:{root}"
    try:
        recorded = RecordedSite.asked(name, folder)
    except ValueError as error:
        raise reader.source.error(("sites",), f"{name!r}: {error}", element=name) from None
    if recorded is not None:
        if not (recorded.shipped or recorded_site.is_archive(Path(recorded.place)) or reader.source.recorded):
            raise reader.source.error(
                ("sites",),
                f"{name!r}: {recorded.place} is no site archive: it lacks {recorded_site.FILE}.",
                element=name,
            )
        return str(recorded)
    if name not in vocabulary.sites and "://" in name:
        raise reader.source.error(
            ("sites",),
            f"{name!r} is an address; a site is what Pronghorn's servers serve.",
            element=name,
            hint=f"That server itself: pronghorn new live.toml --site {name}\n  A copy of its page, over "
            f"emulated paths: pronghorn mirror {name}",
        )
    if name not in vocabulary.sites and ("/" in name or (folder / name).is_dir()):
        there = "" if (folder / name).is_dir() else ", and there is none of this name"
        raise reader.source.error(
            ("sites",), f"{name!r}: a folder is written 'dir:{name}'{there}.", element=name
        )
    if name not in vocabulary.sites:
        raise reader.source.error(
            ("sites",), unknown("site", name, (*vocabulary.sites, "dir:PATH", "archive:PATH")), element=name
        )
    return name
