"""What a source says of a page load, made into a site archive. Importers and the recorder end here.

draft.py       one request as its source has it; what holds for all of them
spool.py       bodies on disk while the archive is made
texts.py       bodies as text, to be searched for secrets
headers.py     which headers an archive keeps
seeded.py      bodies that a source lacks
initiators.py  which request asked for which
hosts.py       the hosts' tables
ahead.py       work on every CPU, in order
choose.py      what is left out
finish.py      all of it: from drafts to a folder"""

from pronghorn.archiving.draft import Body, Draft, Source
from pronghorn.archiving.finish import Making, Told

__all__ = ["Body", "Draft", "Making", "Source", "Told"]
