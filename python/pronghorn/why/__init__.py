"""Why a page load took as long as it did: its parts along the critical chain, from what the client tells of
its requests (`PageLoad`) and what the path saw of its packets (`Arrivals`).

| file | what it holds |
|---|---|
| `parts.py` | the whole: links of the chain, each given to its parts |
| `chain.py` | what the client waited for, from the load's end back to its start |
| `requests.py` | which stream carried which resource |
| `response.py` | from a request to its answer |
| `setup.py` | a connection's set-up |
| `wire.py` | a connection's packets: under way, at the bottleneck, acknowledged |
| `flow_control.py` | when windows kept a sender from sending |
| `head_of_line.py` | what had arrived and waited, by stream |
| `spans.py`, `ledger.py` | sets of moments, and a stretch whose moments are given away once |
"""

from pronghorn.why.parts import divide as divide
