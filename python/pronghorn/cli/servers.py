"""`pronghorn servers`: the foreign servers of this host, and the fetching of those that it lacks."""

from collections.abc import Sequence
from typing import Annotated

import typer

from pronghorn import servers as roots
from pronghorn.errors import HostError, InputError, unknown
from pronghorn.model import origin_name
from pronghorn.model.origin_name import OriginName
from pronghorn.origins import programs
from pronghorn.origins.programs import Program

_NGINX = OriginName("nginx")
"""What serves the files behind every HAProxy."""


def servers(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SERVER[@VERSION]…",
            help="nginx@1.26, haproxy@3.0 and so on; without any, the newest of each.",
            show_default=False,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Fetch nothing; exit with status 3 if a server is missing.")
    ] = False,
    anew: Annotated[
        bool, typer.Option("--anew", help="Fetch again what Debian has now, also where servers are here.")
    ] = False,
) -> None:
    """Say which servers with HTTP/3 are here; fetch Debian's into the user's cache where one is missing."""
    asked = [_asked(name) for name in names] if names else [OriginName(name) for name in programs.WANTED]
    if _NGINX not in asked and any(each.server == "haproxy" for each in asked):
        asked.append(_NGINX)
    if anew and not check:
        _fetch_anew(asked)
    elif not check:
        _fetch([each for each in asked if _lacks(each)])
    for each in asked:
        programs.find(each.server, each.version)
    for name in programs.WANTED:
        _tell(name)


def _asked(name: str) -> OriginName:
    """A server's name with or without a version; InputError where it is none."""
    try:
        asked = origin_name.parts(name)
    except ValueError as error:
        raise InputError(f"{name!r}: {error}.") from None
    if asked.server not in programs.WANTED or asked.rest is not None:
        versions = [f"{each}@{version}" for each in programs.WANTED for version in programs.known(each)]
        raise InputError(unknown("server", name, [*programs.WANTED, *versions]))
    return asked


def _lacks(asked: OriginName) -> bool:
    try:
        programs.find(asked.server, asked.version)
    except HostError:
        return True
    return False


def _suites(asked: Sequence[OriginName]) -> list[str]:
    """The suites that have what is asked, as far as one is known."""
    found: dict[str, None] = {}
    for each in asked:
        if each.server in roots.VERSIONS:
            branch = roots.branch_of(each.server, each.version or programs.WANTED[each.server].newest)
            if branch is not None:
                found[roots.VERSIONS[each.server][branch]] = None
    return list(found)


def _fetch(asked: Sequence[OriginName]) -> None:
    for suite in _suites(asked):
        roots.make(suite)


def _fetch_anew(asked: Sequence[OriginName]) -> None:
    for suite in _suites(asked):
        roots.forget(suite)
        roots.make(suite)


def _tell(name: str) -> None:
    """What is here of a server: for each version the name, the program's version, and where it is; then what
    could be fetched."""
    told: dict[str, Program] = {}
    for program in programs.here(name):
        told.setdefault(program.branch, program)
    for branch in programs.known(name):
        if branch in told:
            print(f"{name}@{branch}  {told[branch].version}  {told[branch].where}")
        else:
            print(f"{name}@{branch}  not here; to fetch it: {programs.mend(name, branch)}")
