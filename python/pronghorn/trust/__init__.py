"""Whether a trial may be trusted, is possible, and is what was asked for; and where its time went.

guard.py        the path was on time, its devices dropped nothing, the host was not starved
physics.py      the bounds that no load can beat
proof.py        protocol and congestion control, as both ends saw them
left_out.py     what a client left out of its load, as an origin's log has it
misses.py       what a replayed page asked for that was not recorded
time_parts.py   the parts of the trial's time
"""
