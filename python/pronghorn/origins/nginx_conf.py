"""nginx's configurations, with the placeholders of `template`: as shipped, tuned, and patient.

Relative names are within the trial's folder, which is nginx's prefix."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from pronghorn.errors import InputError
from pronghorn.model.media_types import MEDIA_TYPES, OTHER
from pronghorn.origins import nginx_lookup

LOG_FORMAT = (
    '{"path": "$request_uri", "protocol": "$server_protocol", "status": $status, '
    '"bytes": $body_bytes_sent, "duration_s": $request_time}'
)
"""One line of the access log by which an nginx proves what it served (escape=json)."""

_CONFIGURATION = """\
# That it closes idle connections since it has no more of worker_connections it says at this level.
error_log stderr warn;
# As Debian ships them.
worker_processes auto;
worker_cpu_affinity auto;
events {
    worker_connections 768;
}
http {
    sendfile on;
    tcp_nopush on;
    types_hash_max_size 2048;

    # What every origin does alike.
    gzip off;
    types {
        TYPES
    }
    default_type OTHER;
LOOKUP
    ${PRONGHORN_HEADERS}
    log_format pronghorn escape=json 'FORMAT';
    access_log "${PRONGHORN_LOG}" pronghorn;

    # Where nginx puts bodies unless told otherwise is not there on a host without an installed one.
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;

    server {
        listen ${PRONGHORN_ADDRESS}:${PRONGHORN_PORT} quic reuseport;
        listen ${PRONGHORN_ADDRESS}:${PRONGHORN_PORT} ssl;
        http2 on;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_prefer_server_ciphers off;
        ssl_certificate "${PRONGHORN_CERTIFICATE}";
        ssl_certificate_key "${PRONGHORN_KEY}";
        root "${PRONGHORN_ROOT}";
BY_LOOKUP    }
}
"""

_TUNED_HTTP = """\
    # A stream of HTTP/3 has at most this much on the way: the default, 64k, is 5 Mbit/s at an RTT of 100 ms.
    http3_stream_buffer_size 8m;
    # Hands the kernel many datagrams at once, at a fraction of the CPU time that each takes alone.
    quic_gso on;
"""

_PATIENT_HTTP = """\
    # A response that could not go on for this long is given up, over HTTP/2 by a reset; the default is 60s.
    send_timeout 15m;
"""

_TLS_LISTEN = "        listen ${PRONGHORN_ADDRESS}:${PRONGHORN_PORT} ssl;\n"
_CLEAR_LISTEN = "        listen ${PRONGHORN_ADDRESS}:${PRONGHORN_CLEAR_PORT}; # The arm goes without TLS.\n"

_EARLY_DATA = "        # The arm asks for 0-RTT.\n        ssl_early_data on;\n"

_WORKERS = "# As Debian ships them.\nworker_processes auto;\nworker_cpu_affinity auto;\n"
_TUNED_WORKERS = """\
# With several, datagrams of a client whose address changes may reach a worker that does not know it.
# The cure for many clients is quic_bpf, which needs privileges; here one worker serves the one client.
worker_processes 1;
# Each stream of HTTP/3 takes one of worker_connections as well; the 768 of Debian are some 130 clients.
worker_rlimit_nofile 16384;
"""
_UNITS = {"": 1, "k": 1024, "m": 1024 * 1024}
_LISTEN = "quic reuseport;"
_TUNED_LISTEN = (
    """quic reuseport rcvbuf=8m sndbuf=8m; # bursts wait in the kernel, as far as its limits let them"""
)


def shipped(*, early_data: bool = False, clear: bool = False) -> str:
    """What every origin needs, and for the rest nginx as Debian ships it. `early_data`: whether it takes
    0-RTT data; `clear`: whether it listens without TLS as well."""
    types = "\n        ".join(f'"{kind}" {" ".join(endings)};' for kind, endings in MEDIA_TYPES.items())
    text = _CONFIGURATION.replace("TYPES", types).replace("OTHER", OTHER).replace("FORMAT", LOG_FORMAT)
    text = text.replace("BY_LOOKUP", nginx_lookup.SERVER).replace("LOOKUP\n", nginx_lookup.HTTP)
    if clear:
        text = text.replace(_TLS_LISTEN, _TLS_LISTEN + _CLEAR_LISTEN)
    return _before(text, "        root ", _EARLY_DATA) if early_data else text


def tuned(*, early_data: bool = False, clear: bool = False) -> str:
    """As `shipped`, with what HTTP/3 needs on fast or long paths, each with its reason beside it."""
    text = shipped(early_data=early_data, clear=clear)
    text = text.replace(_WORKERS, _TUNED_WORKERS).replace(_LISTEN, _TUNED_LISTEN)
    text = text.replace("worker_connections 768;", "worker_connections 16384;")
    return _before(text, "\n    server {", "\n" + _TUNED_HTTP)


def patient(*, early_data: bool = False, clear: bool = False) -> str:
    """As `shipped`, but waits a quarter of an hour for a slow client, not a minute."""
    text = shipped(early_data=early_data, clear=clear)
    return _before(text, "\n    server {", "\n" + _PATIENT_HTTP)


def stream_buffer_bytes(text: str) -> int:
    """What a configuration lets a response of HTTP/3 have on the way (http3_stream_buffer_size): the least
    where it says several, 64 KiB where it says none."""
    said = re.findall(r"^[^#\n]*?http3_stream_buffer_size\s+(\d+)([kKmM]?)\s*;", text, re.MULTILINE)
    return min((int(number) * _UNITS[unit.lower()] for number, unit in said), default=64 * 1024)


def header_lines(headers: Mapping[str, str], documents: Mapping[str, str] = MappingProxyType({})) -> str:
    """Headers as directives for a block `http`, `server` or `location`; `always`: on errors as well. With
    other ones of the same names for HTML `documents`, for a block `http` alone. InputError for what nginx
    can't write."""
    lines = []
    for number, (name, value) in enumerate(headers.items()):
        of_documents = documents.get(name, value)
        for one in (value, of_documents):
            if "$" in one:
                raise InputError(f"header {name}: nginx can't send '{one}': it takes '$' for a variable.")
        if of_documents == value:
            lines.append(f'add_header {name} "{_quoted(value)}" always;')
            continue
        either = f'default "{_quoted(value)}"; ~^text/html "{_quoted(of_documents)}";'
        lines.append(f"map $sent_http_content_type $header_{number} {{ {either} }}")
        lines.append(f"add_header {name} $header_{number} always;")
    return "\n    ".join(lines)


def says(text: str, directive: str) -> bool:
    """Whether a configuration has a directive, outside its comments."""
    return re.search(rf"^[^#\n]*?(?:^|[\s;{{]){directive}\s", text, re.MULTILINE) is not None


def _quoted(value: str) -> str:
    """What stands between the quotes of a parameter that means `value`."""
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _before(text: str, place: str, more: str) -> str:
    at = text.index(place)
    return text[:at] + more + text[at:]
