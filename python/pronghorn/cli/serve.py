"""`pronghorn serve`: a site or an application over HTTP/1.1, 2 and 3."""

import asyncio
import shlex
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

import typer

from pronghorn import serving
from pronghorn.cli.words import Command
from pronghorn.errors import InputError
from pronghorn.host.temporary_folders import work_folder

COMMAND_CLASS = Command


def serve(
    site: Annotated[
        str | None, typer.Argument(metavar="FOLDER|SITE", help="A folder, or the name of a generated site.")
    ] = None,
    proxy: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Hand requests on to this application: http://HOST:PORT."),
    ] = None,
    address: Annotated[
        str, typer.Option(metavar="IP", help="Listen on this address; 0.0.0.0 is all of IPv4.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Port of TCP and UDP; 0: any free one.")
    ] = serving.PORT,
    certificate: Annotated[
        Path | None, typer.Option("--cert", metavar="FILE", help="Certificate chain in PEM, leaf first.")
    ] = None,
    key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key in PEM, PKCS#8.")] = None,
    early_data: Annotated[
        bool, typer.Option("--0rtt", help="Allow 0-RTT; unsafe methods in it get 425.")
    ] = False,
    limit: Annotated[
        float,
        typer.Option(
            metavar="S", min=0.001, max=86400, help="Seconds an application may be silent before 504."
        ),
    ] = 60.0,
) -> None:
    """Serve a folder, a site or an application over h1, h2 and h3 on one port, until Ctrl-C.

    Without --cert a certificate is made, which 'pronghorn browse' trusts."""
    if (site is None) == (proxy is None):
        raise InputError(
            "serve: name what to serve, a folder or a site, or an application with --proxy, and not both.",
            hint="pronghorn serve public; or: pronghorn serve --proxy http://127.0.0.1:8000",
        )
    settings = serving.Settings(
        site, proxy, _address(address), port, _identity(certificate, key), early_data, limit
    )
    with work_folder() as folder:
        if not asyncio.run(serving.serve(settings, folder, _tell)):
            print(
                f"pronghorn: requests or connections were cut off: they took over {serving.GRACE_S:g} s.",
                file=sys.stderr,
            )


def _tell(served: serving.Served) -> None:
    print(f"{served.what}: {served.url} over h1, h2 and h3")
    print(f"Open it: pronghorn browse {served.url} --trust {shlex.quote(str(served.certificate))}")
    print("End it: Ctrl-C", flush=True)


def _address(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise InputError(
            f"--address: {text!r} is no IP address.", hint="Write 127.0.0.1, 0.0.0.0 or ::1."
        ) from None


def _identity(certificate: Path | None, key: Path | None) -> serving.Identity | None:
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise InputError("--cert and --key belong together.", hint="Name both files, or neither.")
    for name, file in (("--cert", certificate), ("--key", key)):
        if not file.is_file():
            raise InputError(f"{name}: {file}: there is no such file.")
    return serving.Identity(certificate, key)
