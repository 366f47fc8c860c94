"""Paths within paths, and beside each other."""

import shlex
from pathlib import Path

import pytest

from .nests import ten_paths
from .path_command import path, within

pytestmark = [pytest.mark.needs("namespaces"), pytest.mark.beside]


def test_siblings_have_addresses_of_their_own(tmp_path: Path) -> None:
    """Where they share a namespace: the two paths lie side by side behind a third, until both are there."""
    told = """\
echo "$PRONGHORN_CLIENT"
mktemp there.XXXXXX > /dev/null
for _ in $(seq 600); do
    [ $(ls there.* | wc -l) = 2 ] && exit
    sleep 0.1
done
"""
    one = shlex.join(within("delay=1ms", "--quiet", "--", "sh", "-c", told))
    result = path(
        "delay=1ms", "--server", "sleep 99", "--", "sh", "-c", f"{one} & {one} & wait", folder=tmp_path
    )
    clients = result.stdout.split()
    assert len(set(clients)) == 2, result


@pytest.mark.needs("guest")
def test_in_virtual_time_ten_nested_paths_are_exact(tmp_path: Path) -> None:
    nest = ten_paths("10ms", 4, 0.1, "guest", tmp_path / "nest")
    assert min(nest.round_trips_ms) >= 200
    assert max(nest.round_trips_ms) <= 200.1


@pytest.mark.parametrize("isolation", [pytest.param("root", marks=pytest.mark.needs("root")), "user"])
def test_ten_nested_paths_take_what_they_are_asked(isolation: str, tmp_path: Path) -> None:
    """Ten paths of 10 ms each way: no ping takes less than 200 ms, nor the median longer than the largest of
    what each link tells of its lateness. How near it comes is asked by `make verify`."""
    nest = ten_paths("10ms", 8, 0.1, isolation, tmp_path / "nest")
    assert min(nest.round_trips_ms) >= 200
    assert nest.median_ms - 200 <= nest.latest_ms
