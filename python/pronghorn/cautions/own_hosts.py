"""Warnings of sites whose absolute addresses were made relative without being asked."""

from collections.abc import Iterator, Mapping
from typing import Any

from pronghorn.analysis.numbers import count
from pronghorn.model.caution import Caution
from pronghorn.model.site_settings import BY_KEY


def cautions(sites: Mapping[str, Any]) -> Iterator[Caution]:
    """One for each of a manifest's `sites` whose own host was found, and not said."""
    for name, notes in sites.items():
        host, relative = notes.get("host"), notes.get("made_relative", {})
        if not host or notes.get("host_by") == BY_KEY or not relative.get("addresses"):
            continue
        yield Caution(
            "own-host",
            f"Site {name}: absolute addresses of {host} ({relative['addresses']} in "
            f"{count(relative['files'], 'file')}) count as the site's own and were made relative. The "
            f"host is known from {notes['host_by']}.",
            f'To confirm it, or to name another, write host = "{host}" in the experiment.',
        )
