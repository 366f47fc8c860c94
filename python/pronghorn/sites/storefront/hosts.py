"""The eight hosts: four of the shop's own, four third parties."""

from collections.abc import Mapping
from types import MappingProxyType

from pronghorn.sites.archive import Host

WWW = "https://www.shop.example"
STATIC = "https://static.shop.example"
IMAGES = "https://img.shop.example"
API = "https://api.shop.example"
FONTS = "https://fonts.letters.example"
TAGS = "https://tags.metrics.example"
WIDGET = "https://widget.pay.example"
ADS = "https://ads.market.example"

_EDGE, _CENTRE = 1, 2
"""Groups: a content delivery network's edge, and the data centre behind it."""


def name_of(base: str) -> str:
    """The name of a host of the above."""
    return base.partition("//")[2]


HOSTS: Mapping[str, Host] = MappingProxyType(
    {
        name_of(base): host
        for base, host in {
            WWW: Host(
                first_party=True, protocols=("h1", "h2", "h3"), group=_CENTRE, rtt_s=0.03, delay="10ms"
            ),
            API: Host(
                first_party=True, protocols=("h1", "h2", "h3"), group=_CENTRE, rtt_s=0.03, delay="10ms"
            ),
            STATIC: Host(first_party=True, protocols=("h1", "h2", "h3"), group=_EDGE, rtt_s=0.02),
            IMAGES: Host(first_party=True, protocols=("h1", "h2", "h3"), group=_EDGE, rtt_s=0.02),
            FONTS: Host(first_party=False, protocols=("h2", "h3"), group=3, rtt_s=0.02),
            TAGS: Host(first_party=False, protocols=("h2", "h3"), group=4, rtt_s=0.024, delay="4ms"),
            WIDGET: Host(first_party=False, protocols=("h2",), group=5, rtt_s=0.028, delay="8ms"),
            ADS: Host(first_party=False, protocols=("h1",), group=6, rtt_s=0.032, delay="12ms"),
        }.items()
    }
)
"""By name. The line to the edge has a round trip of 20 ms, and `delay` is what a host lies beyond it."""
