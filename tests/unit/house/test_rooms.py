"""The pages that say where things are name what there is: docs/architecture.md, docs/decisions."""

import re
import subprocess
from itertools import pairwise
from pathlib import Path

from .layers import LAYERS

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "architecture.md"
DECISIONS = ROOT / "docs" / "decisions"

CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)#]*)(?:#[^)]*)?\)")


def table(heading: str) -> list[list[str]]:
    """The rows of the table below a heading, without its head, as cells."""
    section = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


FOLDERS = table("What is in each folder?")
PACKAGES = table("Layers of the control plane")
QUESTIONS = table("Which file answers my question?")


def tracked(folder: str) -> set[str]:
    """What lies directly in a folder and holds files that git tracks, a folder with a slash at its end."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT / folder, check=True, capture_output=True, text=True
    )
    paths = [name.split("/") for name in filter(None, listed.stdout.split("\0"))]
    return {name + "/" if rest else name for name, *rest in paths}


def folders(within: str) -> set[str]:
    return {name.removesuffix("/") for name in tracked(within) if name.endswith("/")}


def test_every_folder_is_listed_and_every_listed_one_exists() -> None:
    listed = {name for row in FOLDERS for name in CODE.findall(row[0])}
    crates = {f"crates/{name}" for name in folders("crates")}
    others = {"python/pronghorn" if name == "python" else name for name in folders(".") - {"crates"}}
    assert listed == crates | others
    named = {name for row in FOLDERS for name in CODE.findall(row[1]) if "/" in name}
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_package_is_listed_and_every_listed_one_exists() -> None:
    listed = [name for row in PACKAGES for name in CODE.findall(row[1])]
    modules = {name.removesuffix(".py") for name in tracked("python/pronghorn") if name.endswith(".py")}
    assert sorted(listed) == sorted(folders("python/pronghorn") | modules)


def test_the_table_of_packages_goes_down_the_layers() -> None:
    level = {name: number for number, layer in enumerate(LAYERS) for name in layer}
    rows = [[level[name] for name in CODE.findall(row[1]) if name in level] for row in PACKAGES]
    assert all(min(above) >= max(below) for above, below in pairwise(row for row in rows if row))


def test_every_file_that_answers_a_question_exists() -> None:
    """The first is relative to the repository; the others to the first one's folder, unless they begin with a
    top-level folder."""
    missing = []
    for question, first, then in QUESTIONS:
        named = CODE.findall(first)
        assert len(named) == 1 or LINK.search(first), question
        near = (ROOT / named[0]).parent if named else ROOT
        for name in CODE.findall(then):
            base = ROOT if name.split("/")[0] in folders(".") else near
            missing += [name] if not (base / name).exists() else []
        missing += [name for name in named if not (ROOT / name).is_file()]
    assert missing == []


def test_every_link_of_these_pages_leads_somewhere() -> None:
    for page in (PAGE, *DECISIONS.glob("*.md")):
        targets = [name for name in LINK.findall(page.read_text(encoding="utf-8")) if name]
        assert [name for name in targets if not (page.parent / name).exists()] == [], page


def test_the_questions_asked_most_take_two_hops_from_the_readme() -> None:
    assert "(docs/architecture.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    answers = {question: first for question, first, _ in QUESTIONS}
    assert "crates/path/src/delay.rs" in answers["Where is a packet's delay decided?"]
    assert "analysis/bootstrap.py" in answers["Where is a verdict's interval made?"]
    assert "crates/http/src/congestion.rs" in answers["Where does `h3@bbr` become a socket's controller?"]
    assert "crates/policy/src/decide.rs" in answers["Where does the gateway decide?"]


def test_every_decision_has_its_date_and_its_reasons_and_is_listed() -> None:
    files = sorted(file.name for file in DECISIONS.glob("*.md") if file.name != "README.md")
    dates = []
    for number, name in enumerate(files, 1):
        text = (DECISIONS / name).read_text(encoding="utf-8")
        assert name.startswith(f"{number:04}-"), name
        assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Decision", "Why", "Rejected"], name
        dates += re.findall(r"^Decided: (\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    listed = (DECISIONS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[\d{4}\]\((.+)\) \| .+ \| (.+) \|$", listed, re.MULTILINE)
    assert rows == list(zip(files, dates, strict=True))
    assert dates == sorted(dates)
