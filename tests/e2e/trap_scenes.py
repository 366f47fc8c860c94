"""Servers with a planted trap behind an emulated path, and `pronghorn why` beside the client."""

import asyncio
import json
import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn.certificates import Certificates
from pronghorn.engine import locate
from pronghorn.origins import programs

from . import links, pages
from .benches import Bench, bench
from .pages import Named
from .programme import COMMAND, PACKAGES

ALT_SVC = {"alt-svc": 'h3=":443"; ma=86400'}
_PATIENCE_S = 150.0
_NOTHING = 4
_TURNS, _CALM_S = 5, 2.0

WIDE = {"down": links.link(30, rate_mbit=50, queue_bytes=500_000), "up": links.link(30)}
"""50 Mbit/s and a round trip of 60 ms, with room for a bandwidth-delay product and more."""

LARGE = [Named("large", "image", 3_000_000)]

NGINX = """\
daemon off;
user root;
error_log stderr warn;
pid {folder}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    types {{ text/html html; image/png png; text/css css; }}
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {http}
    server {{
        {listen}
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        root {root};
        {server}
    }}
}}
"""
BOTH = "listen 443 quic reuseport; listen 443 ssl; http2 on;"
OFFERS = """add_header Alt-Svc 'h3=":443"; ma=86400' always;"""


class Answer(NamedTuple):
    """What the program answered: its status, its JSON, and what it said on the way."""

    status: int
    told: Mapping[str, Any]
    said: str

    @property
    def traps(self) -> list[str]:
        """The names of the traps that it found, in its order."""
        return [one["trap"] for one in self.told.get("findings", ())]

    @property
    def is_spoilt(self) -> bool:
        """Whether a busy machine spoilt visits of it."""
        return self.status == _NOTHING or bool(self.told["spoilt_visits"])

    @property
    def is_lost(self) -> bool:
        """Whether a busy machine spoilt all visits over a protocol, and that is what it says."""
        lacks = self.told.get("lacks", ())
        return any("this machine was too busy" in one for one in lacks)

    @property
    def beside(self) -> list[str]:
        """The names of what it tells beside them."""
        return [one["trap"] for one in self.told["beside"]]


class Scene:
    """An open bench, on whose server's host a test starts what it likes."""

    def __init__(
        self,
        one: Bench,
        folder: Path,
        identity: Certificates,
        server: str,
        expects: Callable[[Answer], bool],
        turns: int = _TURNS,
    ) -> None:
        self._expects = expects
        self._turns = turns
        self.bench = one
        self.folder = folder
        self.identity = identity
        self.server = server
        self.root = folder / "site"

    def page(self, named: Sequence[Named] = LARGE) -> None:
        """Writes the site."""
        pages.write(self.root, list(named))

    async def builtin(self, headers: Mapping[str, str] = ALT_SVC, **options: Any) -> None:
        """Starts the built-in origin at port 443."""
        await self.bench.serve(self.root, self.identity, headers=dict(headers), **options)

    async def nginx(
        self, *, listen: str = BOTH, http: str = "", server: str = OFFERS, port: int = 443
    ) -> None:
        """Starts the newest nginx with these directives."""
        own = self.folder / f"nginx-{port}"
        own.mkdir()
        text = NGINX.format(
            folder=own, listen=listen, http=http, server=server, root=self.root,
            certificate=self.identity.chain, key=self.identity.key,
        )  # fmt: skip
        (own / "nginx.conf").write_text(text, encoding="utf-8")
        argv = [*programs.find("nginx").argv, "-e", "stderr", "-p", str(own), "-c", str(own / "nginx.conf")]
        await self.start(argv, port, udp="quic" in listen, tcp="ssl" in listen)

    async def caddy(self, port: int = 443, more: str = "") -> None:
        """Starts Caddy."""
        own = self.folder / f"caddy-{port}"
        own.mkdir()
        text = (
            f"{{\n\tadmin off\n\tauto_https off\n\tpersist_config off\n\tocsp_stapling off\n"
            f'\tstorage file_system "{own}/storage"\n}}\n'
            f'https://:{port} {{\n\ttls "{self.identity.chain}" "{self.identity.key}"\n'
            f'\troot * "{self.root}"\n\tfile_server\n\t{more}\n}}\n'
        )
        (own / "Caddyfile").write_text(text, encoding="utf-8")
        argv = [
            *programs.find("caddy").argv,
            "run",
            "--config",
            str(own / "Caddyfile"),
            "--adapter",
            "caddyfile",
        ]
        await self.start(argv, port, udp=True, tcp=True, env={"HOME": str(own)})

    async def start(
        self, argv: Sequence[str], port: int, *, udp: bool, tcp: bool, env: Mapping[str, str] | None = None
    ) -> None:
        """Starts a program on the server's host, and waits until it listens."""
        said = self.folder / f"server-{port}.err"
        ok = await self.bench.engine.request(
            "spawn", host="server", argv=list(argv), env=dict(env or {}),
            stdout=str(said.with_suffix(".out")), stderr=str(said),
        )  # fmt: skip
        found = await self.bench.engine.request(
            "listening", host="server", port=port, tcp=tcp, udp=udp, process=ok["process"], timeout_s=30
        )
        assert found["listening"], said.read_text()

    async def why(self, *words: str, hosts: str | None = None) -> Answer:
        """Runs `pronghorn why` on the client's host; `hosts` are further lines of its /etc/hosts. An answer
        that is not the expected one, of visits of which a busy machine spoilt some, is asked for again."""
        for turn in range(self._turns):
            answer = await self._why(turn, *words, hosts=hosts)
            if self._expects(answer) or not answer.is_spoilt:
                break
            if turn + 1 < self._turns:
                await asyncio.sleep(_CALM_S * (turn + 1))
        return answer

    async def _why(self, turn: int, *words: str, hosts: str | None) -> Answer:
        out, said = self.folder / f"why-{turn}.json", self.folder / f"why-{turn}.err"
        argv = [*COMMAND, "why", *words, "--json"]
        if words[0].startswith("https:"):
            argv += ["--authority", str(self.identity.authority)]
        if hosts is not None:
            file = self.folder / "hosts"
            file.write_text(f"127.0.0.1 localhost\n{hosts}\n", encoding="utf-8")
            shell = f"mount --bind {shlex.quote(str(file))} /etc/hosts && exec {shlex.join(argv)}"
            argv = ["unshare", "--mount", "sh", "-c", shell]
        env = {"PYTHONPATH": str(PACKAGES), "PRONGHORN_ENGINE": str(locate())}
        ok = await self.bench.engine.request(
            "spawn", host="client", argv=argv, env=env, stdout=str(out), stderr=str(said)
        )
        ended = await self.bench.engine.request(
            "wait", process=ok["process"], timeout_s=_PATIENCE_S, patience_s=_PATIENCE_S + 10
        )
        text = said.read_text(encoding="utf-8")
        assert ended["status"] in (0, 1, _NOTHING), text
        content = out.read_text(encoding="utf-8")
        return Answer(ended["status"], json.loads(content) if content else {}, text)

    @property
    def url(self) -> str:
        """The site's address."""
        return f"https://{self.server}/"


Play = Callable[[Scene], Awaitable[Answer]]


def play(
    work: Play,
    folder: Path,
    path: links.Path,
    identity: Certificates,
    control: str = "cubic",
    capture: Path | None = None,
    tcp: Mapping[str, Any] | None = None,
    expects: Callable[[Answer], bool] = lambda _: True,
    turns: int = _TURNS,
) -> Answer:
    """Opens a bench with this path, and does `work` on it, which is to come to what it `expects`; closes it
    if it leaves a capture."""

    async def played() -> Answer:
        (folder / "bench").mkdir()
        async with bench(folder / "bench") as one:
            _, server = await one.open(path, congestion_control=control, capture=capture, tcp=tcp)
            answer = await work(Scene(one, folder, identity, server, expects, turns))
            if capture is not None:
                await one.close()
            return answer

    return asyncio.run(played())
