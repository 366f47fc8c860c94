"""The probes of `pronghorn check`: they do the I/O and return facts. One file a kind; `look.py` conducts
them."""
