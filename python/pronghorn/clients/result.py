"""What a client of one's own writes: a PageLoad, or a short form of one."""

import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pronghorn.model.trial import PageLoad, Resource

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Request(BaseModel):
    """One request of the short form; `protocol` is that of the whole load where it is missing."""

    model_config = ConfigDict(extra="forbid")

    path: str
    status: int | None = None
    bytes: int = Field(default=0, ge=0)
    protocol: str | None = None
    error: str | None = None


class ShortForm(BaseModel):
    """A load in a few words: whether it succeeded, its times in seconds since its start, the protocol (`h1`,
    `h2`, `h3`) as the client saw it, and its requests; of a failed one `reason` (a word) and `detail`."""

    model_config = ConfigDict(extra="forbid")

    ok: bool
    load_s: Seconds | None = None
    ttfb_s: Seconds | None = None
    connect_s: Seconds | None = None
    tls_s: Seconds | None = None
    protocol: str | None = None
    requests: list[Request] = []
    reason: str | None = None
    detail: str | None = None


def parse(content: bytes) -> PageLoad:
    """The load that `content` tells of; ValueError where it tells of none, or of a success without its time,
    its requests or their protocol."""
    try:
        table = json.loads(content)
    except ValueError as error:
        raise ValueError(f"it is no JSON: {error}") from None
    if isinstance(table, dict) and "outcome" in table:
        page = PageLoad.model_validate(table)
    else:
        page = _page(ShortForm.model_validate(table))
    if page.outcome == "failed":
        return page
    if page.load_s is None:
        raise ValueError("it reports success without 'load_s'")
    if not page.resources:
        raise ValueError("it reports success without any of its requests")
    for resource in page.resources:
        if resource.status is not None and resource.protocol is None:
            raise ValueError(f"it does not say over which 'protocol' {resource.path} came")
    return page


def _page(short: ShortForm) -> PageLoad:
    resources = [
        Resource(
            path=request.path,
            kind="document" if place == 0 else "other",
            protocol=request.protocol or (short.protocol if request.status is not None else None),
            status=request.status,
            bytes=request.bytes,
            error=request.error,
        )
        for place, request in enumerate(short.requests)
    ]
    return PageLoad(
        outcome="ok" if short.ok else "failed",
        reason=None if short.ok else short.reason or "incomplete",
        detail=None if short.ok else short.detail or "the client gave no details",
        load_s=short.load_s if short.ok else None,
        ttfb_s=short.ttfb_s,
        connect_s=short.connect_s,
        tls_s=short.tls_s,
        requests=len(resources),
        bytes=sum(resource.bytes for resource in resources),
        failures=sum(
            resource.error is not None or resource.status is None or resource.status >= 400
            for resource in resources
        ),
        resources=resources,
    )
