"""The site `storefront`: a shop's start page with eight hosts, as an archive.

    hosts.py     the hosts
    item.py      one request, and what answers it
    texts.py     filling, of a given length
    pictures.py  pictures and icons
    styles.py    style sheets
    scripts.py   scripts, which fetch
    calls.py     what they fetch as data
    page.py      the document and its frames
    items.py     all requests
    times.py     when each was made, by rule
    make.py      the archive of them

`python -m pronghorn.sites.storefront DIR` makes it. It is shipped made (`data/archives/storefront`), so that
everybody measures the same bytes."""

from pronghorn.sites.storefront.make import make

__all__ = ["make"]
