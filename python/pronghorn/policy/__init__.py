"""The gateway's policy: fitted from break-even maps, shown, and judged over simulated clients.

`maps.py` reads maps, `axes.py` chooses the policy's nodes, `fit.py` makes a policy of the maps' surfaces
and noise, `file.py` is its file; `unseen.py` says how well surfaces foretell what they didn't see,
`between_clients.py` how much networks differ that look alike, `scatter.py` and `responses.py` how much
pages and a page's responses scatter (sums of `squares.py`). `show.py` tells a person what is in a policy.
`population.py`, `worlds.py` and `measured.py` say on whom it is judged (networks, true surfaces, trials of
a run), `simulate.py` has the engine do it, `lab.py` does so by measured times, `halves.py` on points that a
fit left out; `outcome.py`, `bound.py` and `terminal.py` are what comes of it. The decision core itself is
`crates/policy`, the simulation `crates/population`.
"""
