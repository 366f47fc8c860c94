"""`pronghorn record`: pages, loaded by Chromium, as site archives."""

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from pronghorn.cli.archived import told
from pronghorn.cli.results import writing_results
from pronghorn.cli.words import Command
from pronghorn.errors import InputError
from pronghorn.model.browser import MOST_PIXELS

COMMAND_CLASS = Command

_VIEWPORT = re.compile(r"(\d{1,5})x(\d{1,5})")
_RESOLVE = re.compile(
    r"(?P<host>[A-Za-z0-9_.*-]+)(?::(?P<port>\d{1,5}))?=(?P<to>[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:]+\])(?::(?P<to_port>\d{1,5}))?"
)
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")


def record(
    urls: Annotated[list[str], typer.Argument(metavar="URL…", help="The addresses of pages.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="The folder to create; with several pages one folder each in it.",
        ),
    ],
    viewport: Annotated[
        str, typer.Option(metavar="WxH", help="The window's size in CSS pixels.")
    ] = "1366x768",
    device: Annotated[
        str | None, typer.Option(metavar="NAME", help="A device of Playwright's, such as 'Pixel 7'.")
    ] = None,
    limit: Annotated[
        float, typer.Option(metavar="S", min=1, max=3600, help="Seconds until the load event, at most.")
    ] = 60.0,
    no_scroll: Annotated[bool, typer.Option("--no-scroll", help="Don't scroll to the page's end.")] = False,
    keep_secrets: Annotated[
        bool, typer.Option("--keep-secrets", help="Keep cookies, credentials and tokens as they are.")
    ] = False,
    resolve: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST=ADDRESS",
            help="Where a host is, also as HOST:PORT=ADDRESS:PORT. Others then don't exist.",
        ),
    ] = None,
    trust: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Certificates in PEM that servers may show.")
    ] = None,
) -> None:
    """Load pages with Chromium and keep all that they loaded, of every host, as site archives.

    Cookies, credentials and tokens are replaced by stand-ins of the same length. What is left out is
    printed, and stands in the archive's site.toml."""
    from pronghorn import recording

    width, height = _sides(viewport)
    settings = recording.Settings(
        width=width,
        height=height,
        device=device,
        limit_s=limit,
        scroll=not no_scroll,
        resolve=tuple(_mapping(one) for one in resolve or ()),
        trust=trust,
    )
    for number, url in enumerate(urls, 1):
        target = out if len(urls) == 1 else out / f"{number}-{_name(url)}"
        print(f"{url}: recording", file=sys.stderr)
        made = recording.record(url, target, settings, keep_secrets=keep_secrets)
        with writing_results():
            told(made)


def _sides(viewport: str) -> tuple[int, int]:
    found = _VIEWPORT.fullmatch(viewport)
    width, height = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (1 <= width <= MOST_PIXELS and 1 <= height <= MOST_PIXELS):
        raise InputError(
            f"--viewport: {viewport!r} is no size in CSS pixels, each from 1 to {MOST_PIXELS}.",
            hint="Write WIDTHxHEIGHT: --viewport 1366x768",
        )
    return width, height


def _mapping(text: str) -> tuple[str, str]:
    found = _RESOLVE.fullmatch(text)
    if found is None:
        raise InputError(
            f"--resolve: {text!r} maps no host to an address.",
            hint="Write HOST=ADDRESS or HOST:PORT=ADDRESS:PORT: --resolve shop.example=10.0.0.1",
        )
    host, port, to, to_port = found["host"], found["port"], found["to"], found["to_port"]
    return f"{host}:{port}" if port else host, f"{to}:{to_port}" if to_port else to


def _name(url: str) -> str:
    """A folder's name for a page."""
    return _UNSAFE.sub("-", url.partition("://")[2].partition("?")[0]).strip("-.")[:80] or "page"
