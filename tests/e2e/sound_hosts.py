"""Servers as a careful person configures them: `pronghorn check` finds nothing there."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.check import Settings, Target
from pronghorn.origins import programs

from . import echo_application, loopback_origin, made_certificates, name_server
from .checked_hosts import PAGE, Host, Running, filled, program, running
from .ports import free_port

CADDY = """\
{
    admin off
    persist_config off
    skip_install_trust
}
https://HOST:PORT {
    bind 127.0.0.1
    tls CHAIN KEY
    handle /echo {
        reverse_proxy 127.0.0.1:APPLICATION CARE_CADDY
    }
    handle {
        root * ROOT
        file_server
    }
}
"""

HAPROXY = """\
global
    limited-quic
defaults
    mode http
    timeout client 30s
    timeout server 30s
    timeout connect 5s
    option forwardfor
frontend web
    bind 127.0.0.1:PORT ssl crt CHAIN alpn h2,http/1.1
    bind quic4@127.0.0.1:PORT ssl crt CHAIN alpn h3
    http-after-response set-header alt-svc 'h3=":PORT"; ma=86400'
    CARE_HAPROXY
    use_backend echo if { path /echo }
    http-request return status 200 content-type text/html file ROOT/index.html unless { path /echo }
backend echo
    server application 127.0.0.1:APPLICATION
"""

CARE = {
    "CARE_CADDY": "{\n header_up -Forwarded\n header_up X-Real-IP {remote_host}\n }",
    "CARE_HAPROXY": "http-request del-header x-forwarded-for\n http-request del-header forwarded\n"
    " http-request set-header x-real-ip %[src]\n http-request set-header x-forwarded-proto https",
}
"""What careful people add to the defaults."""

_FORWARDS = """
    proxy_set_header Host $host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
"""
"""What nginx must be told at least, so that an application knows its visitors."""

NAMES = ("nginx", "caddy", "haproxy", "builtin")


@asynccontextmanager
async def sound(name: str, folder: Path, *, careful: bool = True) -> AsyncIterator[Running]:
    """The server, with an echo endpoint but for the built-in origin; as it is by default if nobody was
    careful."""
    if name == "nginx":
        host = Host() if careful else Host(forwards=_FORWARDS, early_data="off")
        async with running(host, folder) as one:
            yield one
        return
    port = free_port()
    identity = made_certificates.make("sound", folder / "identity")
    root = folder / "root"
    root.mkdir()
    (root / "index.html").write_text(PAGE, encoding="utf-8")
    with ExitStack() as stack:
        if name == "builtin":
            files = Certificates(identity.authority, identity.chain, identity.key)
            port = stack.enter_context(loopback_origin.serving(root, files)).port
        else:
            application = stack.enter_context(echo_application.answering())
            text = CADDY if name == "caddy" else HAPROXY
            places = {"HOST": HOST_NAME, "PORT": port, "APPLICATION": application, "ROOT": root}
            care = CARE if careful else dict.fromkeys(CARE, "")
            for word, more in care.items():
                text = text.replace(word, more)
            text = filled(text, identity, **places)
            file = folder / name
            file.write_text(text, encoding="utf-8")
            argv = (
                ["run", "--config", str(file), "--adapter", "caddyfile"]
                if name == "caddy"
                else ["-db", "-f", str(file)]
            )
            if name == "haproxy":
                (folder / "identity" / f"{identity.chain.name}.key").write_bytes(identity.key.read_bytes())
            stack.enter_context(program([*programs.find(name).argv, *argv], folder, port))
        records = {(HOST_NAME, "A"): ["127.0.0.1"]}
        if name == "builtin":  # its Alt-Svc is the arm's matter
            records[f"_{port}._https.{HOST_NAME}", "HTTPS"] = [f'1 {HOST_NAME}. alpn="h3,h2"']
        async with name_server.answering(records) as resolver:
            echo = None if name == "builtin" else "/echo"
            settings = Settings(authorities=identity.authority, resolver=resolver, echo=echo)
            yield Running(Target(HOST_NAME, port, "/"), settings)
