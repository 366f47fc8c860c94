"""IP addresses as they are written beside a port."""


def bracketed(host: str) -> str:
    """A host or an address as URLs, and servers' configurations, write it before a port: an IPv6 address in
    brackets (RFC 3986 §3.2.2), anything else as it is."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
