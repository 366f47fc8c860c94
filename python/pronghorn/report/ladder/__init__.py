"""Handshake ladders: the packets of a load's first connection up to the first byte of the first response."""

from pronghorn.report.ladder.view import Ladders, ladders

__all__ = ["Ladders", "ladders"]
