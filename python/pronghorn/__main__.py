"""`python -m pronghorn`: the same as the command `pronghorn`."""

import signal
import sys

from pronghorn import crash


def main() -> None:
    """Runs the program. While its modules are read, Ctrl-C ends it in silence."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from pronghorn import cli
    except Exception as error:
        sys.exit(crash.tell(error))
    cli.main()


if __name__ == "__main__":
    main()
