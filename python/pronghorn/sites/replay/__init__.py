"""A site archive, made ready to be served and loaded by the lab.

    build.py      an archive as a built site
    rewriting.py  other protocols and priorities
    plan.py       each request as it is served and made
    one_host.py   all on one host
    renaming.py   other hosts' names in texts
    choice.py     which of its exchanges are replayed, and as what
    headers.py    which recorded headers are sent
    answers.py    what servers answer: `answers.json`
    steps.py      what the native client asks for: `requests.json`
    causes.py     what sets off a request
    mentions.py   where a document names a URL
    table.py      answers by their requests, for servers that answer equal requests alike

`docs/replay.md` has the rules for people."""

from pronghorn.sites.replay.build import build

__all__ = ["build"]
