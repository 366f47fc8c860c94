"""Whether a trial may be trusted, is possible, and is what was asked for; and where its time went.

guard.py        the path was on time, its devices dropped nothing, the host was not starved
physics.py      the bounds that no load can beat
proof.py        protocol and congestion control, as both ends saw them
time_parts.py   the parts of the trial's time
"""
