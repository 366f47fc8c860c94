"""How much an archive may hold: far more than a page loads, and little enough for a machine's memory."""

MOST_EXCHANGES = 20_000
"""Lines of requests.jsonl."""

MOST_LINE = 4 * 2**20
"""Bytes of one line."""

MOST_BODY = 256 * 2**20
"""Bytes of one body, as sent and decoded (256 MiB)."""

MOST_BODIES = 2 * 2**30
"""Bytes of all bodies together, each counted once (2 GiB)."""

MOST_URL = 64 * 2**10
"""Characters of a URL."""

MOST_HEADERS = 500
"""Headers of one message."""

MOST_HEADER = 256 * 2**10
"""Characters of one header, its name and its value."""

MOST_HOSTS = 2000
"""Hosts of a site."""
