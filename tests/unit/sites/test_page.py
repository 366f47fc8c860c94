"""A generated page names each of its parts once, in the places where pages name them."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pronghorn.sites import build


class Names(HTMLParser):
    """What a page's elements name, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.named: list[str] = []
        self.icon: str | None = None
        self.in_head: list[tuple[str, str]] = []
        self.unsized: list[str] = []
        self._head = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "body":
            self._head = False
        if tag == "link" and attributes["rel"] == "icon":
            self.icon = attributes["href"]
        elif tag in ("link", "script", "img"):
            self.named.append(attributes.get("src") or attributes["href"])
            if tag == "script" and self._head:
                mode = "defer" if "defer" in attributes else "async" if "async" in attributes else "blocking"
                self.in_head.append((self.named[-1], mode))
            if tag == "img" and not (int(attributes["width"]) > 0 and int(attributes["height"]) > 0):
                self.unsized.append(self.named[-1])


def names(root: Path) -> Names:
    parser = Names()
    parser.feed((root / "index.html").read_text(encoding="utf-8"))
    parser.close()
    return parser


@pytest.mark.parametrize("spec", ["small", "content", "spa"])
def test_the_page_names_every_resource_once_and_an_empty_icon(spec: str, tmp_path: Path) -> None:
    site = build(spec, 1, tmp_path)
    page = names(tmp_path)
    assert sorted(page.named) == sorted(resource.path for resource in site.resources if resource.path != "/")
    assert page.icon == "data:,"
    assert page.unsized == []


def test_fonts_and_backgrounds_of_the_shop_are_found_through_its_styles_alone(tmp_path: Path) -> None:
    site = build("cms", 1, tmp_path)
    by_page = set(names(tmp_path).named)
    styles = [resource.path for resource in site.resources if resource.kind == "style"]
    by_styles = {
        path
        for style in styles
        for path in re.findall(r'url\("?(/[^")]+)', (tmp_path / style.lstrip("/")).read_text())
    }
    assert set(styles) <= by_page
    assert by_styles.isdisjoint(by_page)
    assert by_styles | by_page == {resource.path for resource in site.resources if resource.path != "/"}
    assert sum(path.endswith(".woff") for path in by_styles) == 4
    assert sum(path.endswith(".png") for path in by_styles) == 6


def test_the_shop_shows_text_in_each_font_and_an_element_with_each_background(tmp_path: Path) -> None:
    site = build("cms", 1, tmp_path)
    page = (tmp_path / "index.html").read_text()
    for resource in site.resources:
        if resource.kind == "font" or resource.path.startswith("/background"):
            name = resource.path.lstrip("/").partition(".")[0]
            assert re.search(rf'<p class="{name}">\S+ ', page)


def test_a_page_has_blocking_deferred_and_asynchronous_scripts_in_its_head(tmp_path: Path) -> None:
    build("cms", 1, tmp_path)
    assert {mode for _, mode in names(tmp_path).in_head} == {"blocking", "defer", "async"}


def test_an_application_defers_all_its_scripts(tmp_path: Path) -> None:
    build("spa", 1, tmp_path)
    assert [mode for _, mode in names(tmp_path).in_head] == ["defer"] * 85
