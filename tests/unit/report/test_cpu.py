"""The columns of CPU time beside load times: both ends' in real time, a guest's in virtual time."""

from pronghorn.model.trial import CpuSeconds, Trial
from pronghorn.report.cpu import cpu_times

from ..analysis.synthetic import cell, trial


def loads(*cpus: CpuSeconds) -> list[Trial]:
    return [
        trial(cell("lte"), "h2", number, 1.0).model_copy(update={"cpu": cpu})
        for number, cpu in enumerate(cpus)
    ]


def test_both_ends_have_a_column_each() -> None:
    found = cpu_times({"h2": loads(CpuSeconds(client_s=0.01, origin_s=0.002)), "h3": loads(CpuSeconds())})
    assert found is not None
    assert found.headings == ("client CPU", "origin CPU")
    assert found.arms == {"h2": ("10.0", "2.00"), "h3": ("–", "–")}


def test_a_guest_has_one() -> None:
    guests = [CpuSeconds(guest_s=seconds) for seconds in (0.3, 0.1, 0.2)]
    found = cpu_times({"h2": loads(*guests)})
    assert found is not None
    assert (found.of, found.headings) == ("the whole guest", ("guest CPU",))
    assert found.arms == {"h2": ("200",)}


def test_where_nobody_tells_there_is_no_column() -> None:
    assert cpu_times({"h2": loads(CpuSeconds())}) is None
