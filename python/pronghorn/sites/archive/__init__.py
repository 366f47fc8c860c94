"""A site archive: a page with all that it loaded of every host, as a folder of plain files.

    limits.py     how much an archive may hold
    exchange.py   one line of requests.jsonl: a request and its response
    site.py       site.toml: the page, the device, the hosts, what was left out or made up
    layout.py     the names of the files
    read.py       a folder as an Archive, checked
    write.py      a new folder, whole or not at all

`docs/archives.md` describes the format for people."""

from pronghorn.sites.archive.exchange import Exchange, How, Kind
from pronghorn.sites.archive.read import Archive, read
from pronghorn.sites.archive.site import Device, Host, Made, Site
from pronghorn.sites.archive.write import Writer

__all__ = ["Archive", "Device", "Exchange", "Host", "How", "Kind", "Made", "Site", "Writer", "read"]
