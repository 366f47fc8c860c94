"""What a client of one's own writes: a PageLoad, or a short form of one."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, ValidationError

from pronghorn import reading
from pronghorn.model import bounds, foreign
from pronghorn.model.bounds import Count, Lasting, Seconds, Several, StatusCode, Text
from pronghorn.model.trial import PageLoad, Resource


class Request(BaseModel):
    """One request of the short form; `protocol` is that of the whole load where it is missing."""

    model_config = ConfigDict(extra="forbid")

    path: Text
    status: StatusCode | None = None
    bytes: Count = 0
    protocol: Text | None = None
    error: Text | None = None


class ShortForm(BaseModel):
    """A load in a few words: whether it succeeded, its times in seconds since its start, the protocol (`h1`,
    `h2`, `h3`) as the client saw it, and its requests; of a failed one `reason` (a word) and `detail`."""

    model_config = ConfigDict(extra="forbid")

    ok: bool
    load_s: Lasting | None = None
    ttfb_s: Seconds | None = None
    connect_s: Seconds | None = None
    tls_s: Seconds | None = None
    protocol: Text | None = None
    requests: Annotated[list[Request], Several] = []
    reason: Text | None = None
    detail: Text | None = None


def read(file: Path) -> PageLoad:
    """The load that a file tells of; ValueError, as a clause, where it can't be read or tells of none."""
    try:
        return parse(reading.content(file, foreign.MOST_BYTES, "a result"))
    except reading.Missing:
        raise ValueError("it wrote no result") from None
    except reading.Unreadable as error:
        raise ValueError(f"the result can't be read: {error}") from None
    except ValidationError as error:
        raise ValueError(f"the result is not as specified: {bounds.wrong(error)}") from None
    except ValueError as error:
        raise ValueError(f"the result is not as specified: {error}") from None


def parse(content: bytes) -> PageLoad:
    """The load that `content` tells of; ValueError where it tells of none, or of a success without its time,
    its requests or their protocol."""
    table = foreign.json_table(content)
    whole = "outcome" in table
    page = PageLoad.model_validate(table) if whole else _page(ShortForm.model_validate(table))
    if page.outcome == "failed":
        return page
    if page.load_s is None:
        raise ValueError("it reports success without 'load_s'")
    if not page.resources:
        raise ValueError("it reports success without any request")
    for resource in page.resources:
        if resource.status is not None and resource.protocol is None:
            raise ValueError(f"it does not name the 'protocol' of {resource.path}")
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
