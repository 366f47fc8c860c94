"""A stand-in for `pronghorn-engine generate`: it notes what it is asked for and tells what it was given.

Its behaviour is the JSON in FAKE_GENERATOR: `log` (the file that takes the spec), `progress` (lines to tell),
`report` or `error` (what it ends with), `words` (what it says on stderr before it breaks off), and
`until_stop` (whether it goes on until it is told to stop; with "deaf" it doesn't heed that)."""

import json
import os
import signal
import sys
import time
from pathlib import Path

CONFIGURATION = json.loads(os.environ["FAKE_GENERATOR"])


def tell(**line: object) -> None:
    print(json.dumps(line), flush=True)


def main() -> None:
    assert sys.argv[1:] == ["generate"]
    if CONFIGURATION.get("until_stop"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    Path(CONFIGURATION["log"]).write_text(sys.stdin.read())
    for progress in CONFIGURATION.get("progress", ()):
        tell(progress=progress)
    if CONFIGURATION.get("until_stop") == "deaf":
        time.sleep(60)
    if CONFIGURATION.get("until_stop"):
        signal.sigwait({signal.SIGINT})
    if "words" in CONFIGURATION:
        sys.exit(CONFIGURATION["words"])
    if "error" in CONFIGURATION:
        tell(error=CONFIGURATION["error"])
        sys.exit(1)
    tell(report=CONFIGURATION["report"])


main()
