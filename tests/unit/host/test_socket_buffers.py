"""What the kernel gives a socket of this user's is known before it is asked for."""

import pytest

from pronghorn.host.socket_buffers import Direction, obtainable


@pytest.mark.parametrize("direction", ["receive", "send"])
def test_what_the_kernel_gives_is_as_asked_or_less(direction: Direction) -> None:
    assert obtainable(direction, 65536) == 65536
    most = obtainable(direction, 2**29)
    assert 65536 < most <= 2**29
    assert obtainable(direction, most) == most
