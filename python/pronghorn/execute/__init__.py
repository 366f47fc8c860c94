"""From a plan to its journal: slots, engines and trials, with fresh or kept state.

preflight.py, calibrate.py   one load of each arm, and each path checked, before the trials
slots.py                     blocks side by side, as many as the host can carry
rounds.py                    which blocks come next, and when a cell gets no more
turns.py, quiet_host.py      what waits for others, or for a quiet host
fresh.py, kept.py            a new bench for each trial, or one for each arm
stage.py, trial.py           a bench with origin and client; one load on it
beside.py                    the load that runs beside a page load
progress.py                  what a block still lacks, in a run and its resumption
"""
