"""Flights: what the connections of one load did over time, the arms on one axis."""

from pronghorn.report.flights.view import Flights, flights

__all__ = ["Flights", "flights"]
