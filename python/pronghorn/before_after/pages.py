"""Whether two runs loaded the same pages: a change of what was loaded is no change of the server's speed."""

from collections.abc import Iterator, Mapping, Sequence

from pronghorn.analysis import likeness
from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.loaded import extent, loaded
from pronghorn.analysis.numbers import count
from pronghorn.model.caution import Caution
from pronghorn.model.trial import Cell

DIFFERENT = "different-pages"


def cautions(
    before: Mapping[Cell, CellTrials],
    after: Mapping[Cell, CellTrials],
    arms: Sequence[str],
    titles: Mapping[Cell, str],
) -> Iterator[Caution]:
    """One warning where loads of the same arm and cell differ by more than a tenth in requests or bytes from
    one run to the other, or where one run left out more than a tenth of the page."""
    found = []
    for cell, title in titles.items():
        for arm in arms:
            earlier, later = (loaded(run[cell].of(arm)) for run in (before, after))
            if earlier is None or later is None:
                continue
            short = max(earlier.left_out_share, later.left_out_share) > likeness.TENTH
            if short or likeness.differ(earlier, later):
                found.append(f"{arm} on {title} loaded {extent(earlier)} before and {extent(later)} after")
    if found:
        more = f". The same holds for {count(len(found) - 1, 'other')}" if len(found) > 1 else ""
        yield Caution(
            DIFFERENT,
            f"The runs loaded different pages, or left much out: {found[0]}{more}.",
            "The change includes that of the page, not only the server's.",
        )
