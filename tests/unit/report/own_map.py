"""A map that lies beside its run."""

import json
from pathlib import Path

SENTENCE = "On small, HTTP/3 wins above about 1.5 % of loss."


DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"><title>a map</title></svg>'


def left(run: Path, **changes: object) -> Path:
    folder = run / "map"
    folder.mkdir(parents=True)
    (folder / "map.toml").write_text("", encoding="utf-8")
    told = {"site": "small", "arm": "h3", "baseline": "h2", "sentences": [SENTENCE], **changes}
    (folder / "map.json").write_text(json.dumps(told), encoding="utf-8")
    (folder / "map.svg").write_text(DRAWING, encoding="utf-8")
    return folder
