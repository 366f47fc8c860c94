"""The program as an ordinary user starts it, with a /dev/net/tun of the test's choice."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pronghorn.engine import locate

from . import programme
from .programme import PACKAGES, Result

NOBODY = 65534

# In a mount namespace of its own: a device that only its mode keeps from anybody, and this Python at a place
# where everybody can read it, wherever it was installed.
_SCRIPT = """\
set -e
mount -t tmpfs -o mode=755 tmpfs "$PLACE/dev"
mknod "$PLACE/dev/tun" c 10 200
chmod "$TUN_MODE" "$PLACE/dev/tun"
mount --bind "$PLACE/dev/tun" /dev/net/tun
mount --bind "$PREFIX" "$PLACE/prefix"
cd "$PLACE/home"
exec setpriv --reuid "$WHO" --regid "$WHO" --clear-groups $DENY "$PLACE/prefix/bin/$PYTHON" -m pronghorn "$@"
"""


class Ordinary(NamedTuple):
    """A folder that an ordinary user can read, with the program in it; `home` is the user's own."""

    place: Path

    @property
    def home(self) -> Path:
        """Where the user may write."""
        return self.place / "home"

    def run(self, *arguments: str, tun_mode: str, namespaces: bool = True, **more: str) -> Result:
        """Runs the program as that user, with `more` in its environment; `tun_mode` are the permissions of
        /dev/net/tun (octal). Without `namespaces` the kernel denies them: the user has no number that a new
        user namespace could map, and no privilege that another kind asks for."""
        python = Path(sys.executable)
        own = {
            "PLACE": str(self.place),
            "PREFIX": sys.prefix,
            "PYTHON": str(python.relative_to(Path(sys.prefix) / "bin")),
            "WHO": str(NOBODY),
            "TUN_MODE": tun_mode,
            "DENY": "" if namespaces else "unshare --user setpriv --no-new-privs",
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "PYTHONPATH": str(self.place / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PRONGHORN_ENGINE": str(self.place / "pronghorn-engine"),
        }
        prefix = ("unshare", "--mount", "sh", "-c", _SCRIPT, "sh")
        return programme.run(
            *arguments, folder=self.place, prefix=prefix, command=(), env={**os.environ, **own, **more}
        )


@contextmanager
def ordinary_user() -> Iterator[Ordinary]:
    """An ordinary user with a copy of the program."""
    place = Path(tempfile.mkdtemp(prefix="pronghorn-ordinary-"))
    try:
        place.chmod(0o755)
        for name in ("dev", "prefix", "home"):
            (place / name).mkdir()
        os.chown(place / "home", NOBODY, NOBODY)
        shutil.copytree(
            PACKAGES / "pronghorn", place / "python/pronghorn", ignore=shutil.ignore_patterns("__pycache__")
        )
        shutil.copy(locate(), place / "pronghorn-engine")
        for path in (place / "python", *(place / "python").rglob("*"), place / "pronghorn-engine"):
            path.chmod(0o755)
        yield Ordinary(place)
    finally:
        shutil.rmtree(place)
