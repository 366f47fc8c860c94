"""HAR files after whatever befell them: an archive that can be read, or one sentence; never a traceback, and
nothing beside the archive."""

import json
import shutil
from pathlib import Path
from random import Random

from pronghorn.errors import InputError
from pronghorn.importing import bring
from pronghorn.sites.archive import read

from ..runs.mutations import mutated

HARS = sorted((Path(__file__).parent / "hars").glob("*.har"))
CASES = 12
"""Of each maker."""


def test_mutated_hars_become_archives_or_one_sentence(tmp_path: Path) -> None:
    good = 0
    for number, har in enumerate(HARS):
        # Without its indentation, more of what is mutated means something.
        whole = json.dumps(json.loads(har.read_text(encoding="utf-8-sig"))).encode()
        for case in range(CASES):
            folder = tmp_path / "case"
            folder.mkdir()
            file = folder / "site.har"
            file.write_bytes(mutated(whole, Random(number * CASES + case)))
            try:
                told = bring(file, folder / "archive")
            except InputError as error:
                assert "\n" not in error.message
                assert len(error.message) < 700
                assert [one.name for one in folder.iterdir()] == ["site.har"]
            else:
                good += 1
                archive = read(folder / "archive")
                assert len(archive.exchanges) == told.requests
                for one in archive.exchanges:
                    assert one.body is None or len(archive.body(one.body)) == one.body_bytes
            shutil.rmtree(folder)
    assert len(HARS) * CASES // 4 < good < len(HARS) * CASES
