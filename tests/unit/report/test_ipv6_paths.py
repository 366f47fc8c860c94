"""A report says which paths were of IPv6: in its conditions, and where a cell says its path."""

from typing import Any

from pronghorn.report.html import document
from pronghorn.report.markdown import markdown

from ..analysis.reported import summary
from ..analysis.synthetic import cell, paired

FOUND = paired(cell("lte"), {"h2": [1.0, 1.1, 1.2], "h3": [1.0, 1.1, 1.2]})


def manifest(**lte: Any) -> dict[str, Any]:
    return {"paths": {"lte": {"down": {}, "up": {}, **lte}}}


def test_a_path_of_ipv6_is_named_in_both_reports() -> None:
    told = manifest(family=6)
    text = document(summary(FOUND), FOUND, told)
    assert "path lte (IPv6) · origin" in text
    assert "path lte: IPv6" in text
    assert "path lte: IPv6" in markdown(summary(FOUND), told)


def test_a_path_of_ipv4_is_not() -> None:
    text = document(summary(FOUND), FOUND, manifest())
    assert "IPv6" not in text.replace("ipv6", "")
    assert "IPv6" not in markdown(summary(FOUND), manifest())
