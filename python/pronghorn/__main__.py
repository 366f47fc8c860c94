"""`python -m pronghorn`: the same as the command `pronghorn`."""

from pronghorn.cli import main

if __name__ == "__main__":
    main()
