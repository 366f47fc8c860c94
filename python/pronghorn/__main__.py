"""`python -m pronghorn`: the same as the command `pronghorn`."""

import signal
import sys
from pathlib import Path

from pronghorn import crash


def main() -> None:
    """Runs the program. While its modules are read, Ctrl-C ends it in silence."""
    _import_nothing_from_here()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from pronghorn import cli
    except Exception as error:
        sys.exit(crash.tell(error))
    cli.main()


def _import_nothing_from_here() -> None:
    """`python -m` puts the folder in which one stands before all others. It may be a run's, of another
    person."""
    here = Path.cwd()
    if sys.path[:1] == [str(here)] and not Path(__file__).is_relative_to(here):
        del sys.path[0]


if __name__ == "__main__":
    main()
