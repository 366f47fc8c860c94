"""Lines of tc(8) as a path: what netem, tbf and htb would do to a link, in a path's own keys.

    commands.py     a text to tc's commands: each a queueing discipline or a class, and where it hangs
    quantities.py   tc's numbers and units, and how a path writes the same
    options.py      walking through the words of one discipline
    netem.py        netem's options
    shapers.py      tbf, htb's classes, and the queues: fifo, codel, fq_codel
    translate.py    all of it together: a link's keys, and what is not the same

Semantics after tc-netem(8), tc-tbf(8), tc-htb(8) and iproute2's own parsers (tc/q_netem.c, tc/q_tbf.c,
lib/utils_math.c). What a path can't do is refused, with the stage that is missing."""

from pronghorn.tc.translate import Translation, translate

__all__ = ["Translation", "translate"]
