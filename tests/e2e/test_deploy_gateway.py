"""The gateway's module in deploy/'s nginx, and what Prometheus and Grafana read of its status page."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from pronghorn.certificates import Certificates

from .. import peers
from . import answers, deployed
from .deployed import DEPLOY
from .deployment import PROTOCOLS, Deployment, deployment
from .gateway import policy

pytestmark = [
    pytest.mark.needs("namespaces", "nginx", "autoquic", "curl-http3"),
    pytest.mark.beside,
]

MONITORING = DEPLOY / "monitoring"
DASHBOARD = MONITORING / "grafana" / "dashboards" / "gateway.json"
MODULE = "modules/ngx_http_autoquic_module.so"
SAID = 'h3=":443"; ma=86400'
EDITS = {'h3=":443"; ma=300': SAID}
"""nginx's own Alt-Svc as its file tells to write it later: the gateway's offers begin with 300 s as well."""

ACCEPT = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"
"""As Prometheus asks."""


def with_gateway(folder: Path) -> None:
    """Adds the gateway's files to a folder in which nginx is laid out."""
    loads = folder / "modules-enabled" / "90-autoquic.conf"
    deployed.put("nginx/load-autoquic.conf", loads)
    text = deployed.replaced(loads.read_text(encoding="utf-8"), {MODULE: str(peers.autoquic())})
    loads.write_text(text, encoding="utf-8")
    deployed.put("nginx/autoquic.conf", folder / "http3.d" / "autoquic.conf")
    (folder / "autoquic.toml").write_text(policy(0.7), encoding="utf-8")


def test_every_figure_of_the_dashboard_and_the_alerts_is_on_the_status_page(
    identity: Certificates, tmp_path: Path
) -> None:
    async def asked() -> tuple[list[str], str]:
        async with deployment("nginx", tmp_path, identity, edits=EDITS, prepare=with_gateway) as one:
            said = [(await one.curl(protocol))[0].headers["alt-svc"] for protocol in ("--http1.1", "--http2")]
            return said, await scraped(one)

    said, page = asyncio.run(asked())
    assert set(said) == {SAID}, "a dry run leaves the header as it is"
    values: dict[str, list[float]] = defaultdict(list)
    labels: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for sample in (one for family in text_string_to_metric_families(page) for one in family.samples):
        values[sample.name].append(sample.value)
        labels[sample.name] |= set(sample.labels.items())
    assert values["autoquic_keys"] == [1]
    told = [*expressions()]
    assert len(told) > 20
    for expression in told:
        names = set(re.findall(r"\bautoquic_\w+", expression))
        assert names <= set(values), expression
        for name, selected in re.findall(r"(autoquic_\w+)\{([^}]*)\}", expression):
            fixed = set(re.findall(r'(\w+)="([^"]*)"', selected))
            assert fixed <= labels[name], expression


def test_without_its_dry_run_the_gateway_makes_the_offers_and_names_the_visitors_port(
    identity: Certificates, tmp_path: Path
) -> None:
    def deciding(folder: Path) -> None:
        with_gateway(folder)
        file = folder / "http3.d" / "autoquic.conf"
        text = file.read_text(encoding="utf-8")
        assert "autoquic_dry_run on;" in text
        file.write_text(text.replace("autoquic_dry_run on;", "autoquic_dry_run off;"), encoding="utf-8")

    async def asked() -> list[str]:
        async with deployment("nginx", tmp_path, identity, edits=EDITS, prepare=deciding) as one:
            return [(await one.curl(protocol))[0].headers["alt-svc"] for protocol in PROTOCOLS]

    assert set(asyncio.run(asked())) == {'h3=":443"; ma=300'}


async def scraped(one: Deployment) -> str:
    """The status page as Prometheus asks for it, at the address in its configuration."""
    (job,) = yaml.safe_load((MONITORING / "prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"]
    (target,) = (target for each in job["static_configs"] for target in each["targets"])
    out = one.folder / "scraped"
    argv = [str(peers.find("curl")), "-sSi", f"-HAccept: {ACCEPT}", f"http://{target}/metrics"]
    status, errors = await one.run(argv, out, "server")
    assert status == 0, errors
    (answer,) = answers.parse(out.read_bytes())
    assert answer.headers["content-type"].startswith("text/plain")
    return answer.body.decode()


def expressions() -> Iterator[str]:
    """What the alerts and the dashboard ask of Prometheus about the gateway."""
    groups = yaml.safe_load((MONITORING / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    yield from (rule["expr"] for group in groups for rule in group["rules"])
    board: dict[str, Any] = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    yield from (target["expr"] for panel in board["panels"] for target in panel["targets"])
