"""Summaries and trials for reports, and a reader that checks a page's form."""

from html.parser import HTMLParser
from typing import Any

from pronghorn.model.summary import Summary
from pronghorn.model.trial import Trial

from .synthetic import Behaviour, cell, run, summarised

HOSTILE = "<script>alert('x')</script>\"&{{ 7*7 }}"


VOID = {"meta", "link", "br", "hr", "img", "input"}


MANIFEST: dict[str, Any] = {
    "started": "2026-11-21T00:00:00Z",
    "warnings": [{"code": "iw", "text": "The initial windows differ.", "remedy": "Set both."}],
    "host": {"kernel": "6.1", "sysctls": {"net.core.rmem_max": 212992}, "odd": None, "empty": []},
    "paths": {"lte-poor": {"down": {"loss": {"model": "independent", "probability": 0.15}}, "up": {}}},
}


class Page(HTMLParser):
    """Checks that elements nest, and gathers attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in {self.get_starttag_text()}"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def ids(self) -> list[str]:
        return [identity for _, attributes in self.seen if (identity := attributes.get("id"))]


def trials() -> list[Trial]:
    return run(
        {
            cell("lan"): {"h2": Behaviour(0.02), "h3": Behaviour(0.021)},
            cell("lte-poor"): {"h2": Behaviour(6.0, 0.5, fails=0.4), "h3": Behaviour(3.0, 0.3)},
        }
    )


def summary(found: list[Trial], **changes: Any) -> Summary:
    settings: dict[str, Any] = {
        "name": "Is it?",
        "arms": ["h2", "h3"],
        "baseline": "h2",
        "seed": 1,
        "limit_s": 180.0,
    } | changes
    return summarised(found, **settings)
