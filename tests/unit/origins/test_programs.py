"""A server's program is the one that was named, else the first that has HTTP/3; never one that hasn't."""

import platform
from pathlib import Path

import pytest

from pronghorn import servers
from pronghorn.errors import HostError
from pronghorn.origins import programs

from .made_programs import GOOD, program


def rooted(said: str) -> Path:
    """A root of servers whose loader is a shell script that says so."""
    root = servers.root()
    loader = root / "usr/lib" / f"{platform.machine()}-linux-gnu" / "ld-linux.so.2"
    program(loader, said)
    (root / servers.RECORD).write_text('{"packages": {"nginx": "1", "haproxy": "1"}}')
    return loader


def test_the_systems_counts_first_where_it_is_good_enough(path: Path) -> None:
    rooted(GOOD)
    system = program(path / "nginx", GOOD)
    found = programs.find("nginx")
    assert (found.argv, found.version, found.where) == ((str(system),), "1.26.3", str(system))
    assert found.at_least(1, 26)
    assert not found.at_least(1, 27, 5)


def test_a_program_found_from_where_we_stand_is_told_whole(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = program(path / "nginx", GOOD)
    monkeypatch.chdir(path.parent)
    monkeypatch.setenv("PATH", "bin")
    assert programs.find("nginx").argv == (str(system),)
    monkeypatch.setenv("PRONGHORN_NGINX", "bin/nginx")
    assert programs.find("nginx").argv == (str(system),)


@pytest.mark.parametrize(
    "said", ["nginx version: nginx/1.22.1 --with-http_v3_module", GOOD.replace("v3", "v2")]
)
def test_a_system_that_is_too_old_or_lacks_http3_gives_way_to_the_root_of_servers(
    path: Path, said: str
) -> None:
    program(path / "nginx", said)
    loader = rooted(GOOD)
    assert programs.find("nginx").argv == (
        str(loader),
        "--library-path",
        str(loader.parent),
        str(servers.root() / "usr/sbin/nginx"),
    )


def test_without_any_the_reasons_and_the_mend_are_told(path: Path) -> None:
    program(path / "nginx", "nginx version: nginx/1.22.1")
    with pytest.raises(HostError) as refused:
        programs.find("nginx")
    assert "is 1.22.1, older than 1.26" in refused.value.message
    assert refused.value.hint is not None
    assert "pronghorn servers" in refused.value.hint


def test_a_program_that_was_named_is_taken_or_refused_and_no_other_tried(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(path / "nginx", GOOD)
    named = program(tmp_path / "mine", GOOD.replace("1.26.3", "1.29.1"))
    monkeypatch.setenv("PRONGHORN_NGINX", str(named))
    assert programs.find("nginx").version == "1.29.1"
    monkeypatch.setenv("PRONGHORN_NGINX", str(tmp_path / "none"))
    with pytest.raises(HostError, match="can't be run"):
        programs.find("nginx")


@pytest.mark.parametrize("record", [None, "{", "[]", '{"packages": {"nginx": "1"}}'])
def test_a_root_that_is_not_whole_does_not_count(path: Path, record: str | None) -> None:
    assert path.is_dir()
    rooted(GOOD)
    stamp = servers.root() / servers.RECORD
    if record is None:
        stamp.unlink()
    else:
        stamp.write_text(record)
    assert not servers.made()
    with pytest.raises(HostError):
        programs.find("nginx")


def test_a_root_that_can_not_be_made_leaves_nothing_behind(path: Path) -> None:
    program(path / "mmdebstrap", "E: no network").write_text("#!/bin/sh\necho 'E: no network' >&2\nexit 25\n")
    with pytest.raises(HostError, match="no network"):
        servers.make()
    assert list(servers.root().parent.iterdir()) == []
