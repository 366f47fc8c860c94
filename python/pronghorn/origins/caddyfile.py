"""Caddy's configuration, as a Caddyfile with the placeholders of `template`."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pronghorn.model.media_types import MEDIA_TYPES, OTHER
from pronghorn.sites import lookup

_CADDYFILE = """\
{
	admin off
	auto_https off
	persist_config off
	ocsp_stapling off
	storage file_system "${PRONGHORN_FOLDER}/storage"
	# Absent where an arm asks for 0-RTT, which Caddy takes over QUIC unless told otherwise.
	servers {
		0rtt off
	}
}

https://:${PRONGHORN_PORT} {
	bind ${PRONGHORN_ADDRESS}
	tls "${PRONGHORN_CERTIFICATE}" "${PRONGHORN_KEY}"
	root "${PRONGHORN_ROOT}"
	log {
		output file "${PRONGHORN_LOG}" {
			roll_disabled
		}
		format filter {
			request>headers delete
			request>tls delete
			resp_headers delete
		}
	}
	header {
		${PRONGHORN_HEADERS}
	}
	route {
		# Files whose names hold a query.
		map {http.request.uri.path}?{http.request.uri.query} {stored} {
			import "${PRONGHORN_FOLDER}/lookup"
			default ""
		}
		@stored expression `{stored} != ""`
		rewrite @stored {stored}
		map {http.request.uri.path.file.ext} {media_type} {
			MEDIA_TYPES
			default "OTHER"
		}
		header Content-Type {media_type}
		@folder path */
		header @folder Content-Type "DOCUMENT"
DOCUMENTS		file_server {
			precompressed br zstd gzip
		}
	}
}
"""

ADMIN = "unix/admin.sock"
"""Where a Caddy that is to be reloaded is administered: a socket in its folder, in which it works."""

_NO_EARLY_DATA = """\
	# Absent where an arm asks for 0-RTT, which Caddy takes over QUIC unless told otherwise.
	servers {
		0rtt off
	}
"""


def template(
    *, early_data: bool, documents: Mapping[str, str] = MappingProxyType({}), reloads: bool = False
) -> str:
    """The Caddyfile: what every origin needs, and for the rest Caddy as it ships. `early_data`: whether it
    takes 0-RTT data; `documents`: the headers that HTML documents have of their own; `reloads`: whether it
    can be reloaded, at `ADMIN`."""
    text = (
        _CADDYFILE.replace("MEDIA_TYPES", "\n\t\t\t".join(_media_types()))
        .replace("OTHER", OTHER)
        .replace("DOCUMENTS", _of_documents(documents))
        .replace("DOCUMENT", next(iter(MEDIA_TYPES)))
    )
    if reloads:
        text = text.replace("\tadmin off\n", f"\tadmin {ADMIN}\n")
    return text.replace(_NO_EARLY_DATA, "") if early_data else text


def header_lines(headers: Mapping[str, str]) -> str:
    """Headers as the lines of a block `header`. They replace what Caddy sets itself, such as Alt-Svc."""
    return "\n\t\t".join(f'{name} "{escaped(value)}"' for name, value in headers.items())


def lookup_lines(root: Path) -> str:
    """What the Caddyfile imports for the site in `root`: the requests that files answer whose names hold a
    query, each with the path of the file."""
    lines = []
    for entry in lookup.read(root):
        keys = [f"{path}?{query}" for path, query in entry.queried]
        keys += [f"{path}?" for path in entry.paths if entry.queried]
        lines += [f"`{key}` /{lookup.FOLDER}/{lookup.PLAIN}/{entry.name}\n" for key in keys if not _odd(key)]
    return "".join(lines)


def header_object(headers: Mapping[str, str]) -> str:
    """Headers as the object `set` of the handler `headers` in a JSON configuration."""
    return json.dumps({name: [value] for name, value in headers.items()})


def escaped(value: str) -> str:
    """What stands between the quotes of a Caddyfile's token that means `value`."""
    return value.replace('"', '\\"')


def _odd(key: str) -> bool:
    """Whether a Caddyfile can't say it, or takes it for a variable."""
    return "`" in key or "{$" in key


def _of_documents(headers: Mapping[str, str]) -> str:
    if not headers:
        return ""
    lines = "".join(f'\t\t\t{name} "{escaped(value)}"\n' for name, value in headers.items())
    return f"\t\t@document path */ *.html *.htm\n\t\theader @document {{\n{lines}\t\t}}\n"


def _media_types() -> list[str]:
    return [
        f'.{written} "{media_type}"'
        for media_type, endings in MEDIA_TYPES.items()
        for ending in endings
        for written in (ending, ending.upper())
    ]
