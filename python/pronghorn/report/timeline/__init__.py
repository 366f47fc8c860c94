"""Timelines: what of each stream had arrived, what was usable and what waited, h2 beside h3."""

from pronghorn.report.timeline.view import Panel, Timeline, timeline

__all__ = ["Panel", "Timeline", "timeline"]
