"""A HAR file, a WARC file or a mirrored folder, made into a site archive.

sort.py       which of them a path is
har/          HTTP Archives of browsers, proxies and services
warc.py       web archives (ISO 28500)
folder.py     a folder as wget leaves it"""

from pronghorn.importing.sort import bring

__all__ = ["bring"]
