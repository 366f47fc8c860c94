"""Pronghorn from Python: runs are made, opened, and read as polars frames.

| question | file |
|---|---|
| what is known of a run | `opened.py` |
| which columns have its frames | `frames.py` |
| how is a run made | `running.py` |
"""

from pronghorn.face.opened import Run, open_run
from pronghorn.face.running import RunFailed, run

__all__ = ["Run", "RunFailed", "open_run", "run"]
