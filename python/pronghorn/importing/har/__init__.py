"""HTTP Archives (version 1.2) of browsers, proxies and services.

file.py       the bytes as a table
values.py     values of any type, read without fail
pages.py      which of several pages
entry.py      one entry as a draft
timing.py     its times
content.py    its body
asked.py      what asked for it"""

from pathlib import Path

from pronghorn.archiving import Making, Told
from pronghorn.importing.har import entry, file, pages


def bring(source: Path, target: Path, *, page: str | None = None, keep_secrets: bool = False) -> Told:
    """Makes the archive `target` of the HAR file `source`. `page` is a URL, an id or a number from 1; the
    first page without it. InputError where the file can't be used."""
    log = file.log(source)
    chosen = pages.choose(log, page, source)
    with Making(target, chosen.source, keep_secrets=keep_secrets) as making:
        for one in chosen.entries:
            draft = entry.draft(one, chosen.source.repaired, source.parent)
            if draft is None:
                chosen.source.left_out["entry that can't be read"] += 1
            else:
                making.take(draft)
        return making.finish()
