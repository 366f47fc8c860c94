"""A page and its resources, fetched into a folder that is a site (`dir:FOLDER`).

    fetch.py        one address over HTTP, bounded
    references.py   what a document or a style sheet asks for
    place.py        the file in which an address is kept, as sites/names.py finds it again
    page.py         all of it: the page, what it asks for, what that asks for

Only from the page's own host, and only what its markup and its style sheets name."""

from pronghorn.mirror.page import Mirrored, mirror

__all__ = ["Mirrored", "mirror"]
