"""Chromium as a client: the system's own, or the one that Playwright brings."""

from pronghorn.clients.chromium.client import Chromium

__all__ = ["Chromium"]
