"""What of deploy/ no server reads: compose files, DNS records, firewalls' scripts, alerts, the dashboard."""

import json
import os
import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import deployed, zone
from .deployed import DEPLOY

pytestmark = pytest.mark.beside

MOST_LINES = 300

MADE_BY_DOCKER = ("./acme",)
"""Folders that need not be there: Docker makes them, and certbot fills them."""

RENEWED = {
    "nginx": {"tls/fullchain.pem": "fullchain\n", "tls/privkey.pem": "privkey\n"},
    "haproxy": {"example.com.pem": "fullchain\nprivkey\n"},
}
"""What certbot's hook leaves in a server's folder."""


def read(file: Path) -> dict[str, Any]:
    """A YAML file of one table."""
    found = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("server", deployed.SERVERS)
def test_a_compose_file_opens_443_for_tcp_and_udp_and_hides_the_application(server: str) -> None:
    composed = read(DEPLOY / server / "compose.yaml")
    proxy, app = composed["services"]["proxy"], composed["services"]["app"]

    # The port that visitors use is the one that Alt-Svc and X-Forwarded-Port name.
    assert set(proxy["ports"]) == {"80:80/tcp", "443:443/tcp", "443:443/udp"}
    assert "ports" not in app
    assert app["command"] == ["--port", str(deployed.APP_PORT)]
    assert proxy["image"].partition(":")[0] == server
    assert composed["networks"]["default"] == {"enable_ipv6": True}


@pytest.mark.parametrize("folder", [*deployed.SERVERS, "monitoring"])
def test_a_compose_file_mounts_whole_folders_and_named_volumes(folder: str) -> None:
    composed = read(DEPLOY / folder / "compose.yaml")
    mounts = [mount for service in composed["services"].values() for mount in service.get("volumes", ())]
    assert mounts
    for mount in mounts:
        source, place = mount.split(":")[:2]
        if source.startswith("."):
            # A single file stays the old one in the container when an editor replaces it.
            assert (DEPLOY / folder / source).is_dir() or source in MADE_BY_DOCKER, mount
            assert place.startswith("/")
        else:
            assert source in composed["volumes"], mount


@pytest.mark.parametrize("folder", [*deployed.SERVERS, "monitoring"])
def test_the_servers_files_are_mounted_where_they_look_for_one_another(folder: str) -> None:
    composed = read(DEPLOY / folder / "compose.yaml")
    (place,) = {
        mount.split(":")[1]
        for service in composed["services"].values()
        for mount in service.get("volumes", ())
        if mount.startswith(".:")
    }
    assert place == {"monitoring": "/etc/prometheus"}.get(folder, f"/etc/{folder}")
    if folder == "haproxy":
        assert composed["services"]["proxy"]["command"] == ["haproxy", "-f", f"{place}/haproxy.cfg"]


@pytest.mark.parametrize(("server", "files"), RENEWED.items())
def test_certbots_hook_copies_the_certificate_for_root_alone_and_reloads(
    server: str, files: dict[str, str], tmp_path: Path
) -> None:
    lineage, own, programs = (tmp_path / name for name in ("live", "own", "bin"))
    for folder in (lineage, own, programs, tmp_path / "archive"):
        folder.mkdir()
    for name in ("fullchain", "privkey"):
        (tmp_path / "archive" / f"{name}1.pem").write_text(f"{name}\n", encoding="ascii")
        (lineage / f"{name}.pem").symlink_to(f"../archive/{name}1.pem")
    reloads = programs / "systemctl"
    reloads.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/reloads\n', encoding="ascii")
    reloads.chmod(0o755)
    script = (DEPLOY / server / "renewed.sh").read_text(encoding="utf-8").replace(f"/etc/{server}", str(own))
    variables = {"PATH": f"{programs}:{os.environ['PATH']}", "RENEWED_LINEAGE": str(lineage)}

    for _ in range(2):
        subprocess.run(["sh", "-c", script], env=variables, check=True)

    assert (tmp_path / "reloads").read_text(encoding="ascii") == f"reload {server}\n" * 2
    for name, text in files.items():
        file = own / name
        assert not file.is_symlink()
        assert (file.read_text(encoding="ascii"), stat.S_IMODE(file.stat().st_mode)) == (text, 0o600)


def test_the_https_record_offers_h3_before_h2_and_hints_at_the_addresses_of_the_others() -> None:
    records, service = zone.records(), zone.service()

    assert (service.priority, service.target) == (1, "."), "the site itself, not an alias"
    assert service.parameters == {
        "alpn": "h3,h2",
        "ipv4hint": records["A"],
        "ipv6hint": records["AAAA"],
    }


@pytest.mark.parametrize("script", ["ufw.sh", "firewalld.sh"])
def test_a_firewalls_script_is_one_and_opens_udp(script: str) -> None:
    file = DEPLOY / "host" / script
    assert subprocess.run(["sh", "-n", file], check=False).returncode == 0
    assert re.search(
        r"^(ufw allow |firewall-cmd --permanent --add-port=)443/udp$", file.read_text(), re.MULTILINE
    )


def test_every_alert_says_what_is_wrong_and_what_to_do() -> None:
    (group,) = read(DEPLOY / "monitoring" / "alerts.yml")["groups"]
    assert len({rule["alert"] for rule in group["rules"]}) == len(group["rules"])
    for rule in group["rules"]:
        assert set(rule["annotations"]) == {"summary", "do"}
        assert set(rule) <= {"alert", "expr", "for", "annotations"}


def test_the_dashboard_asks_the_source_of_data_that_is_provided() -> None:
    provided = DEPLOY / "monitoring" / "grafana"
    (source,) = read(provided / "datasources" / "pronghorn.yaml")["datasources"]
    (provider,) = read(provided / "dashboards" / "pronghorn.yaml")["providers"]
    (mount,) = read(DEPLOY / "monitoring" / "compose.yaml")["services"]["grafana"]["volumes"][:1]
    host, container = mount.split(":")[:2]
    assert provider["options"]["path"] == f"{container}/dashboards"
    board = json.loads((DEPLOY / "monitoring" / host / "dashboards" / "gateway.json").read_text("utf-8"))

    asking = [*board["panels"], *board["templating"]["list"]]
    assert {one["datasource"]["uid"] for one in asking} == {source["uid"]}
    assert {one["datasource"]["type"] for one in asking} == {source["type"]}
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    variables = {one["name"] for one in board["templating"]["list"]}
    for panel in board["panels"]:
        assert panel["description"]
        for target in panel["targets"]:
            assert set(re.findall(r"\$(?!__)(\w+)", target["expr"])) <= variables


def test_every_file_begins_with_what_it_is() -> None:
    for file in sorted(DEPLOY.rglob("*")):
        if not file.is_file() or file.suffix == ".json":
            continue
        lines = file.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= MOST_LINES, file
        commented = [line.lstrip().startswith(("#", ";")) for line in lines]
        assert any(commented[:2]), f"{file} begins without saying what it is"
