"""How an nginx finds a site's files by the table that was made of them (`sites/lookup.py`): those that lie
there compressed, and those whose names hold a query.

nginx asks a file's name for its media type, and has `gzip_static` alone for files that lie there compressed.
So it rewrites a request to the file's name in the folder of its coding. It compresses nothing itself."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pronghorn.sites import lookup
from pronghorn.sites.compression import SIBLINGS

_PATHS, _QUERIED = "paths.map", "queried.map"

_TAKES = r"\s*(?:;\s*q\s*=\s*(?:1(?:\.0*)?|0?\.\d*[1-9]\d*)\s*)?(?:,|$)"
"""What may follow a coding's name that a client takes: nothing, or a weight above zero."""


def _taken(coding: str) -> str:
    taken = f'"~*(?:^|,)\\s*{coding}{_TAKES}" {coding}.;'
    return f"    map $http_accept_encoding $takes_{coding} {{\n        {taken}\n    }}\n"


def _chosen(coding: str) -> str:
    return f'        "~^[^ ]*{coding}\\.[^ ]* .*/.*{coding}\\." {coding};\n'


HTTP = (
    f"""\
    # A site's files that lie there compressed, and those whose names hold a query: NUMBER.ENDING/CODINGS.
    map_hash_bucket_size 1024;
    map_hash_max_size 65536;
    map $uri $of_path {{
        include {_PATHS};
    }}
    map "$uri?$args" $file {{
        default $of_path;
        include {_QUERIED};
    }}
    # nginx compresses nothing: it sends what the client takes of what is there, br before zstd before gzip.
"""
    + "".join(_taken(coding) for coding in SIBLINGS)
    + f"""\
    map "{"".join(f"$takes_{coding}" for coding in SIBLINGS)} $file" $coding {{
        default {lookup.PLAIN};
"""
    + "".join(_chosen(coding) for coding in SIBLINGS)
    + f"""\
    }}
    map $file $name {{
        "~^(?<stored>[^/]+)/" $stored;
    }}
    map $coding $content_encoding {{
        default $coding;
        {lookup.PLAIN} "";
    }}
    map $file $vary {{
        "~/." Accept-Encoding;
    }}
    add_header Content-Encoding $content_encoding;
    add_header Vary $vary;
"""
)
"""What stands in the block `http`."""

SERVER = f"""\
        if ($name) {{
            rewrite ^ /{lookup.FOLDER}/$coding/$name break;
        }}
"""
"""What stands in the block `server`."""


def write(root: Path, folder: Path) -> None:
    """Writes what `HTTP` includes to `folder`, for the site in `root`."""
    entries = lookup.read(root)
    value = {entry.name: f"{entry.name}/{''.join(f'{one}.' for one in entry.codings)}" for entry in entries}
    paths = [(path, value[entry.name]) for entry in entries for path in entry.paths]
    queried = [(f"{path}?{query}", value[entry.name]) for entry in entries for path, query in entry.queried]
    (folder / _PATHS).write_text(_map(paths), encoding="utf-8")
    (folder / _QUERIED).write_text(_map(queried), encoding="utf-8")


def _map(entries: Iterable[tuple[str, str]]) -> str:
    """The lines of a map. nginx takes its keys without regard to case, but for regular expressions."""
    keys = dict(entries)
    alike = Counter(key.lower() for key in keys)
    return "".join(
        f'"{_quoted(key if alike[key.lower()] == 1 else f"~^{re.escape(key)}$")}" {value};\n'
        for key, value in keys.items()
    )


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
