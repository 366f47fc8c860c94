"""Known traps of HTTP/3: facts of visits or files in, findings out. Nothing here reads or sends.

| file | what it holds |
|---|---|
| `facts.py` | what is known |
| `catalogue.py` | the traps, and what mends each |
| `rules` | when each fits |
| `compared.py`, `window.py` | what rules ask of the visits |
| `parts.py` | where a visit's time went |
| `judged.py` | all rules together, and what to change first |
"""

from pronghorn.traps.judged import Judged as Judged
from pronghorn.traps.judged import advice as advice
from pronghorn.traps.judged import judge as judge
