"""Caddy's configuration for a recorded site, in its JSON: a table from requests to answers, and a route for
each answer."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pronghorn.model.address import bracketed
from pronghorn.origins.hosts import Place, Placed
from pronghorn.sites.replay import answers, table
from pronghorn.sites.replay.table import Entry

_ANSWER, _MATCHED = "{recorded_answer}", "{recorded_match}"
_ACCESS = "access"

_CONDITIONS = ["If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Range"]
"""Request headers that Caddy would heed when it sends a file."""

_OF_FILES = ["Accept-Ranges", "Content-Type", "Etag", "Last-Modified", "Vary"]
"""Response headers that Caddy sets of a file unless they are set."""


def configuration(placed: Placed, folder: Path, log: Path, *, port: int, early_data: bool) -> str:
    """The configuration; what Caddy writes goes to `folder`, its access log to `log`."""
    entries = table.of(answers.read(placed.replay.root)).entries
    routes = _routes(entries, placed.replay.root / answers.BODIES)
    servers = {
        _tag(number): _server(place, _tag(number), port, routes, early_data=early_data)
        for number, place in enumerate(placed.places)
    }
    files = [
        {"certificate": str(place.leaf.chain), "key": str(place.leaf.key), "tags": [_tag(number)]}
        for number, place in enumerate(placed.places)
    ]
    access = {
        "writer": {"output": "file", "filename": str(log), "roll": False},
        "encoder": {
            "format": "filter",
            "wrap": {"format": "json"},
            "fields": {
                "request>headers": {"filter": "delete"},
                "request>tls": {"filter": "delete"},
                "resp_headers": {"filter": "delete"},
            },
        },
        "include": [f"http.log.access.{_ACCESS}"],
    }
    return json.dumps(
        {
            "admin": {"disabled": True, "config": {"persist": False}},
            "storage": {"module": "file_system", "root": str(folder / "storage")},
            "logging": {"logs": {"default": {"exclude": access["include"]}, _ACCESS: access}},
            "apps": {
                "tls": {"certificates": {"load_files": files}, "disable_ocsp_stapling": True},
                "http": {"servers": servers},
            },
        }
    )


def _tag(number: int) -> str:
    return f"face-{number}"


def _server(
    place: Place, tag: str, port: int, routes: list[dict[str, Any]], *, early_data: bool
) -> dict[str, Any]:
    spoken = ["h1"] + ["h2"] * place.face.h2 + ["h3"] * place.face.h3
    return {
        "listen": [f"{bracketed(place.address)}:{port}"],
        "protocols": spoken,
        "automatic_https": {"disable": True},
        "tls_connection_policies": [{"certificate_selection": {"any_tag": [tag]}}],
        **({} if early_data else {"allow_0rtt": False}),
        "logs": {"default_logger_name": _ACCESS},
        "routes": routes,
    }


def _routes(entries: Sequence[Entry], bodies: Path) -> list[dict[str, Any]]:
    exact = [{"input": _source(entry), "outputs": [str(entry.number), "exact"]} for entry in entries]
    varied = [
        {"input_regexp": f"^{entry.method} {_escaped(entry.host)}{entry.pattern}$",
         "outputs": [str(entry.number), "varied"]}
        for entry in entries
        if entry.pattern is not None
    ]  # fmt: skip
    found = {
        "handler": "map",
        "source": "{http.request.orig_method} {http.request.host}{http.request.orig_uri}",
        "destinations": [_ANSWER, _MATCHED],
        "mappings": exact + varied,
        "defaults": ["none", "missed"],
    }
    return [
        {"handle": [found]},
        *(_route(entry, bodies) for entry in entries),
        _PREFLIGHT,
        {"handle": [_said("missed"), _headers({"Pronghorn-Replay": ["not recorded"]}), _without_body(404)]},
    ]


def _source(entry: Entry) -> str:
    return f"{entry.method} {entry.host}{entry.target}"


def _route(entry: Entry, bodies: Path) -> dict[str, Any]:
    answer = entry.answer
    sent: dict[str, list[str]] = {}
    for name, value in answer.headers:
        if name != "content-length":
            sent.setdefault(name, []).append(_literal(value))
    handlers = [_said(_MATCHED), _headers(sent)]
    if answer.body is None:
        handlers.append(_without_body(answer.status))
    else:
        handlers += [
            {"handler": "rewrite", "method": "GET", "uri": f"/{answer.body}"},
            {"handler": "file_server", "root": str(bodies), "status_code": answer.status},
        ]
    return {"match": [{"vars": {_ANSWER: [str(entry.number)]}}], "handle": handlers, "terminal": True}


def _said(matched: str) -> dict[str, Any]:
    """What the access log says of how an answer was found."""
    return {"handler": "log_append", "key": "matched", "value": matched}


def _headers(sent: dict[str, list[str]]) -> dict[str, Any]:
    unsent = [name for name in _OF_FILES if name.lower() not in sent]
    return {
        "handler": "headers",
        "request": {"delete": _CONDITIONS},
        "response": {"deferred": True, "set": sent, "delete": unsent},
    }


def _without_body(status: int) -> dict[str, Any]:
    return {"handler": "static_response", "status_code": status}


def _literal(value: str) -> str:
    """A value in which Caddy finds no placeholder."""
    return value.replace("{", "\\{")


def _escaped(host: str) -> str:
    return host.replace(".", "\\.")


_PREFLIGHT: dict[str, Any] = {
    "match": [{"method": ["OPTIONS"], "header": {"Access-Control-Request-Method": ["*"]}}],
    "handle": [
        _said("preflight"),
        _headers(
            {
                "access-control-allow-origin": ["{http.request.header.Origin}"],
                "access-control-allow-methods": ["{http.request.header.Access-Control-Request-Method}"],
                "access-control-allow-headers": ["{http.request.header.Access-Control-Request-Headers}"],
                "access-control-allow-credentials": ["true"],
            }
        ),
        _without_body(204),
    ],
    "terminal": True,
}
"""What CORS asks for without a record is allowed."""
