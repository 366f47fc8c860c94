"""How a browser is started."""

from pronghorn.browser.browser import service_workers
from pronghorn.browser.job import Job

JOB = Job("", [], "https://a.test/", 30.0, 1, 1, 1.0, True, {}, True, ())


def test_a_replayed_page_has_no_service_workers_as_when_it_was_recorded() -> None:
    assert service_workers(JOB) == "allow"
    assert service_workers(JOB._replace(recorded=("a.test",))) == "block"
