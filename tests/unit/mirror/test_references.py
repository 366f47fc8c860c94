"""What a page asks for, as its markup and its style sheets write it."""

import pytest

from pronghorn.mirror.references import in_document, in_style


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ('<img src="a.png">', ["a.png"]),
        ("<IMG SRC = a.png alt=x>", ["a.png"]),
        ('<img srcset="a.png 1x, b.png 2x" src="c.png">', ["c.png", "a.png", "b.png"]),
        ('<link rel="stylesheet" href="s.css"><link rel="canonical" href="/">', ["s.css"]),
        ('<link rel="preload" as="font" href="f.woff2">', ["f.woff2"]),
        ('<script src="a.js"></script><script>var x = "b.js"</script>', ["a.js"]),
        ('<style>@import "s.css"; body { background: url(b.png) }</style>', ["s.css", "b.png"]),
        ('<p style="background: url(&quot;c.png&quot;)">', ["c.png"]),
        ('<video poster="p.jpg"><source src="v.mp4"></video>', ["v.mp4", "p.jpg"]),
        ('<a href="other.html">x</a>', []),
        ("<!-- <img src=a.png> -->", []),
        ('<img src="a.png?x=1&amp;y=2">', ["a.png?x=1&y=2"]),
    ],
)
def test_what_markup_names(markup: str, found: list[str]) -> None:
    assert sorted(in_document(markup)[1]) == sorted(found)


def test_a_base_is_told() -> None:
    assert in_document('<base href="/shop/"><base href="/other/">')[0] == "/shop/"


@pytest.mark.parametrize(
    ("style", "found"),
    [
        ("a { b: url('x y.png') } c { d: url(z.svg) }", ["x y.png", "z.svg"]),
        ('@import "one.css"; @import url(two.css) screen;', ["one.css", "two.css"]),
        ("/* url(no.png) */ @font-face { src: url(f.woff2) format('woff2') }", ["f.woff2"]),
        ("a { b: url() }", []),
    ],
)
def test_what_a_style_sheet_names(style: str, found: list[str]) -> None:
    assert in_style(style) == found
