"""Conducts the probes of one check: what is independent runs at once, and one deadline holds for all."""

import datetime
from collections.abc import Callable
from dataclasses import replace

from pronghorn.check.facts import Facts, Names
from pronghorn.check.probes import closer, meeting
from pronghorn.check.probes import names as resolver
from pronghorn.check.probes.budget import Budget
from pronghorn.check.probes.errand import Errand
from pronghorn.check.probes.trust import Authorities
from pronghorn.check.target import Settings, Target, leads_inside, same_site
from pronghorn.errors import InputError


async def look(target: Target, settings: Settings, tell: Callable[[str], None] = lambda _: None) -> Facts:
    """All that can be seen of a host. NothingMeasured if it answers nothing."""
    errand = Errand(settings, _authorities(settings), Budget(settings.limit_s), tell)
    redirects: list[Target] = []
    first = target
    hops: list[Facts] = []
    tell(f"{target.shown}: addresses and records")
    names = await resolver.ask(target, settings)
    while True:
        errand.active = same_site(first, target)
        most = meeting.MOST_REDIRECTED if redirects else meeting.MOST_ADDRESSES
        met = await meeting.meet(target, names, errand, most)
        onward = meeting.onward(met, target, redirects, errand)
        if onward is None:
            break
        tell(f"{onward.shown}: addresses and records")
        further = await resolver.ask(onward, settings, min(resolver.LIMIT_S, errand.budget.left_s))
        if leads_inside(meeting.best(met).address.address, settings.addresses or further.addresses):
            errand.note("redirect", f"it leads to {onward.shown}, whose address is not public: not followed")
            break
        redirects.append(target)
        if onward.authority != target.authority:
            hops.append(_facts(target, names, met))
        target, names = onward, further
    main = meeting.best(met)
    tell(f"{target.shown}: a closer look at {main.address.address}")
    looked = await closer.look(target, names, main, errand)
    return replace(
        _facts(target, names, met),
        redirects=tuple(each.shown for each in redirects),
        hops=tuple(hops),
        addresses=tuple(looked.address if each is main else each.address for each in met),
        main=looked.address,
        elsewhere=looked.elsewhere,
        hinted=looked.hinted,
        datagrams=looked.datagrams,
        early=looked.early,
        forwarding=looked.forwarding,
        requests=errand.budget.requests,
        unknown=tuple(errand.unknown),
    )


def _facts(target: Target, names: Names, met: list[meeting.Met]) -> Facts:
    """What the meeting alone showed."""
    now = datetime.datetime.now(datetime.UTC)
    return Facts(target, now, (), names, tuple(each.address for each in met), meeting.best(met).address)


def _authorities(settings: Settings) -> Authorities:
    try:
        return Authorities(settings.authorities)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it holds no certificate in PEM form"
        raise InputError(
            f"--ca {settings.authorities}: {why}.", hint="Name a PEM file of certificates."
        ) from None
