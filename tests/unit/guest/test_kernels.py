"""Which kernels of guests are there, and what is said where one isn't."""

import json
import platform
import shutil
from pathlib import Path

import pytest

from pronghorn.errors import HostError, InputError
from pronghorn.guest import build, engines, kernels, program
from pronghorn.model.experiment import Experiment

from ..model.experiments import REST, parse


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kernels.OVERRIDE, str(tmp_path))
    monkeypatch.setattr(platform, "machine", lambda: kernels.MACHINE)


def experiment(keys: str = "") -> Experiment:
    return parse(keys + REST)


def put(version: str, *, record: str | None = None, random: bool = True) -> Path:
    """A kernel as a build leaves it."""
    folder = kernels.place(version)
    folder.mkdir(parents=True)
    (folder / kernels.PROGRAM).write_text(f"#!/bin/sh\n# {version}\n")
    (folder / kernels.PROGRAM).chmod(0o755)
    if random:
        (folder / kernels.RANDOM).touch()
    told = json.dumps({"release": f"{version}.1"}) if record is None else record
    (folder / kernels.RECORD).write_text(told)
    return folder


def test_the_newest_by_number_is_used_unless_another_is_asked_for() -> None:
    for version in ("6.12", "6.9", "10.1"):
        put(version)
    put("mine", random=False)
    assert [kernel.version for kernel in kernels.built()] == ["10.1", "6.12", "6.9", "mine"]
    assert kernels.need().release == "10.1.1"
    assert kernels.need("6.9").version == "6.9"
    assert kernels.need("mine").random is None


def test_where_none_is_built_the_command_that_builds_it_is_told() -> None:
    with pytest.raises(HostError) as first:
        kernels.need()
    assert first.value.hint is not None
    assert "pronghorn guest" in first.value.hint
    put("7.2")
    with pytest.raises(HostError) as other:
        kernels.need("6.12")
    assert str(other.value.hint).endswith("pronghorn guest 6.12")
    with pytest.raises(InputError, match=r"unknown kernel 'mien'.*7\.2"):
        kernels.need("mien")


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"release": ', "\0"])
def test_what_is_no_whole_kernel_is_none(record: str) -> None:
    put("6.12", record=record)
    assert kernels.built() == []


def test_a_kernel_without_its_program_is_none() -> None:
    (put("6.12") / kernels.PROGRAM).unlink()
    assert kernels.found("6.12") is None


def test_another_machine_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    put("6.12")
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(HostError, match="aarch64"):
        kernels.need()


def test_real_time_needs_no_kernel() -> None:
    assert {kernel: of.virtual for kernel, of in engines(experiment()).items()} == {"": False}
    with pytest.raises(HostError):
        engines(experiment('clock = "virtual"\n'))


def test_each_kernel_of_an_experiment_has_its_engines() -> None:
    put("6.12")
    put("7.2")
    both = engines(experiment('clock = "both"\nkernels = ["6.12", "7.2"]\n'))
    assert {kernel: of.noted().get("release") for kernel, of in both.items()} == {
        "host": None,
        "6.12": "6.12.1",
        "7.2": "7.2.1",
    }
    newest = engines(experiment('clock = "both"\n'))
    assert {kernel: of.noted().get("release") for kernel, of in newest.items()} == {
        "host": None,
        "guest": "7.2.1",
    }
    (chosen,) = engines(experiment('clock = "virtual"\nkernels = ["6.12"]\n')).values()
    assert chosen.noted()["release"] == "6.12.1"
    with pytest.raises(HostError, match="needs the kernel 5") as missing:
        engines(experiment('clock = "virtual"\nkernels = ["5.4"]\n'))
    assert "pronghorn guest 5.4 --source linux-5.4.tar.xz" in str(missing.value.hint)
    shutil.copytree(kernels.place("7.2"), kernels.place("same"))
    with pytest.raises(InputError, match="are one program"):
        engines(experiment('clock = "virtual"\nkernels = ["7.2", "same"]\n'))


def test_a_version_that_debian_lacks_names_the_way_round() -> None:
    with pytest.raises(InputError) as refused:
        build.build("5.4")
    assert "--source linux-5.4.tar.xz" in str(refused.value.hint)


def test_only_a_kernel_with_a_virtual_clock_that_starts_is_adopted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="no program"):
        build.adopt(tmp_path / "nothing", "mine")
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho some program\n")
    other.chmod(0o755)
    with pytest.raises(InputError, match="virtual clock"):
        build.adopt(other, "mine")
    own = tmp_path / "own"
    own.write_text("#!/bin/sh\n[ $1 = --version ] && echo 6.6.1 || echo time-travel=inf-cpu\n")
    own.chmod(0o755)
    with pytest.raises(HostError, match="Linux mine doesn't start on this machine"):
        build.adopt(own, "mine")
    monkeypatch.setattr(program, "output", lambda *_, **__: "")
    assert build.adopt(own, "mine").release == "6.6.1"
    assert kernels.need("mine").program.read_text() == own.read_text()
    assert {path.name for path in tmp_path.iterdir()} == {"other", "own", kernels.place("mine").name}


def test_a_kernel_of_an_earlier_configuration_is_used_and_built_again_where_it_is_asked_for() -> None:
    put("7.2", record=json.dumps({"release": "7.2.1", kernels.CONFIGURATION: "earlier"}))
    put("6.12", record=json.dumps({"release": "6.12.1", kernels.CONFIGURATION: kernels.configuration()}))
    assert kernels.need().version == "7.2"
    assert [kernel.is_current for kernel in kernels.built()] == [False, True]
