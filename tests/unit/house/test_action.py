"""The GitHub Action: what its steps do. Programs in the places of pronghorn, gh and sudo note their calls."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
ACTION = ROOT / "action.yml"
SCRIPT = ROOT / "scripts" / "action"

NOTES = """#!/bin/bash
printf '%s\\n' "$(basename "$0")" "$@" >>"$NOTED"
echo -- >>"$NOTED"
"""
PRONGHORN = (
    NOTES
    + """
case $1 in
run) mkdir -p "$4" && [ "${STATUS:-0}" != 4 ] && echo '{}' >"$4/summary.json"; exit "${STATUS:-0}" ;;
report) echo "**verdicts**" >"$4" ;;
guest) [ "${2:-}" != --check ] || exit "${BUILT:-3}" ;;
esac
"""
)
GH = (
    NOTES
    + """
[ -z "${REFUSED:-}" ] || exit 1
[ "$2" != --paginate ] || printf '%s' "${THERE:-}"
"""
)
PYTHON = NOTES + '\n[ "$1" != -c ] || echo 0123456789abcdef\n'
# As sudo's defaults have it: root's home, and nothing of the user's environment.
SUDO = NOTES + '\nexec env -i HOME=/root PATH=/usr/bin:/bin NOTED="$NOTED" "$@"\n'


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """The environment of a runner whose programs note their arguments, one a line, in NOTED."""
    programs, venv = tmp_path / "bin", tmp_path / "temp" / "pronghorn" / "bin"
    for folder in (programs, venv):
        folder.mkdir(parents=True)
    for file, text in (
        (venv / "pronghorn", PRONGHORN),
        (venv / "python", PYTHON),
        (programs / "python3", PYTHON),
        (programs / "gh", GH),
        (programs / "sudo", SUDO),
    ):
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "NOTED": str(tmp_path / "noted"),
        "HOME": str(tmp_path / "home"),
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "PRONGHORN_OUT": str(tmp_path / "temp" / "pronghorn-run"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_REPOSITORY": "somebody/site",
        "PRONGHORN_EXPERIMENT": "shop.toml",
        "PRONGHORN_CLOCK": "virtual",
        "PRONGHORN_OPTIONS": "",
        "PRONGHORN_PULL_REQUEST": "7",
    }


def step(runner: dict[str, str], name: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, name], env=runner | more, capture_output=True, text=True, check=False, timeout=60
    )


def noted(runner: dict[str, str]) -> list[list[str]]:
    """The calls that were made, each as its words."""
    text = Path(runner["NOTED"]).read_text(encoding="utf-8")
    return [call.splitlines() for call in text.split("--\n") if call]


@pytest.mark.parametrize("package", ["", "dist/pronghorn.whl"])
def test_it_installs_its_own_source_or_what_is_named(runner: dict[str, str], package: str) -> None:
    done = step(runner, "install", PRONGHORN_PACKAGE=package)
    assert done.returncode == 0, done.stderr
    venv, pip, *_ = noted(runner)
    assert venv[:3] == ["python3", "-m", "venv"]
    assert pip[1:4] == ["-m", "pip", "install"]
    assert pip[-1] == (package or str(ROOT))
    assert step(runner, "install", PRONGHORN_PACKAGE=package).returncode == 0
    outputs = Path(runner["GITHUB_OUTPUT"]).read_text(encoding="utf-8").splitlines()
    assert outputs[1::2] == ["kernel=0123456789abcdef"] * 2
    first, second = outputs[::2]
    assert first.startswith(f"run={runner['RUNNER_TEMP']}/pronghorn.")
    assert first != second, "a job's two runs are apart"


def test_a_run_s_verdicts_are_the_job_s_summary(runner: dict[str, str]) -> None:
    out = f"{runner['RUNNER_TEMP']}/pronghorn-run"
    options = "--set\nrepeat=20\n\n--check\nsurely h3 is not slower on lte; echo $(id)\n"
    done = step(runner, "run", PRONGHORN_OPTIONS=options)
    assert done.returncode == 0, done.stderr
    run, report = noted(runner)
    assert run[1:7] == ["run", "shop.toml", "--out", out, "--clock", "virtual"]
    assert run[7:] == ["--set", "repeat=20", "--check", "surely h3 is not slower on lte; echo $(id)"]
    assert report == ["pronghorn", "report", out, "--markdown", f"{out}/comment.md"]
    assert "verdicts" in Path(runner["GITHUB_STEP_SUMMARY"]).read_text(encoding="utf-8")


@pytest.mark.parametrize("status", [1, 4])
def test_the_run_s_exit_status_is_the_step_s(runner: dict[str, str], status: int) -> None:
    assert step(runner, "run", STATUS=str(status)).returncode == status
    assert Path(runner["GITHUB_STEP_SUMMARY"]).exists() == (status == 1)


def test_real_time_runs_as_root(runner: dict[str, str]) -> None:
    assert step(runner, "run", PRONGHORN_CLOCK="real").returncode == 0
    assert [call[0] for call in noted(runner)] == ["sudo", "pronghorn", "sudo", "pronghorn"]
    assert noted(runner)[2][1] == "chown"


def test_root_finds_the_kernels_and_servers_of_the_runner_s_user(runner: dict[str, str]) -> None:
    done = step(runner, "run", PRONGHORN_CLOCK="both", PRONGHORN_NGINX="/opt/nginx", XDG_CACHE_HOME="/cache")
    assert done.returncode == 0, done.stderr
    given = noted(runner)[0]
    for word in (f"HOME={runner['HOME']}", "PRONGHORN_NGINX=/opt/nginx", "XDG_CACHE_HOME=/cache"):
        assert word in given


def test_the_kernel_is_built_where_none_was_restored(runner: dict[str, str]) -> None:
    assert step(runner, "kernel").returncode == 0
    assert noted(runner) == [["pronghorn", "guest", "--check"], ["pronghorn", "guest"]]
    Path(runner["NOTED"]).unlink()
    assert step(runner, "kernel", BUILT="0").returncode == 0
    assert noted(runner) == [["pronghorn", "guest", "--check"]]


def test_a_pull_request_gets_one_comment_that_is_written_again(runner: dict[str, str]) -> None:
    step(runner, "run")
    Path(runner["NOTED"]).unlink()
    assert step(runner, "comment").returncode == 0
    asked, made = noted(runner)
    assert asked[:4] == ["gh", "api", "--paginate", "repos/somebody/site/issues/7/comments"]
    assert made[1:4] == ["api", "--silent", "repos/somebody/site/issues/7/comments"]
    marked = f"{runner['RUNNER_TEMP']}/pronghorn-run/marked.md"
    assert made[4:] == ["--field", f"body=@{marked}"]
    assert Path(marked).read_text(encoding="utf-8") == "<!-- pronghorn: shop.toml -->\n**verdicts**\n"
    Path(runner["NOTED"]).unlink()
    assert step(runner, "comment", THERE="11\n12\n").returncode == 0
    assert noted(runner)[1][3:6] == ["--method", "PATCH", "repos/somebody/site/issues/comments/11"]


def test_without_a_token_that_may_comment_the_job_still_succeeds(runner: dict[str, str]) -> None:
    step(runner, "run")
    done = step(runner, "comment", REFUSED="1")
    assert (done.returncode, done.stdout[:10]) == (0, "::notice::")


def test_a_run_that_left_nothing_is_not_commented_on(runner: dict[str, str]) -> None:
    step(runner, "run", STATUS="4")
    Path(runner["NOTED"]).unlink()
    assert step(runner, "comment").returncode == 0
    assert not Path(runner["NOTED"]).exists()


def test_an_unknown_step_is_refused(runner: dict[str, str]) -> None:
    assert step(runner, "away").returncode == 2


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(ACTION.read_text(encoding="utf-8"))["runs"]["steps"]
    return found


def test_other_actions_are_pinned_by_commit_and_no_input_is_read_as_a_command() -> None:
    for one in steps():
        if "uses" in one:
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", one["uses"]), one["uses"]
        else:
            assert one["shell"] == "bash"
            assert "${{" not in one["run"]


def test_each_step_has_all_variables_that_it_reads() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    for one in steps():
        if "run" not in one:
            continue
        name = one["run"].split()[-1]
        body = re.search(rf"^{name}\(\) {{$(.*?)^}}$", text, re.MULTILINE | re.DOTALL)
        assert body is not None, name
        read = set(re.findall(r"\bPRONGHORN_(?!MARK)\w+", body[1]))
        assert read == {key for key in one.get("env", {}) if key.startswith("PRONGHORN_")}


def test_every_input_is_used_and_every_one_used_is_there() -> None:
    text = ACTION.read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(yaml.safe_load(text)["inputs"])
