"""Programs of others that speak HTTP/3, against which ours is checked, as `scripts/peers` finds them, and
what is built for them."""

import subprocess
from functools import cache
from pathlib import Path

from pronghorn.errors import HostError
from pronghorn.origins import programs

_SCRIPTS = Path(__file__).parents[1] / "scripts"


class Missing(Exception):
    """This host lacks one; the message is what makes it."""


@cache
def find(name: str) -> Path:
    """The program `h2load` or `curl`; Missing where it isn't there, and it isn't made."""
    return _found(_SCRIPTS / "peers", name, "--check")


@cache
def autoquic() -> Path:
    """nginx's module that is built of nginx/; Missing where it isn't built for the nginx that tests run."""
    try:
        version = programs.find("nginx").version
    except HostError as error:
        raise Missing(error.hint) from error
    return _found(_SCRIPTS / "autoquic", "--check", f"nginx@{version}")


def _found(*argv: object) -> Path:
    done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(done.stderr.strip().rpartition("mend: ")[2])
    return Path(done.stdout.strip())
