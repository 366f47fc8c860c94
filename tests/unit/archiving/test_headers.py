"""Which headers an archive keeps."""

from collections import Counter

import pytest

from pronghorn.archiving.headers import kept


@pytest.mark.parametrize("control", ["\0", "\x01", "\x0b", "\r", "\x1f", "\x7f"])
def test_a_control_character_becomes_a_space_and_is_counted(control: str) -> None:
    repaired: Counter[str] = Counter()
    assert kept([("a", f"b{control}c")], repaired) == [("a", "b c")]
    assert repaired == {"header changed": 1}


def test_a_tab_is_kept_and_a_line_is_a_header_of_its_own() -> None:
    repaired: Counter[str] = Counter()
    assert kept([("a", "b\tc\nd")], repaired) == [("a", "b\tc"), ("a", "d")]
    assert not repaired
