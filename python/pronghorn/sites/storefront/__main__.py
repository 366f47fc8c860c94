"""`python -m pronghorn.sites.storefront DIR` writes the archive into the new folder DIR."""

import sys
from pathlib import Path

from pronghorn.sites.storefront import make

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m pronghorn.sites.storefront DIR")
    make(Path(sys.argv[1]))
