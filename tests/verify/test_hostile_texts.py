"""Texts that mean harm take a CPU time by their length, not by its square."""

import time
from collections.abc import Callable

import pytest

from pronghorn.archiving import markup
from pronghorn.mirror import references
from pronghorn.redaction import Ledger, fields, headers, texts, urls

PARTS = [
    "<!--", "</", "<a ", "<a x='", "<![CDATA[", "&#", "<script>", "<style>", "<img x='", '<p style="',
    "<input name=", "eyJ", "?token=", 'token":"', "url(", 'url("', "/*",
    '@import "', "//", "/?", "https://", '"a":"\\"',
    'content-disposition: name="token"\n\n', '\\"a\\":\\"', '"a":"{', "?a=",
    "%7B%22a%22%3A%22", "token", "token = '", ";=",
]  # fmt: skip
LENGTH, TIMES = 20_000, 16
"""By the square a text `TIMES` as long would take 256 times the CPU time; the bound is a quarter of that."""

READERS: dict[str, Callable[[str], object]] = {
    "markup": markup.references,
    "style": references.in_style,
    "texts": lambda text: texts.find([text], Ledger()),
    "headers": lambda text: headers.find([("x-any", text), ("cookie", text)], Ledger()),
    "redacted headers": lambda text: headers.redacted(
        [("location", text), ("authorization", text)], Ledger(), of_request=False
    ),
    "urls": lambda text: urls.redacted(text, Ledger()),
    "form": lambda text: fields.redacted(text, Ledger()),
    "json": lambda text: fields.redacted("{" + text, Ledger()),
    "multipart": lambda text: fields.redacted("content-disposition:" + text, Ledger()),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("part", PARTS)
def test_hostile_texts_take_time_by_their_length(part: str, reader: str) -> None:
    def cpu_s(length: int) -> float:
        text = part * (length // len(part))
        began = time.process_time()
        READERS[reader](text)
        return time.process_time() - began

    cpu_s(LENGTH)
    short_s = min(cpu_s(LENGTH) for _ in range(3))
    assert cpu_s(LENGTH * TIMES) < TIMES**2 / 4 * max(short_s, 0.005)
