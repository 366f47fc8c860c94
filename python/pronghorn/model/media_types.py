"""The media types by which every origin serves a site's files, so that no server's own table makes a
difference.

Documents, style sheets and scripts go without a charset: one in the header would overrule what the page
itself says of its encoding (HTML, "determining the character encoding")."""

from collections.abc import Mapping
from types import MappingProxyType

MEDIA_TYPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "text/html": ("html", "htm"),
        "text/css": ("css",),
        "text/javascript": ("js", "mjs"),
        "application/json": ("json",),
        "image/svg+xml": ("svg",),
        "image/png": ("png",),
        "image/jpeg": ("jpg", "jpeg"),
        "image/gif": ("gif",),
        "image/webp": ("webp",),
        "image/avif": ("avif",),
        "image/vnd.microsoft.icon": ("ico",),
        "font/woff": ("woff",),
        "font/woff2": ("woff2",),
        "font/ttf": ("ttf",),
        "font/otf": ("otf",),
        "text/plain; charset=utf-8": ("txt",),
        "application/xml": ("xml",),
        "application/pdf": ("pdf",),
        "video/mp4": ("mp4",),
        "application/wasm": ("wasm",),
    }
)
"""Each media type (IANA's registry), with the endings of the files that have it; the built-in origin has the
same in `crates/origin/src/media_type.rs`."""

OTHER = "application/octet-stream"
"""What any other file is."""
