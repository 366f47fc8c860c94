"""Loads on stages, and what the fairness manifest makes of them: real processes over a real path, without a
run's verdict on whether the host was quiet enough."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pronghorn import certificates, fairness, manifest
from pronghorn.certificates import Certificates
from pronghorn.engine import Engine, Hello
from pronghorn.execute.stage import Plot, Stage
from pronghorn.fairness import Findings, first_flight
from pronghorn.model.certificate import CertificateSettings
from pronghorn.model.trial import Counters, Metrics, PageLoad, Trial
from pronghorn.origins import OriginLog
from pronghorn.trust import proof

from .stages import Scene, plot


async def examine(scenes: Sequence[Scene], folder: Path, *, times: int = 1) -> Findings:
    """What is found in loads of `scenes`, each `times`, every load on a stage of its own. All are of one
    cell: they differ in the arm, and each names the others beside it."""
    trials: list[Trial] = []
    engine = await Engine.start()
    try:
        hello = await engine.hello()
        for block in range(times):
            for scene in scenes:
                name = f"load-{len(trials)}"
                trials.append(await _load(engine, plot(scene, folder / name), name, block))
    finally:
        await engine.stop()
    return found(plot(scenes[0], folder / "plan"), hello, trials, scenes[0].certificates, folder)


def found(built: Plot, hello: Hello, trials: list[Trial], identity: Certificates, run: Path) -> Findings:
    """What is found in `trials`; the certificate's key is taken for the experiment's."""
    experiment = built.experiment
    key = experiment.certificate.key
    notes = {
        **manifest.opening(experiment, hello, command_line=[], jobs=1, started=""),
        **manifest.closing(experiment, trials, ended=""),
        "certificate": first_flight.describe(key, certificates.sizes(identity)),
    }
    return fairness.examine(experiment, trials, notes, run)


def beside(scene: Scene, *arms: str) -> list[Scene]:
    """The scene with each of `arms` in turn, the others beside it."""
    return [
        scene._replace(arm=arm, arms_beside=tuple(other for other in arms if other != arm)) for arm in arms
    ]


def codes(findings: Findings) -> Counter[str]:
    """How many warnings there are of each code."""
    return Counter(caution.code for caution in findings.cautions)


def text(findings: Findings, code: str) -> str:
    """The words of the one warning with that code."""
    [caution] = [one for one in findings.cautions if one.code == code]
    return caution.text


async def _load(engine: Engine, built: Plot, name: str, block: int) -> Trial:
    stage = Stage(engine, built)
    await stage.open(block)
    found = await stage.load(block)
    return _trial(built, name, block, found.page, found.log, await stage.close())


def _trial(built: Plot, name: str, block: int, page: PageLoad, log: OriginLog, counters: Counters) -> Trial:
    wrong = proof.otherwise(built.arm, page, log)
    return Trial(
        cell=built.cell,
        arm=built.arm.name,
        block=block,
        attempt=0,
        position=0,
        path_seed=block,
        slot=0,
        started="",
        status="ok" if page.outcome == "ok" and wrong is None else "failed",
        reason=wrong.reason if wrong else page.reason,
        detail=wrong.detail if wrong else page.detail,
        metrics=Metrics(load_s=page.load_s),
        page=page,
        counters=counters,
        origin_log=log.requests,
        origin_connections=log.connections,
        origin_log_kept=log.kept,
        artifacts={kind: f"{name}/{file}" for kind, file in built.artifacts.found().items()},
    )


LONG_CHAIN = CertificateSettings(key="rsa4096", intermediates=4)
"""More than QUIC lets a server send at first."""
