"""A server's program is the one that was named, else the first of the version asked for that has HTTP/3;
never one that hasn't."""

import platform
from pathlib import Path

import pytest

from pronghorn import servers
from pronghorn.errors import HostError, InputError
from pronghorn.origins import programs

from .made_programs import GOOD, OLD, program


def rooted(said: str, suite: str = "forky") -> Path:
    """A suite's root of servers whose loader is a shell script that says so."""
    root = servers.root(suite)
    loader = root / "usr/lib" / f"{platform.machine()}-linux-gnu" / "ld-linux.so.2"
    program(loader, said)
    (root / servers.RECORD).write_text('{"packages": {"nginx": "1", "haproxy": "1"}}')
    return loader


def test_the_systems_counts_first_where_it_is_good_enough(path: Path) -> None:
    rooted(GOOD)
    system = program(path / "nginx", GOOD)
    found = programs.find("nginx")
    assert (found.argv, found.version, found.where) == ((str(system),), "1.30.6", str(system))
    assert found.at_least(1, 30)
    assert not found.at_least(1, 30, 7)


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
    "said", ["nginx version: nginx/1.22.1 --with-http_v3_module", GOOD.replace("v3", "v2"), OLD]
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
        str(servers.root("forky") / "usr/sbin/nginx"),
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
    named = program(tmp_path / "mine", GOOD.replace("1.30.6", "1.29.1"))
    monkeypatch.setenv("PRONGHORN_NGINX", str(named))
    assert programs.find("nginx").version == "1.29.1"
    monkeypatch.setenv("PRONGHORN_NGINX", str(tmp_path / "none"))
    with pytest.raises(HostError, match="can't be run"):
        programs.find("nginx")


@pytest.mark.parametrize("record", [None, "{", "[]", '{"packages": {"nginx": "1"}}'])
def test_a_root_that_is_not_whole_does_not_count(path: Path, record: str | None) -> None:
    assert path.is_dir()
    rooted(GOOD)
    stamp = servers.root("forky") / servers.RECORD
    if record is None:
        stamp.unlink()
    else:
        stamp.write_text(record)
    assert not servers.made("forky")
    with pytest.raises(HostError):
        programs.find("nginx")


def test_a_root_that_can_not_be_made_leaves_nothing_behind(path: Path) -> None:
    program(path / "mmdebstrap", "E: no network").write_text("#!/bin/sh\necho 'E: no network' >&2\nexit 25\n")
    with pytest.raises(HostError, match="no network"):
        servers.make("forky")
    assert list(servers.root("forky").parent.iterdir()) == []


def test_each_version_is_found_where_it_is_and_the_plain_name_is_the_newest(path: Path) -> None:
    system = program(path / "nginx", GOOD.replace("1.30.6", "1.28.1"))
    old, new = rooted(OLD, "trixie"), rooted(GOOD)
    assert [each.version for each in programs.here("nginx")] == ["1.28.1", "1.26.3", "1.30.6"]
    assert programs.known("nginx") == ["1.26", "1.28", "1.30"]
    assert programs.find("nginx").argv[0] == str(new)
    for version, argv in (("1.26", old), ("1.26.3", old), ("1.28", system), ("1.30", new)):
        assert programs.find("nginx", version).argv[0] == str(argv)


def test_a_version_that_can_be_fetched_is_told_with_the_command(path: Path) -> None:
    program(path / "nginx", GOOD)
    with pytest.raises(HostError, match=r"no nginx 1\.26 with HTTP/3 was found") as refused:
        programs.find("nginx", "1.26")
    assert refused.value.hint == "Type: pronghorn servers nginx@1.26"


def test_a_more_exact_version_is_told_with_the_branch_that_may_be_it(path: Path) -> None:
    program(path / "nginx", GOOD)
    with pytest.raises(HostError, match=r"no nginx 1\.26\.3 with HTTP/3 was found") as refused:
        programs.find("nginx", "1.26.3")
    assert refused.value.hint == "Type: pronghorn servers nginx@1.26"


def test_an_unknown_version_is_told_with_those_that_are_known(path: Path) -> None:
    program(path / "nginx", GOOD.replace("1.30.6", "1.28.1"))
    with pytest.raises(InputError) as refused:
        programs.find("nginx", "1.3")
    assert "origin 'nginx@1.3': there is no such version here" in refused.value.message
    assert refused.value.message.endswith("Known: nginx@1.26, nginx@1.28, nginx@1.30.")


def test_a_suite_that_has_moved_on_is_told_with_what_it_has_now(path: Path) -> None:
    assert path.is_dir()
    rooted(GOOD.replace("1.30.6", "1.32.0"))
    assert programs.find("nginx").version == "1.32.0"
    with pytest.raises(HostError, match=r"is 1\.32\.0") as refused:
        programs.find("nginx", "1.30")
    assert (
        refused.value.hint == "Debian testing has another by now. Known: nginx@1.26, nginx@1.30, nginx@1.32."
    )


def test_what_was_named_counts_for_its_own_version_and_no_other(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = program(path / "nginx", GOOD)
    named = program(tmp_path / "mine", OLD)
    monkeypatch.setenv("PRONGHORN_NGINX", str(named))
    assert programs.find("nginx").argv == (str(named),)
    assert programs.find("nginx", "1.26").argv == (str(named),)
    assert programs.find("nginx", "1.30").argv == (str(system),)
