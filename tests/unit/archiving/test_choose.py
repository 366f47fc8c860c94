"""Which request a page's load begins with, and which answers are the browser's cache's."""

import pytest

from pronghorn.archiving import Draft, Source, addresses, choose

SHOP = "https://shop.example/"


def redirected(*steps: tuple[int, int]) -> list[Draft]:
    """Redirects of numbered URLs, each to another, and the page that the last one leads to."""
    drafts = [
        Draft(f"{SHOP}{number}", status=302, headers=[("Location", f"/{target}")], kind="document")
        for number, target in steps
    ]
    return [*drafts, Draft(f"{SHOP}{steps[-1][1]}", kind="document")]


@pytest.mark.parametrize(
    ("steps", "place"),
    [
        ([(1, 2), (2, 3)], 0),
        ([(8, 9), (1, 2), (2, 3)], 1),
        ([(1, 3), (2, 3)], 0),
        ([(2, 3), (1, 2), (4, 3)], 0),
        ([(1, 2), (2, 1), (2, 1)], 0),
        ([(1, 1)], 0),
    ],
)
def test_a_load_begins_with_the_first_redirect_that_leads_to_its_page(
    steps: list[tuple[int, int]], place: int
) -> None:
    assert choose.page_of(redirected(*steps), Source("", "")) == place


def test_each_redirect_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    joined, asked = addresses.joined, list[str]()

    def counted(base: str, reference: str) -> str | None:
        asked.append(base)
        return joined(base, reference)

    monkeypatch.setattr(addresses, "joined", counted)
    drafts = redirected(*((number, number + 1) for number in range(300)))
    assert choose.page_of(drafts, Source("", "")) == 0
    assert len(asked) == 300


def test_a_304_is_left_out_unless_the_cache_was_empty() -> None:
    asked = [Draft(f"{SHOP}a", status=200), Draft(f"{SHOP}a", status=304), Draft(f"{SHOP}b", status=304)]
    assert choose.without_cached(asked, Source("", "")) == [asked[0], asked[2]]
    assert choose.without_cached(asked, Source("", "", cold=True)) == asked
