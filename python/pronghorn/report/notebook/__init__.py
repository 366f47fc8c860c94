"""A run as a notebook: its figures and charts redone from its table of trials, step by step."""

from pronghorn.report.notebook.execution import executed as executed
from pronghorn.report.notebook.execution import require as require
