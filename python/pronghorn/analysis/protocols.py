"""Over which protocols a load's requests went."""

from collections import Counter
from collections.abc import Mapping

from pronghorn.model.trial import PageLoad, Resource, Trial


def answered(page: PageLoad) -> list[Resource]:
    """The resources that the client got a whole answer for from the origin, rather than its own cache."""
    return [
        resource
        for resource in page.resources
        if resource.status is not None and resource.error is None and not resource.from_cache
    ]


def protocols(page: PageLoad) -> dict[str, int]:
    """How many of a load's resources came over which protocol, as the client saw it."""
    seen = Counter(resource.protocol for resource in answered(page) if resource.protocol is not None)
    return dict(sorted(seen.items()))


def protocols_of(trial: Trial) -> dict[str, int]:
    """The same of a trial's page load, also where the record of its requests was left out."""
    if trial.page is None or trial.page.report is not None:
        return {}
    return protocols(trial.page) if trial.page.resources else trial.metrics.protocols


def listed(found: Mapping[str, float]) -> str:
    """`3 over h2 and 18 over h3`, or `none`."""
    return (
        " and ".join(f"{number:g} over {name}" for name, number in sorted(found.items()) if number) or "none"
    )
