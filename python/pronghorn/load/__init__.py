"""The load generator's control side: what is asked of it, what it measured, and how that is told.

| question | file |
|---|---|
| what can be asked of the engine | `spec.py` |
| which URLs, methods, headers and bodies | `targets.py` |
| which connections, and what of them can't be | `transport.py` |
| at which address a name is reached | `resolve.py` |
| how the engine is run and stopped | `generator.py` |
| what was measured | `model/load_report.py` |
| from how many samples a percentile is told | `model/percentiles.py` |
| what a person ought to know of a result | `cautions.py` |
| what a person typed of what the engine refuses | `refusals.py` |
| why nothing succeeded, and what to do | `fruitless.py`, `tls_hints.py` |
| `--check` | `checks.py` |
| numbers for people | `figures.py` |
| outputs | `text.py`, `record.py` (JSON), `table.py` (CSV), `prometheus.py` |
"""
