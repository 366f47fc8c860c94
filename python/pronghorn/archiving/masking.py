"""The secrets of a whole archive: found draft by draft, then replaced in all of them at once."""

from collections import Counter
from collections.abc import Iterator, Sequence

from pronghorn.archiving.draft import Draft, Pair
from pronghorn.archiving.texts import Text
from pronghorn.redaction import Ledger, fields, headers, texts, urls


class Mask:
    """`keep_secrets`: nothing is looked for, and nothing replaced."""

    def __init__(self, *, keep_secrets: bool) -> None:
        self.keep_secrets = keep_secrets
        self._ledger = Ledger()

    @property
    def counts(self) -> Counter[str]:
        """How many different secrets were replaced, by kind."""
        return self._ledger.counts

    def find_in_url(self, url: str) -> None:
        """Looks for secrets in a URL as its source has it: with a user, and a fragment."""
        if not self.keep_secrets:
            urls.find(url, self._ledger)

    def find_in_headers(self, draft: Draft) -> None:
        """Looks for secrets in a draft's headers as its source has them."""
        for pairs in () if self.keep_secrets else _headers_of(draft):
            lines = ((name, line) for name, value in pairs for line in value.split("\n"))
            headers.find(lines, self._ledger)

    def find(self, draft: Draft) -> None:
        """Looks for secrets in a draft's URLs, and in what was posted."""
        if self.keep_secrets:
            return
        for one in (draft.url, draft.initiator, draft.frame):
            if one:
                urls.find(one, self._ledger)
        if draft.request_body:
            fields.find(Text.of(draft.request_body).text, self._ledger)

    def find_in_texts(self, found: Sequence[str]) -> None:
        """Looks for secrets in responses' bodies."""
        if found and not self.keep_secrets:
            texts.find(found, self._ledger)

    def apply(self, drafts: Sequence[Draft]) -> None:
        """Replaces what was found in the drafts' URLs and headers, and in what was posted."""
        if self.keep_secrets:
            return
        for draft in drafts:
            draft.url = urls.redacted(draft.url, self._ledger)
            for pairs in (draft.headers, draft.hints):
                pairs[:] = headers.redacted(pairs, self._ledger, of_request=False)
            draft.request_headers = headers.redacted(draft.request_headers, self._ledger, of_request=True)
            if draft.request_body:
                posted = Text.of(draft.request_body)
                draft.request_body = posted.bytes_of(fields.redacted(posted.text, self._ledger))
        # All texts at once, since each search goes through them for all secrets.
        replaced = iter(self._ledger.texts([text for draft in drafts for text in _texts(draft)]))
        for draft in drafts:
            _put_back(draft, replaced)

    def replaced(self, found: Sequence[str]) -> list[str]:
        """Bodies' texts with stand-ins."""
        return self._ledger.texts(found)


def _texts(draft: Draft) -> Iterator[str]:
    """What may hold secrets: the URL below its host, the headers' values, what was posted."""
    yield _parted(draft.url)[1]
    for pairs in _headers_of(draft):
        yield from (value for _, value in pairs)
    yield Text.of(draft.request_body or b"").text


def _put_back(draft: Draft, texts: Iterator[str]) -> None:
    """The same texts in the same order, as they have become."""
    draft.url = _parted(draft.url)[0] + next(texts)
    for pairs in _headers_of(draft):
        pairs[:] = [(name, next(texts)) for name, _ in pairs]
    posted = next(texts)
    if draft.request_body:
        draft.request_body = Text.of(draft.request_body).bytes_of(posted)


def _headers_of(draft: Draft) -> tuple[list[Pair], ...]:
    return draft.headers, draft.hints, draft.request_headers


def _parted(url: str) -> tuple[str, str]:
    """A clean URL's origin, and the rest."""
    at = url.index("/", url.index("://") + 3)
    return url[:at], url[at:]
