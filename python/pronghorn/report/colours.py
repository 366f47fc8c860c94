"""A verdict's colour on a terminal."""

from pronghorn.model.summary import Verdict

COLOURS: dict[Verdict, str] = {"faster": "green", "slower": "red", "same": "cyan", "undecided": "yellow"}
