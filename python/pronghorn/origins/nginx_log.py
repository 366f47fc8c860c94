"""nginx's access log in the form of `nginx_conf`: its requests, or how many there are of each kind."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from pronghorn.errors import InputError
from pronghorn.model import bounds, foreign
from pronghorn.model.trial import OriginRequest
from pronghorn.origins import nginx_conf
from pronghorn.origins.counts import Count, Counts, Kind, add
from pronghorn.sites.hosts import Replay

_PROTOCOLS = {"HTTP/1.0": "h1", "HTTP/1.1": "h1", "HTTP/2.0": "h2", "HTTP/3.0": "h3"}


class LogCounter:
    """Counts an access log as it grows, in bounded memory: each line is read once."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read_bytes = 0
        self._found: dict[Kind, Count] = {}

    def counts(self) -> Counts:
        """All whole lines so far; InputError as `requests` has it."""
        try:
            with self._file.open("rb") as log:
                log.seek(self._read_bytes)
                for line in log:
                    if not line.endswith(b"\n"):
                        break
                    self._read_bytes += len(line)
                    self._count(line)
        except FileNotFoundError:
            pass
        return dict(self._found)

    def _count(self, line: bytes) -> None:
        try:
            entry = foreign.json_table(line)
            seen = entry["protocol"]
            kind = Kind(entry["path"], _PROTOCOLS.get(seen, seen), entry["status"])
            add(self._found, kind, 1, int(entry["bytes"]))
        except (ValueError, KeyError, TypeError) as error:
            raise _of_another_form(error) from error


def requests(lines: Sequence[str], replay: Replay | None = None) -> list[OriginRequest]:
    """The requests of an access log's lines, of a recorded site with their hosts; InputError where they are
    not of the form of `nginx_conf`."""
    try:
        return [_request(line, replay) for line in lines]
    except ValidationError as error:
        raise _of_another_form(bounds.wrong(error)) from error
    except (ValueError, KeyError, TypeError) as error:
        raise _of_another_form(error) from error


def _of_another_form(error: Exception | str) -> InputError:
    return InputError(
        f"nginx's access log lacks the form that proves what was served: {error}.",
        hint=f"Add to the configuration: log_format pronghorn escape=json '{nginx_conf.LOG_FORMAT}';",
    )


def _request(line: str, replay: Replay | None) -> OriginRequest:
    entry = foreign.json_table(line)
    if replay is not None:
        entry["path"] = replay.named(entry.pop("host"), entry["path"])
    seen = entry["protocol"]
    served_s = entry.pop("duration_s", None)
    return OriginRequest.model_validate(
        {"served_s": served_s, **entry, "protocol": _PROTOCOLS.get(seen, seen)}
    )
