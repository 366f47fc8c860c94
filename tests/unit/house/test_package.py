"""What is installed holds all that stands in the tree; `make verify` proves it with a wheel."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
BUILD = "import setuptools; setuptools.setup()"
PACKAGE = ROOT / "python" / "pronghorn"


def tracked() -> Iterator[Path]:
    """The package's files that are committed, through its links to other folders, as paths in the package."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "python/pronghorn"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        file = ROOT / name
        found = sorted(file.rglob("*")) if file.is_dir() else [file]
        yield from (one.relative_to(PACKAGE) for one in found if one.is_file())


def test_it_holds_every_module_template_and_profile(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", BUILD, "-q", "build_py", "--build-lib", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    names = list(tracked())
    assert len(names) > 300
    assert {"data/paths/lte.toml", "data/experiments/default.toml"} <= {str(name) for name in names}
    assert [str(name) for name in names if not (tmp_path / "pronghorn" / name).is_file()] == []


def test_every_file_that_names_the_version_names_the_same() -> None:
    def table(name: str) -> dict[str, Any]:
        return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))

    released = re.findall(
        r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    fallback = re.search(r'__version__ = "(.*)"', (PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    assert fallback is not None
    named = {table("Cargo.toml")["workspace"]["package"]["version"], released[0], fallback[1]}
    for lock in ("Cargo.lock", "fuzz/Cargo.lock"):
        packages = table(lock)["package"]
        named |= {
            one["version"]
            for one in packages
            if one["name"].startswith("pronghorn-") and one["name"] != "pronghorn-fuzz"
        }
    assert named == {table("pyproject.toml")["project"]["version"]}
