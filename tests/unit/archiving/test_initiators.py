"""Who asked for a request, where a source doesn't say, and what a page names."""

import pytest

from pronghorn.archiving import Draft, addresses, markup, reach
from pronghorn.archiving.initiators import Origins

PAGE = "https://a.example/"


def drafts() -> tuple[list[Draft], list[str]]:
    """A page with a redirect before it, a style, its image, a frame with a script of its own, and a fetch."""
    referer = [("Referer", PAGE)]
    made = [
        Draft("http://a.example/", status=301, headers=[("Location", PAGE)]),
        Draft(PAGE, kind="document"),
        Draft(f"{PAGE}s.css", kind="style", request_headers=referer),
        Draft(f"{PAGE}bg.png", kind="image", request_headers=[("Referer", f"{PAGE}s.css")]),
        Draft(f"{PAGE}frame", kind="document", request_headers=referer),
        Draft(f"{PAGE}in.js", kind="script", request_headers=[("Referer", f"{PAGE}frame")]),
        Draft(f"{PAGE}data", kind="fetch", request_headers=referer),
        Draft("https://b.example/x", kind="other"),
    ]
    texts = [
        "",
        "<link rel=stylesheet href=s.css><iframe src=frame>",
        "a{background:url(bg.png)}",
        "",
        "",
        "",
        "",
        "",
    ]
    texts[4] = "<script src=in.js></script>"
    return made, texts


def test_each_request_has_who_asked_for_it() -> None:
    made, texts = drafts()
    origins = Origins(made, texts.__getitem__)
    assert origins.found == [
        (None, "other"),
        (0, "redirect"),
        (1, "parser"),
        (2, "style"),
        (1, "parser"),
        (4, "parser"),
        (1, "script"),
        (1, "other"),
    ]
    assert [origins.frame(place) for place in range(8)] == [None] * 5 + [4, None, None]


def test_what_a_page_names_is_reached_and_nothing_else() -> None:
    made, texts = drafts()
    assert reach.reached(made[::-1], 7, texts[::-1].__getitem__) == [7, 6, 5, 3, 1, 4, 2]


def test_markup_is_read_as_the_mirror_reads_it() -> None:
    base, found = markup.references(
        """<BASE href="/b/"><!-- <img src=no.png> --><link rel="preload" imagesrcset="1.png 1x, 2.png 2x">
        <img src='a&amp;b.png' alt=">" srcset="c.png 2x"><script>"<img src=no.png>"</script>
        <script src=s.js></script>
        <style>@import "i.css"; a{b:url(u.png)}</style><p style="background:url('p.png')"><a href=no.html>"""
    )
    assert base == "/b/"
    names = ["1.png", "2.png", "a&b.png", "c.png", "s.js", "p.png", "i.css", "u.png"]
    assert sorted(found) == sorted(names)


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("HTTPS://A.Example:443/x#y", "https://a.example/x"),
        ("http://a.example:80", "http://a.example/"),
        ('https://a.example/é b?q=ü"', "https://a.example/%C3%A9%20b?q=%C3%BC%22"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://u:p@a.example/", "https://a.example/"),
        ("https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443/"),
        ("//a.example/", None),
        ("https://a..example/", None),
    ],
)
def test_urls_are_cleaned(url: str, clean: str | None) -> None:
    assert addresses.clean(url) == clean


def test_sites_of_hosts() -> None:
    hosts = ["www.shop.example", "shop.co.uk", "cdn.shop.co.uk", "10.0.0.1", "localhost"]
    assert [addresses.site_of(host) for host in hosts] == [
        "shop.example",
        "shop.co.uk",
        "shop.co.uk",
        "10.0.0.1",
        "localhost",
    ]


def test_a_long_chain_of_redirects_belongs_to_the_frame_that_it_began_in() -> None:
    length = 3000
    chain = [
        Draft(f"https://ads.example/{number}", status=302, headers=[("location", f"/{number + 1}")])
        for number in range(length)
    ]
    page = Draft("https://shop.example/", kind="document")
    frame = Draft("https://ads.example/frame", kind="document", initiator=page.url)
    chain[0].initiator = frame.url
    drafts = [page, frame, *chain, Draft(f"https://ads.example/{length}")]
    origins = Origins(drafts, lambda _: "")
    assert origins.frame(length + 2) == 1
    assert origins.found[-1] == (length + 1, "redirect")
