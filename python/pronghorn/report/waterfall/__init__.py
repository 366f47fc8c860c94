"""Waterfalls: when one load's requests waited, for what, and over which connections."""

from pronghorn.report.waterfall.panel import Panel, Waterfalls, waterfalls

__all__ = ["Panel", "Waterfalls", "waterfalls"]
