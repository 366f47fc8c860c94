"""Programs that say which version they are."""

from pathlib import Path

OLD = "nginx version: nginx/1.26.3\nbuilt with OpenSSL 3.5.7\nconfigure arguments: --with-http_v3_module"
"""What an nginx says that can be named by its version only."""

GOOD = OLD.replace("1.26.3", "1.30.6")
"""What one says that is new enough for the plain name."""


def program(file: Path, said: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n/bin/cat >&2 <<'end'\n{said}\nend\n")
    file.chmod(0o755)
    return file
