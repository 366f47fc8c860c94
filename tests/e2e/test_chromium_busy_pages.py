"""Pages that never come to rest, or whose requests fail by their own doing, are loaded all the same, and what
was left out is told."""

from pathlib import Path

import pytest

from pronghorn.certificates import Certificates
from pronghorn.model import arm as arms
from pronghorn.trust import proof

from .made_pages import FAVICON, measured

pytestmark = [pytest.mark.needs("namespaces", "chromium"), pytest.mark.beside]

HOST = "origin.pronghorn.test"

RESTLESS = f"""{FAVICON}
<meta http-equiv="Content-Security-Policy" content="style-src 'unsafe-inline'">
<link rel="stylesheet" href="/refused.css">
<style>p {{ font: 16px sans-serif }}</style><p>A page that never comes to rest.</p>
<img src="/dot.png"><img src="https://elsewhere.test/dot.png"><img src="//198.51.100.7/dot.png">
<img src="https://{HOST}:8443/dot.png"><img src="http://{HOST}:8443/dot.png">
<img src="https://{HOST}/dot2.png">
<iframe src="/download.bin"></iframe>
<iframe srcdoc="<img src='/dot3.png'>"></iframe><iframe src="https://elsewhere.test/"></iframe>
<script>
window.unread = [];
for (const name of ['/large.bin', '/large2.bin']) fetch(name).then(response => unread.push(response));
const ending = new AbortController();
fetch('/large3.bin', {{signal: ending.signal}}).catch(() => 0);
setTimeout(() => ending.abort(), 20);
new Worker('/worker.js');
new WebSocket('wss://{HOST}/socket');
navigator.sendBeacon('/.pronghorn/execute');
setInterval(() => fetch('/poll.json').then(response => response.text()), 50);
</script>"""

LEFT_OUT = {
    (f"wss://{HOST}/socket", "socket"),
    (f"https://{HOST}/download.bin", "aborted"),
    (f"https://{HOST}/large.bin", "open"),
    (f"https://{HOST}/large2.bin", "open"),
    (f"https://{HOST}/large3.bin", "aborted"),
    (f"https://{HOST}/refused.css", "blocked"),
    (f"https://{HOST}:8443/dot.png", "other-host"),
    ("https://198.51.100.7/dot.png", "other-host"),
    ("https://elsewhere.test/", "other-host"),
    ("https://elsewhere.test/dot.png", "other-host"),
}


POLLS = {(f"https://{HOST}/{name}", "open") for name in ("poll.json", "poll2.json")}
"""What a poll may be when the load is over."""


@pytest.mark.parametrize("arm", ["h1", "h2", "h3"])
def test_a_page_that_never_rests_is_loaded_and_what_was_left_out_is_told(
    arm: str, identity: Certificates, tmp_path: Path
) -> None:
    found = measured(
        {
            "index.html": RESTLESS,
            **dict.fromkeys(("dot.png", "dot2.png", "dot3.png"), b"no picture"),
            **dict.fromkeys(("large.bin", "large2.bin", "large3.bin"), b"0" * 3_000_000),
            **dict.fromkeys(("poll.json", "poll2.json"), "{}"),
            "download.bin": b"0" * 1000,
            "worker.js": "setInterval(() => fetch('/poll2.json').then(response => response.text()), 50)",
        },
        arm, identity, tmp_path,
    )  # fmt: skip
    page = found.page

    assert (page.outcome, page.detail) == ("ok", None)
    assert proof.mismatch(arms.parse(arm), page, found.log) is None
    left_out = {(one.url, one.why) for one in page.left_out}
    assert left_out - POLLS == LEFT_OUT
    assert page.left_out_count >= len(LEFT_OUT)
    # The browser tells of a worker when its script has come, at times too late to hear the script's response.
    assert {one.protocol for one in page.resources if one.path != "/worker.js"} == {arm}
    paths = {resource.path for resource in page.resources}
    assert paths >= {"/", "/dot.png", "/dot2.png", "/dot3.png", "/worker.js", "/poll.json"}
    assert page.load_s is not None
    assert max(one.start_s or 0.0 for one in page.resources) < page.load_s + 10
