"""An origin's name is a server, a version and a variant or a file, or it is taken as it is."""

import pytest

from pronghorn.model.cell import Cell
from pronghorn.model.origin_name import OriginName, numbers, parts, plain


@pytest.mark.parametrize(
    ("name", "found", "without"),
    [
        ("nginx", OriginName("nginx"), "nginx"),
        ("nginx@1.26", OriginName("nginx", "1.26"), "nginx"),
        ("nginx:tuned", OriginName("nginx", None, "tuned"), "nginx:tuned"),
        ("haproxy@3.2.26:tuned", OriginName("haproxy", "3.2.26", "tuned"), "haproxy:tuned"),
        ("nginx@1.26:a@b:c", OriginName("nginx", "1.26", "a@b:c"), "nginx:a@b:c"),
        ("builtin@1.2", OriginName("builtin@1.2"), "builtin@1.2"),
        ("https://a.test/x@1", OriginName("https://a.test/x@1"), "https://a.test/x@1"),
    ],
)
def test_a_name_falls_into_its_parts(name: str, found: OriginName, without: str) -> None:
    assert parts(name) == found
    assert plain(name) == without


@pytest.mark.parametrize("version", ["", "x", "1.", "1.2.3.4", "-1", "1.2-rc1"])
def test_a_version_is_of_numbers(version: str) -> None:
    with pytest.raises(ValueError, match="is no version; write numbers, as in nginx@1"):
        parts(f"nginx@{version}")
    assert plain(f"nginx@{version}") == f"nginx@{version}"


def test_versions_are_compared_by_their_numbers() -> None:
    assert numbers("1.30") > numbers("1.26.3") > numbers("1.26") > numbers("1.9")


def test_cells_of_two_versions_are_drawn_alike() -> None:
    cells = [
        Cell(site="tiny", path="lte", origin=f"nginx{version}:tuned", client="native", kernel=kernel)
        for version in ("", "@1.26", "@1.30")
        for kernel in ("", "guest")
    ]
    assert len({cell.drawn_as for cell in cells}) == 1
    assert len({cell.on_any_version for cell in cells}) == 2
    assert len(set(cells)) == 6
