"""Whether two clients rank the arms alike."""

from pathlib import Path
from typing import NamedTuple

from ..e2e import programme
from ..e2e.programme import Run

CLIENTS = ("native", "chromium")
PATHS = ("lan", "lte", "lte-poor")
DECIDED = ("faster", "slower")


class Ranked(NamedTuple):
    """An arm against h2 on a path: each client's verdict on the median load, and the ratio."""

    path: str
    arm: str
    verdicts: dict[str, str]
    ratios: dict[str, float | None]

    @property
    def both_decided(self) -> bool:
        """Whether both clients tell the arms apart."""
        return all(verdict in DECIDED for verdict in self.verdicts.values())

    @property
    def opposed(self) -> bool:
        """Whether both do, and contradict each other."""
        return self.both_decided and len(set(self.verdicts.values())) > 1


def rank(
    folder: Path,
    site: str,
    *,
    arms: tuple[str, ...],
    blocks: int,
) -> list[Ranked]:
    """Every arm against h2 on each path, from the built-in origin; the run's files go to `folder`."""
    folder.mkdir(exist_ok=True)
    experiment = folder / "experiment.toml"
    experiment.write_text(
        f'sites = ["{site}"]\npaths = {list(PATHS)!r}\nclients = {list(CLIENTS)!r}\narms = {list(arms)!r}\n'
        f'repeat = {blocks}\nseed = 1\nlimit = "60s"\n',
        encoding="utf-8",
    )
    result = programme.run("run", str(experiment), "--out", "found", folder=folder)
    assert result.status == 0, result.stderr
    found: dict[tuple[str, str], Ranked] = {}
    for cell in Run(folder / "found").summary().cells:
        for one in cell.comparisons:
            if (one.metric, one.statistic) == ("load", "median"):
                ranked = found.setdefault((cell.path, one.arm), Ranked(cell.path, one.arm, {}, {}))
                ranked.verdicts[cell.client] = one.verdict
                ranked.ratios[cell.client] = one.ratio
    return list(found.values())
