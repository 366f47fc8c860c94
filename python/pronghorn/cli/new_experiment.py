"""The experiment that `pronghorn new` writes: the answers as TOML, with comments."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn.model import recorded_site, toml_text

_LIVE = re.compile(r"https?://", re.IGNORECASE)


class Answers(NamedTuple):
    """What is compared, each as an experiment names it. A `site` that is an address is a live server, which
    has neither paths nor an origin of ours."""

    site: str = "small"
    paths: tuple[str, ...] = ("fiber", "lte", "lte-poor")
    arms: tuple[str, ...] = ("h1", "h2", "h3")
    origin: str = "builtin"
    client: str = "native"

    @property
    def live(self) -> bool:
        """Whether a live server is measured."""
        return is_live(self.site)


def is_live(site: str) -> bool:
    """Whether a site is the address of a live server."""
    return _LIVE.match(site) is not None


def site(text: str, folder: Path) -> str:
    """A site as the experiment in `folder` has to name it: `./public` is `dir:public` from there on, and
    `archive:public` where it is a site archive."""
    archive = text.removeprefix(recorded_site.PREFIX)
    if archive != text or recorded_site.is_archive(Path(text).expanduser()):
        return f"{recorded_site.PREFIX}{os.path.relpath(Path(archive).expanduser(), folder)}"
    path = text.removeprefix("dir:")
    if text == path and not (path.startswith((".", "/", "~")) or "/" in path or Path(path).is_dir()):
        return text
    if is_live(text):
        return text
    return f"dir:{os.path.relpath(Path(path).expanduser(), folder)}"


def text(name: str, answers: Answers) -> str:
    """The file's text."""
    parts = [_HEAD, f"name = {_quoted(name)}\n"]
    if answers.live:
        parts += [_LIVE_ORIGIN, f"origins = {_list([answers.site])}\n"]
    else:
        parts += [_SITES, f"sites = {_list([answers.site])}\n"]
        parts += [_PATHS, f"paths = {_list(answers.paths)}\n"]
        parts += [_ORIGINS, f"origins = {_list([answers.origin])}\n"]
    parts += [_CLIENTS, f"clients = {_list([answers.client])}\n"]
    parts += [_ARMS, f"arms = {_list(answers.arms)}\n"]
    return "".join([*parts, _REST, "" if answers.live else _OWN_PATH])


def _list(names: Sequence[str]) -> str:
    return "[" + ", ".join(map(_quoted, names)) + "]"


def _quoted(name: str) -> str:
    return toml_text.dumps({"name": name}).removeprefix("name = ").rstrip("\n")


_HEAD = """\
# An experiment of Pronghorn. `pronghorn run` with this file's name runs it.
# Every key is in docs/experiments.md; docs/how-to has recipes.

# The name of the run and of its report.
"""

_SITES = """
# What is loaded: generated sites (tiny, small, content, spa, cms, page-15k, page-1m), archive:PATH, which
# `pronghorn record` made, or dir:PATH, a folder with an index.html. PATH is relative to this file.
"""

_LIVE_ORIGIN = """
# A live server. It is measured over the real network, without an emulated path, so the network's changes are
# part of the result. Ask its owner before you load it often.
"""

_PATHS = """
# The networks between client and server. `pronghorn path --list` lists them, docs/paths.md explains them.
"""

_ORIGINS = """
# The server: builtin, nginx, caddy, haproxy. With a version (nginx@1.26), a variant (nginx:tuned) or your
# own configuration (nginx:my-nginx.conf). Several are compared side by side. `pronghorn servers` says which
# are here.
"""

_CLIENTS = """
# What loads: native (the built-in page loader, no scripts) or chromium.
"""

_ARMS = """
# What is compared: HTTP/1.1, HTTP/2, HTTP/3. Options make further arms: h3+0rtt, h2@bbr (docs/arms.md).
# Verdicts compare with the first h2 arm; `baseline = "h1"` changes that.
"""

_REST = """
# How often: the number of blocks. In each block every arm is loaded once.
repeat = 12
# Or until each verdict stands, 60 blocks at most:
# repeat = { max = 60 }

# Ratios within 3 % of 1 count as the same.
# margin = "3%"

# A load that takes longer has failed.
# limit = "180s"

# The seed of every random draw. Without it, a run draws one and records it.
# seed = 1

# What each trial leaves: "arrivals" (what the path saw), "pcapng", "flight"; of Chromium "har", "screenshot".
# artifacts = ["arrivals"]

# In virtual time: no root, no noise. `pronghorn guest` builds its kernel once.
# clock = "virtual"
"""

_OWN_PATH = """
# A network of your own; name it in `paths` (docs/paths.md). `pronghorn path --from-tc 'netem …'` translates
# a line of tc.
# [path.mine]
# down = { rate = "10Mbit", delay = "40ms", loss = "1%", queue = "256kB" }
# up = { rate = "5Mbit", delay = "40ms", queue = "128kB" }
"""
