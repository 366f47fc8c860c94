"""A server that had no room for another connection is told with the mend, not as a fault of the protocol."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pronghorn.execute.stage import Stage
from pronghorn.model.trial import PageLoad
from pronghorn.origins import exhaustion, nginx_conf


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("2026/11/25 [alert] 7#7: *9 768 worker_connections are not enough", "nginx:tuned"),
        ("[crit] accept4() failed (24: Too many open files)", "ulimit -n"),
        ("http: Accept error: accept tcp: too many open files; retrying", "ulimit -n"),
    ],
)
def test_what_a_server_lacked_is_told_with_the_mend(line: str, word: str) -> None:
    assert word in (exhaustion.hint(f"some other line\n{line}\n") or "")


def test_other_lines_say_nothing() -> None:
    assert exhaustion.hint("[error] open() failed (2: No such file or directory)") is None


@pytest.mark.parametrize("outcome", ["ok", "failed"])
def test_a_failed_load_names_what_the_server_lacked(outcome: str) -> None:
    async def running() -> None:
        return None

    origin = SimpleNamespace(ended=running, last_lines=lambda: "768 worker_connections are not enough")
    page = PageLoad.model_validate({"outcome": outcome, "reason": "connection", "detail": "33 were reset"})
    stage = Stage.__new__(Stage)
    told = asyncio.run(stage._explained(page, cast(Any, origin)))
    assert (told.detail == "33 were reset") == (outcome == "ok")
    assert (told.detail or "").startswith("33 were reset")


def test_nginx_keeps_what_debian_ships_and_tuned_has_room_for_streams() -> None:
    assert "worker_connections 768;" in nginx_conf.shipped()
    assert "worker_connections 16384;" in nginx_conf.tuned()
