"""Conducts the probes of one check: what is independent runs at once, and one deadline holds for all."""

import datetime
from collections.abc import Callable

from pronghorn.check.facts import Facts
from pronghorn.check.probes import closer, meeting
from pronghorn.check.probes import names as resolver
from pronghorn.check.probes.budget import Budget
from pronghorn.check.probes.errand import Errand
from pronghorn.check.probes.trust import Authorities
from pronghorn.check.target import Settings, Target
from pronghorn.errors import InputError


async def look(target: Target, settings: Settings, tell: Callable[[str], None] = lambda _: None) -> Facts:
    """All that can be seen of a host. NothingMeasured if it answers nothing."""
    errand = Errand(settings, _authorities(settings), Budget(settings.limit_s), tell)
    redirects: list[Target] = []
    while True:
        tell(f"{target.shown}: addresses and records")
        names = await resolver.ask(target, settings)
        most = meeting.MOST_REDIRECTED if redirects else meeting.MOST_ADDRESSES
        met = await meeting.meet(target, names, errand, most)
        onward = meeting.onward(met, target, redirects, errand)
        if onward is None:
            break
        redirects.append(target)
        target = onward
    main = meeting.best(met)
    tell(f"{target.shown}: a closer look at {main.address.address}")
    looked = await closer.look(target, names, main, errand)
    return Facts(
        target,
        datetime.datetime.now(datetime.UTC),
        tuple(each.shown for each in redirects),
        names,
        tuple(looked.address if each is main else each.address for each in met),
        *looked,
        errand.budget.requests,
        tuple(errand.unknown),
    )


def _authorities(settings: Settings) -> Authorities:
    try:
        return Authorities(settings.authorities)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it holds no certificate in PEM form"
        raise InputError(
            f"--ca {settings.authorities}: {why}.", hint="Name a PEM file of certificates."
        ) from None
