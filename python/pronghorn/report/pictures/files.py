"""Pictures on disk: each as SVG and as PNG."""

from collections.abc import Sequence
from pathlib import Path

import vl_convert

from pronghorn.report.pictures.drawn import Picture

SCALE = 2.0
"""Pixels of a PNG for each of the drawing's: sharp on dense screens, and wide enough for print."""


def write(pictures: Sequence[Picture], folder: Path) -> list[Path]:
    """Writes `NAME.svg` and `NAME.png` of each picture into `folder`, which is made where it is missing;
    those of an earlier time are replaced. OSError where that can't be.

    PNGs are drawn with the host's fonts, where it has none with the Liberation Sans that the renderer brings
    along: with the same fonts, the same drawing is the same PNG.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for picture in pictures:
        vector, raster = (folder / f"{picture.name}.{kind}" for kind in ("svg", "png"))
        vector.write_text(picture.svg, encoding="utf-8")
        raster.write_bytes(vl_convert.svg_to_png(picture.svg, scale=SCALE))
        written += [vector, raster]
    return written
