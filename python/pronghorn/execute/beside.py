"""The load that runs beside a page load, and what of the origin's log is its own."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.analysis.protocols import answered
from pronghorn.clients.base import Visit
from pronghorn.clients.load import spec
from pronghorn.engine import PATIENCE_S, Engine
from pronghorn.load.spec import Extent
from pronghorn.model.background import Background
from pronghorn.model.load_report import LoadReport
from pronghorn.model.trial import OriginCount, OriginRequest, PageLoad
from pronghorn.origins.counts import counted, since

REASON = "background"
"""Why a trial without the load beside it is contaminated."""

_AFTER_S = 60.0
"""How long after a page load's limit the load beside it ends by itself."""


class Beside(NamedTuple):
    """A background's own requests: their path and protocol."""

    path: str
    protocol: str


async def start(engine: Engine, visit: Visit, background: Background) -> Beside:
    """Starts the load at the visit's origin, and returns when its lead is over."""
    arm = background.arm(visit.arm)
    lasts_s = background.lead_s + visit.limit_s + _AFTER_S
    asked = spec(visit._replace(arm=arm, knobs=type(visit.knobs)()), background.settings).model_copy(
        update={"stop": Extent(duration_s=lasts_s), "limit_s": lasts_s}
    )
    await engine.request("generate_start", spec=asked.to_engine())
    await engine.let_pass(background.lead_s)
    return Beside(background.settings.document or visit.document, arm.protocol)


async def stop(engine: Engine) -> LoadReport:
    """Ends the load, and tells what it came to."""
    ok = await engine.request("generate_stop", wait=False, patience_s=2 * PATIENCE_S)
    return LoadReport.model_validate(ok)


def apart(
    requests: Sequence[OriginRequest], beside: Beside, page: PageLoad
) -> tuple[list[OriginRequest], list[OriginCount]]:
    """The origin's log of the page load, and the background's requests counted. Of those that both may have
    made, as many are the page's as it asked for, without saying which: their times are nobody's."""
    own = [one for one in requests if (one.path, one.protocol) != beside]
    alike = [one for one in requests if (one.path, one.protocol) == beside]
    asked = Counter((one.path, one.protocol) for one in answered(page))[beside]
    pages = [one.model_copy(update={"served_s": None}) for one in alike[:asked]]
    return [*own, *pages], since({}, counted(alike[asked:]))
