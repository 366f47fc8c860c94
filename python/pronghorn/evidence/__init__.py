"""Where `pronghorn.traps` has its facts from: visits to a live URL, or files that others have left.

| file | what it holds |
|---|---|
| `live.py` | a URL: all of the following, in order |
| `target.py` | the URL itself |
| `hops.py` | redirects, and the header Alt-Svc |
| `names.py` | addresses, and the HTTPS record |
| `probes.py`, `initial.py` | single packets: does a QUIC server answer, to which lengths, with a Retry? |
| `visits.py`, `tcp.py` | loads over h2 and h3, and what the kernel says of TCP meanwhile |
| `qlog.py`, `har.py`, `pcap.py` | files |
"""
