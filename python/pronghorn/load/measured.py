"""A load with its result, as all outputs tell it."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from pronghorn.load.cautions import Caution
from pronghorn.load.checks import Result
from pronghorn.load.spec import LoadSpec
from pronghorn.model.load_report import LoadReport, Progress


class Measured(NamedTuple):
    """`url` is the first one as it was asked for, `began` the local time with its zone."""

    url: str
    began: datetime
    spec: LoadSpec
    report: LoadReport
    series: Sequence[Progress] = ()
    cautions: Sequence[Caution] = ()
    results: Sequence[Result] = ()
    interrupted: bool = False
