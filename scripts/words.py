"""Checks the words: spelling, style (phrases, passives, long sentences), and the length of lines and pages.

It reads the documents and the program's own texts: help, messages, reports. Each finding has its file and
line, and what to write instead. Exit status 1 if there is one. `typos` checks the spelling, with the field's
words in `scripts/words.toml`. Test it with tests/unit/house/test_words.py.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TREE = Path(__file__).resolve().parent.parent
MOST_WORDS = 30
"""The most words of a sentence, or of its part before a colon or a semicolon. Aim at fewer than 25."""

MOST_LINES = 250
"""The most lines of a page that isn't reference. Who reads reference searches it."""

MOST_WORDS_OF_README = 900
"""Words as `wc -w` counts them."""

MOST_COLUMNS = 120
"""The most columns of a line of Markdown outside of tables and code."""

INSTEAD: dict[str, str] = {
    r"in the place of": "instead of",
    r"so many(?! as\b)": "this many, or the number",
    r"none where": "none if",
    r"(?:is|are|was|were|be|been) told(?! apart)": "is shown, reported, or knows",
    r"(?:told|tells?) of": "reports, or describes",
    r"told from": "distinguished from",
    r"bears?(?! no\b)(?! repeating)": "has, supports, or tolerates",
    r"in mind": "consider",
    r"who(?:so)?ever|whomever|whosever": "anyone who, or the user who",
    r"at the (?:most|least)(?= |\.|,|;|:|$)": "at most, or at least",
    r"foretells?|foretold": "predicts",
    r"be it": "whether, or even",
    r"on the way (?:up|down)": "on the up link, or on the down link",
    r"what waited": "the data that waited",
    r"where what": "name the thing",
    r"for want of": "because … is missing",
    r"lest|whereof|thereof|thereby|hitherto|heretofore|albeit|hereby|wherein": "a plain conjunction",
    r"(?:to be|can't be|could not be) had": "available, or can't be fetched",
    r"hangs? on": "depends on",
    r"anew": "again",
    r"mends?|mended": "fix",
    r"(?:twent|thirt|fort|fift|sixt)ieths?(?= of)": "the figure, such as 1/30 or 3 %",
    r"of whom nothing is known": "unknown",
    r"(?:is|are|was|were|be|been) felt by": "the verb in active voice, such as delays",
    r"read off": "measured from",
    r"upon": "on",
    r"whereas": "but",
    r"in order to": "to",
    r"prior to": "before",
    r"due to the fact that": "because",
    r"utili[sz]e[sd]?": "use",
    r"simply|easily|obviously|of course": "nothing: the sentence says the same without it",
}
_PHRASES = [
    (re.compile(rf"(?<!-)\b(?:{phrase})\b", re.IGNORECASE), instead) for phrase, instead in INSTEAD.items()
]

_ACTORS = (
    "browser|client|command|driver|engine|gateway|generator|host|kernel|loader|maintainer|network|operator|origin|"
    "person|program|proxy|reader|receiver|router|sender|server|stack|user"
)
_NAMED_ACTORS = (
    "Caddy|Chrome|Chromium|curl|Docker|Firefox|GitHub|"
    "HAProxy|Linux|nginx|people|Playwright|Pronghorn|quinn|s2n-quic"
)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?"
    r"(?:\w+(?:ed|wn|ght|pt)|made|held|led|read|set|told)\s+by\s+"
    rf"(?:`…`\s+)?(?:(?:a|an|any|another|each|every|its|no|other|others|the|their|this|your)\s+)?(?:\w+\s+)?"
    rf"(?:(?:{_ACTORS})s?|{_NAMED_ACTORS})\b(?!['’])",
    re.IGNORECASE,
)
"""A passive that names who acts, a person or a program: the active voice needs no other word. Where a thing
follows (“is judged by its mean”), the active voice would have the thing act."""

_DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/*.md", "docs/how-to/*.md", "docs/decisions/*.md")
_GENERATED = {"docs/engine-protocol.md"}
"""Pages that are made of doc comments in Rust."""

_SENTENCE_END = re.compile(r"[.!?][)\"”’*]*\s+|[:;]\s+|\s+–\s+")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]*`")
_TAG = re.compile(r"\{[%{#].*?[%}#]\}|<[^>]*>", re.DOTALL)


class Finding(NamedTuple):
    """What is wrong, and where."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


def phrases(file: str, line: int, text: str) -> Iterator[Finding]:
    """The phrases in a text that begins at a line."""
    for pattern, instead in _PHRASES:
        for found in pattern.finditer(text):
            at = line + text.count("\n", 0, found.start())
            yield Finding(file, at, f"“{found[0]}”; write: {instead}")


def of_markdown(file: str, text: str) -> Iterator[Finding]:
    """The findings in a page of Markdown."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        if len(line) > MOST_COLUMNS and not fenced and not line.startswith(("    ", "|")):
            yield Finding(file, number, f"{len(line)} columns; {MOST_COLUMNS} at most")
    for number, paragraph in _paragraphs(text):
        plain = _CODE.sub("`…`", _LINK.sub(r"\1", paragraph))
        yield from phrases(file, number, plain)
        for passive in () if plain.startswith("#") else _PASSIVE.finditer(plain):
            said = " ".join(passive[0].split())
            at = number + plain.count("\n", 0, passive.start())
            yield Finding(file, at, f"“{said}” is passive; begin with who does it")
        for sentence in _SENTENCE_END.split(" ".join(plain.split())):
            if (words := len(sentence.split())) > MOST_WORDS:
                yield Finding(file, number, f"a sentence of {words} words: “{sentence[:60]}…”; make it two")


def of_lengths(tree: Path) -> Iterator[Finding]:
    """The pages that are too long."""
    words = len((tree / "README.md").read_text(encoding="utf-8").split())
    if words > MOST_WORDS_OF_README:
        yield Finding("README.md", 1, f"{words} words; {MOST_WORDS_OF_README} at most")
    reference = _reference(tree)
    for file in sorted((tree / "docs").rglob("*.md")):
        name = str(file.relative_to(tree / "docs"))
        lines = file.read_text(encoding="utf-8").count("\n")
        if lines > MOST_LINES and name not in reference:
            yield Finding(f"docs/{name}", lines, f"{lines} lines; {MOST_LINES} at most, but in reference")


def _reference(tree: Path) -> set[str]:
    """The pages under Reference in the navigation, and the replications' records, which a command writes."""
    navigation = (tree / "mkdocs.yml").read_text(encoding="utf-8").partition("\n  - Reference:\n")[2]
    listed = re.match(r"(?:      - .*\n)*", navigation)
    pages = re.findall(r"[\w/-]+\.md$", listed[0] if listed else "", re.MULTILINE)
    records = (tree / "docs" / "replications").glob("*.md")
    by_hand = {"README.md"}
    return {*pages, *(f"replications/{file.name}" for file in records if file.name not in by_hand)}


def of_python(file: str, source: str) -> Iterator[Finding]:
    """The findings in the texts of a module that reach its users: no docstring, no comment."""
    tree = ast.parse(source)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in said
            and " " in node.value
        ):
            yield from phrases(file, node.lineno, _TAG.sub("", node.value))


def of_template(file: str, text: str) -> Iterator[Finding]:
    """The findings in a page's template."""
    blank = _TAG.sub(lambda tag: "\n" * tag[0].count("\n") or " ", text)
    yield from phrases(file, 1, blank)


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Each paragraph, list item and heading outside of code and tables, with its first line's number."""
    lines: list[str] = []
    first, fenced = 1, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fenced ^= line.lstrip().startswith("```")
        is_list = re.match(r"\s*(?:[-*]|\d+\.) ", line)
        skipped = (
            fenced or line.lstrip().startswith(("|", "```", ">")) or (line.startswith("    ") and not lines)
        )
        if not line.strip() or is_list or skipped or line.startswith("#"):
            if lines:
                yield first, "\n".join(lines)
            lines = []
        if line.strip() and not skipped:
            first = number if not lines else first
            lines.append(line)


def findings(tree: Path) -> Iterator[Finding]:
    """All findings in the tree, but for the spelling."""
    yield from of_lengths(tree)
    for pattern in _DOCUMENTS:
        for file in sorted(tree.glob(pattern)):
            name = str(file.relative_to(tree))
            if name not in _GENERATED:
                yield from of_markdown(name, file.read_text(encoding="utf-8"))
    for file in sorted((tree / "python" / "pronghorn").rglob("*")):
        name = str(file.relative_to(tree))
        if file.suffix == ".py":
            yield from of_python(name, file.read_text(encoding="utf-8"))
        elif file.suffix == ".toml":
            yield from phrases(name, 1, file.read_text(encoding="utf-8"))
        elif file.suffix == ".j2":
            yield from of_template(name, file.read_text(encoding="utf-8"))


def main() -> int:
    """Prints the findings."""
    found = list(findings(TREE))
    for one in found:
        print(one)
    spelling = [
        str(Path(sys.executable).parent / "typos"),
        "--config",
        "scripts/words.toml",
        "--format",
        "brief",
    ]
    spelt = subprocess.run(
        [*spelling, "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "python/pronghorn"],
        cwd=TREE, check=False,
    )  # fmt: skip
    return 1 if found or spelt.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
