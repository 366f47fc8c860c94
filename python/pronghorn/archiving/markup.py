"""What a document's markup asks for, found in one pass whatever the text is.

The standard library's parser takes a time that grows with the square of a text's length, where tags or
comments lack their ends; the expressions here are polars', which never go back."""

import html
import re

from pronghorn.mirror.references import in_style, of_element
from pronghorn.redaction import strings

_COMMENT = r"(?s)<!--.*?-->"
_SCRIPT = r"(?is)(<script\b[^>]*>).*?</script"
_STYLE = r"(?is)<style\b[^>]*>.*?</style"
_ASKING = "base|link|img|source|script|iframe|frame|embed|object|video|audio|track|input|image|use"
_TAG = rf"""(?i)<(?:{_ASKING}|[a-z][a-z0-9]*\s[^<>]*\bstyle\s*=)(?:[^<>"']|"[^"]*"|'[^']*')*>"""
_NAME = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)")
_ATTRIBUTE = re.compile(r"(?<=[\s\"'/])([a-zA-Z:-]{1,40})\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))")


def references(text: str) -> tuple[str | None, list[str]]:
    """A document's `<base href>`, if any, and the addresses that it asks for, as `mirror.references` has
    them."""
    plain = strings.series([text]).str.replace_all(_COMMENT, "")
    styles = plain.str.extract_all(_STYLE)[0]
    tags = plain.str.replace_all(_SCRIPT, "$1").str.extract_all(_TAG)[0]
    base, found = None, list[str]()
    for tag in tags:
        name = _NAME.match(tag)
        if name is None:
            continue
        attributes: dict[str, str] = {}
        for one in _ATTRIBUTE.finditer(tag):
            value = html.unescape(one[2] or one[3] or one[4] or "")
            if value:
                attributes.setdefault(one[1].lower(), value)
        if name[1].lower() == "base" and base is None:
            base = attributes.get("href")
        found += of_element(name[1].lower(), attributes)
    for style in styles:
        found += in_style(style)
    return base, [each.strip() for each in found if each.strip()]
