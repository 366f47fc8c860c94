"""How an nginx serves a recorded site: a table from requests to answers, and a location for each answer.

A request is looked up by method, host, path and query, and sent to the location of its answer through an
error page, which alone lets nginx send a file with any status and whatever the method. nginx takes a table's
keys without regard to case."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pronghorn.model.address import bracketed
from pronghorn.origins import nginx_lookup
from pronghorn.origins.hosts import Place, Placed
from pronghorn.sites.replay import answers, table
from pronghorn.sites.replay.table import Entry

TABLE, ANSWERS, EMPTY = "answers.map", "answers.conf", "empty"
"""The files that are included, and the body of answers that have none."""

LOG_FORMAT = (
    '{"host": "$host", "path": "$request_uri", "protocol": "$server_protocol", "status": $status, '
    '"bytes": $body_bytes_sent, "duration_s": $request_time, "matched": "$matched", '
    '"method": "$request_method"}'
)
"""One line of the access log (escape=json)."""

MATCHED = "pronghorn-matched"
"""The header by which an nginx tells the server before it how it found an answer."""

_STEP = 418
"""The status by which a request goes on to its answer; nobody sees it."""

HTTP = f"""\
    # What is answered to whom: /s STATUS / NUMBER, with a v where only what varies in its query differs.
    map_hash_bucket_size 8192;
    map_hash_max_size 65536;
    map "$request_method $http_access_control_request_method" $unrecorded {{
        default /missed;
        "~^OPTIONS ." /preflight;
    }}
    map "$request_method $host$request_uri" $answer {{
        default $unrecorded;
        include {TABLE};
    }}
    map $answer $matched {{
        default exact;
        /missed missed;
        "~^/s\\d+v/" varied;
        /preflight preflight;
    }}
    geo $dollar {{
        default "$";
    }}
    client_max_body_size 0;
    etag off;
    if_modified_since off;
    max_ranges 0;
"""
"""What stands in the block `http`."""

SERVER = f"""\
        root .;
        location / {{
            rewrite ^ /.pronghorn$answer last;
        }}
        include {ANSWERS};
"""
"""What stands in a block `server` in the place of its folder."""


def files(entries: Sequence[Entry], *, tells: bool) -> dict[str, str]:
    """The files that the configuration includes, by name. `tells`: whether answers have the header `MATCHED`,
    for a server before this one."""
    statuses = sorted({entry.answer.status for entry in entries})
    steps = "".join(
        f"location ~ ^/\\.pronghorn/s{status}v?/(?<number>\\d+)$ {{\n    internal;\n"
        f"    error_page {_STEP} ={status} /.pronghorn/a$number;\n    return {_STEP};\n}}\n"
        for status in statuses
    )
    told = f"    add_header {MATCHED} $matched always;\n" if tells else ""
    located = "".join(_location(entry, told) for entry in entries)
    return {
        TABLE: "".join(_keys(entries)),
        ANSWERS: steps + located + _PREFLIGHT.replace("TOLD", told) + _MISSED.replace("TOLD", told),
        EMPTY: "",
    }


def write(placed: Placed, folder: Path, *, tells: bool) -> None:
    """Writes what the configuration includes to nginx's `folder`, and makes the bodies known there."""
    (folder / answers.BODIES).symlink_to(placed.replay.root / answers.BODIES, target_is_directory=True)
    entries = table.of(answers.read(placed.replay.root)).entries
    for name, text in files(entries, tells=tells).items():
        (folder / name).write_text(text, encoding="utf-8")


def servers(text: str, places: Sequence[Place]) -> str:
    """The configuration `text` of one server, of which each place gets its own with its address, protocols
    and certificate."""
    # No file is looked up.
    text = text.replace(nginx_lookup.HTTP, "")
    start = text.index("    server {\n")
    head, block = text[:start], text[start:]
    end = block.rindex("    }\n") + len("    }\n")
    block, tail = block[:end], block[end:]
    return head + HTTP + "".join(_server(block, place) for place in places) + tail


def _server(block: str, place: Place) -> str:
    lines = []
    for line in block.splitlines(keepends=True):
        if " quic" in line and not place.face.h3:
            continue
        if "http2 on;" in line and not place.face.h2:
            line = line.replace("on;", "off;")
        lines.append(line)
    block = "".join(lines)
    root = block.index("        root ")
    block = block[:root] + SERVER + "    }\n"
    values = {
        "${PRONGHORN_ADDRESS}": bracketed(place.address),
        "${PRONGHORN_CERTIFICATE}": str(place.leaf.chain),
        "${PRONGHORN_KEY}": str(place.leaf.key),
    }
    for name, value in values.items():
        block = block.replace(name, value)
    return block


def _keys(entries: Sequence[Entry]) -> Iterator[str]:
    """The lines of the table: keys, then regular expressions for what varies, which nginx asks in order."""
    exact = {f"{entry.method} {entry.host}{entry.target}": entry for entry in entries}
    alike = Counter(key.lower() for key in exact)
    for key, entry in exact.items():
        written = key if alike[key.lower()] == 1 else f"~^{re.escape(key)}$"
        if written[:1] in "~\\" and alike[key.lower()] == 1:
            written = "\\" + written
        yield f'"{_quoted(written)}" /s{entry.answer.status}/{entry.number};\n'
    for entry in entries:
        if entry.pattern is not None:
            beginning = re.escape(f"{entry.method} {entry.host}")
            written = f"~^{beginning}{entry.pattern}$"
            yield f'"{_quoted(written)}" /s{entry.answer.status}v/{entry.number};\n'


def _location(entry: Entry, told: str) -> str:
    answer = entry.answer
    body = f"{answers.BODIES}/{answer.body}" if answer.body is not None else EMPTY
    media_type = table.sent_once(answer.headers, "content-type") or ""
    modified = table.sent_once(answer.headers, "last-modified") or ""
    of_their_own = ("content-type", "last-modified", "content-length")
    lines = [
        f'    add_header {name} "{value_of(value)}" always;\n'
        for name, value in answer.headers
        if name not in of_their_own and value
    ]
    return (
        f"location = /.pronghorn/a{entry.number} {{\n    internal;\n    alias {body};\n    types {{ }}\n"
        f'    default_type "{_quoted(media_type)}";\n'
        f'    add_header Last-Modified "{value_of(modified)}" always;\n{"".join(lines)}{told}}}\n'
    )


def value_of(value: str) -> str:
    """What stands between the quotes of a parameter with variables that means `value`."""
    return _quoted(value).replace("$", "${dollar}")


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


_PREFLIGHT = """\
location = /.pronghorn/preflight {
    internal;
    add_header Access-Control-Allow-Origin $http_origin always;
    add_header Access-Control-Allow-Methods $http_access_control_request_method always;
    add_header Access-Control-Allow-Headers $http_access_control_request_headers always;
    add_header Access-Control-Allow-Credentials true always;
TOLD    return 204;
}
"""

_MISSED = """\
location = /.pronghorn/missed {
    internal;
    error_page 418 =404 /.pronghorn/a0;
    return 418;
}
location = /.pronghorn/a0 {
    internal;
    alias empty;
    types { }
    default_type "";
    add_header Last-Modified "";
    add_header Pronghorn-Replay "not recorded" always;
TOLD}
"""
