"""A path of IPv6: what its hosts speak, what fits into its packets, and what it can't have."""

import pytest

from pronghorn.errors import InputError
from pronghorn.model import experiment_file
from pronghorn.model.path import PathProfile, from_words

SHIPPED = experiment_file.shipped_paths()


def path(*words: str) -> PathProfile:
    return from_words(words, SHIPPED)


def refusal(*words: str) -> str:
    with pytest.raises(InputError) as refused:
        path(*words)
    return refused.value.message


def test_the_family_reaches_engine_and_manifest_where_it_is_written() -> None:
    six, four = path("lte", "family=6").spec, path("lte").spec
    assert six is not None and four is not None
    assert (six.ip, four.ip) == (6, 4)
    assert six.to_engine()["family"] == six.to_manifest()["family"] == 6
    assert "family" not in four.to_engine()
    assert six.model_copy(update={"family": None}) == four


def test_ipv6s_header_takes_twenty_bytes_more() -> None:
    for words, mtu in (([], 1500), (["mtu=1400B"], 1400)):
        six, four = path("lte", "family=6", *words).spec, path("lte", *words).spec
        assert six is not None and four is not None
        assert (four.mss_bytes, four.udp_payload_bytes) == (mtu - 52, mtu - 28)
        assert (six.mss_bytes, six.udp_payload_bytes) == (mtu - 72, mtu - 48)


@pytest.mark.parametrize("family", ["5", "v6", "true", "6.0"])
def test_another_family_is_refused(family: str) -> None:
    assert "a path's version of IP is 4 or 6, not " in refusal("lte", f"family={family}")


def test_what_ipv6_has_not_is_refused() -> None:
    assert "with family = 6 an MTU is at least 1280B, not 1279B" in refusal("lte", "family=6", "mtu=1279B")
    assert path("lte", "family=6", "mtu=1280B").spec is not None
    assert path("lte", "mtu=1279B").spec is not None
    assert "a path with family = 6 has no NAT to rebind" in refusal("lte", "family=6", "rebind=[2s]")


def test_a_handover_keeps_the_family() -> None:
    to_wifi = "handover={ at = '2s', to = 'wifi' }"
    assert "'wifi' has family = 4, this path 6; a handover keeps it" in refusal("lte", "family=6", to_wifi)
    assert path("lte", to_wifi).spec is not None
