"""A trial's flight, as it lies in the run's directory."""

from pathlib import Path

from pydantic import ValidationError

from pronghorn import reading
from pronghorn.model import bounds
from pronghorn.model.flight import Flight
from pronghorn.model.trial import Trial

FLIGHT = "flight"
"""The artifact's name."""


class Unreadable(Exception):
    """There is no flight to be shown of a trial: why, as a clause that names the file."""


def has_flight(trial: Trial) -> bool:
    """Whether a trial left a flight."""
    return FLIGHT in trial.artifacts


def flight_of(run: Path, trial: Trial) -> Flight:
    """The flight that a trial has left in the directory `run`; Unreadable where it is no more there, or
    broken."""
    name = trial.artifacts[FLIGHT]
    file = run / name
    if not file.resolve().is_relative_to(run.resolve()):
        raise Unreadable(f"{name} is not within the run's directory")
    try:
        return Flight.model_validate_json(reading.content(file, reading.MOST_ARTIFACT, "a flight"))
    except reading.Unreadable as error:
        raise Unreadable(f"{name} can't be read: {error}") from error
    except ValidationError as error:
        raise Unreadable(f"{name} is no flight: {bounds.wrong(error)}") from error
