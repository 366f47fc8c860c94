"""Programs of others that speak HTTP/3, against which ours is checked, as `scripts/peers` finds them."""

import subprocess
from functools import cache
from pathlib import Path

_FINDER = Path(__file__).parents[1] / "scripts" / "peers"


class Missing(Exception):
    """This host lacks one; the message is what makes it."""


@cache
def find(name: str) -> Path:
    """The program `h2load` or `curl`; Missing where it isn't there, and it isn't made."""
    done = subprocess.run([_FINDER, name, "--check"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(done.stderr.strip().rpartition("mend: ")[2])
    return Path(done.stdout.strip())
