"""The options of `pronghorn load`, as its help tells them."""

from pathlib import Path
from typing import Annotated

import typer

_CHECK_HELP = (
    "Exit with status 1 unless this holds: METRIC < VALUE (or <=, >, >=, ==, !=), such as 'p99<200ms', "
    "'connect.p50<20ms', 'rps>1000', 'goodput>50MB/s', 'failed<0.1%', 'failed.timeout==0', "
    "'status.503<5'. Repeatable."
)
_WHAT, _HOW, _OVER, _TOLD = "What is requested", "How much and how fast", "Over what", "Output"

Urls = Annotated[
    list[str] | None,
    typer.Argument(metavar="URL...", help="What to load. Several URLs of one host are requested in turn."),
]
InputFile = Annotated[
    str | None,
    typer.Option(
        "--input-file",
        "-i",
        metavar="FILE",
        rich_help_panel=_WHAT,
        help="A target a line: [METHOD] URL or a path of URL's host, JSON, or an access log; '-' is stdin.",
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        "-X",
        metavar="METHOD",
        rich_help_panel=_WHAT,
        help="The requests' method (default: GET; with a body POST).",
    ),
]
Headers = Annotated[
    list[str] | None,
    typer.Option(
        "--header",
        "-H",
        metavar="'NAME: VALUE'",
        rich_help_panel=_WHAT,
        help="A header of each request. Repeatable. 'user-agent:' removes ours.",
    ),
]
Body = Annotated[
    str | None,
    typer.Option(metavar="TEXT", rich_help_panel=_WHAT, help="The body of each request."),
]
Data = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=_WHAT,
        help="A file of any size with the body of each request; '-' is stdin.",
    ),
]
Connections = Annotated[
    int,
    typer.Option(
        "--connections",
        "-c",
        metavar="N",
        min=1,
        rich_help_panel=_HOW,
        help="Concurrent connections, over all threads.",
    ),
]
Streams = Annotated[
    int,
    typer.Option(
        "--streams",
        "-m",
        metavar="N",
        min=1,
        rich_help_panel=_HOW,
        help="Concurrent requests per connection; over HTTP/1.1 the depth of pipelining.",
    ),
]
Threads = Annotated[
    int,
    typer.Option(
        "--threads",
        "-t",
        metavar="N",
        min=1,
        max=1024,
        rich_help_panel=_HOW,
        help="Threads, each with its own connections.",
    ),
]
Requests = Annotated[
    int | None,
    typer.Option(
        "--requests", "-n", metavar="N", min=1, rich_help_panel=_HOW, help="The total number of requests."
    ),
]
Duration = Annotated[
    str | None,
    typer.Option(
        "--duration",
        "-d",
        "-D",
        metavar="TIME",
        rich_help_panel=_HOW,
        help="The duration, such as 30s (default: 10s, unless -n is given).",
    ),
]
WarmUp = Annotated[
    str | None,
    typer.Option(
        metavar="TIME|N",
        rich_help_panel=_HOW,
        help="A time or a number of requests before measuring starts.",
    ),
]
Ramp = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        rich_help_panel=_HOW,
        help="Open the connections, and raise --rate, evenly over this time.",
    ),
]
Rate = Annotated[
    str | None,
    typer.Option(
        metavar="R",
        rich_help_panel=_HOW,
        help="Open loop: requests per second (or R/min), however slow the server is. Latency counts from "
        "when each request was due. Steps: 100:10s,200:10s,400.",
    ),
]
Poisson = Annotated[
    bool,
    typer.Option(
        "--poisson",
        rich_help_panel=_HOW,
        help="With --rate: at random times, like many independent users.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, max=2**64 - 1, rich_help_panel=_HOW, help="The seed of --poisson."),
]
Timeout = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        rich_help_panel=_HOW,
        help="A request that takes longer fails (default: no limit).",
    ),
]
ConnectTimeout = Annotated[
    str, typer.Option(metavar="TIME", rich_help_panel=_HOW, help="A connection that takes longer fails.")
]
Limit = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", rich_help_panel=_HOW, help="End the load after this time, whatever is in flight."
    ),
]
Http = Annotated[
    str | None,
    typer.Option(
        metavar="1.1|2|3",
        rich_help_panel=_OVER,
        help="The only version of HTTP to speak (default: 2, of http:// 1.1).",
    ),
]
Connect = Annotated[
    str,
    typer.Option(
        metavar="keep|each",
        rich_help_panel=_OVER,
        help="Keep connections, or open a new one for each request.",
    ),
]
NoKeepAlive = Annotated[
    bool, typer.Option("--no-keep-alive", rich_help_panel=_OVER, help="The same as --connect each.")
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        rich_help_panel=_OVER,
        help="Resume TLS sessions. An unmeasured connection gets each ticket first.",
    ),
]
Early = Annotated[
    bool,
    typer.Option(
        "--0rtt", rich_help_panel=_OVER, help="Like --resume, with the first requests as early data."
    ),
]
Tls = Annotated[
    str | None,
    typer.Option(
        metavar="1.2|1.3", rich_help_panel=_OVER, help="The only version of TLS to offer (default: 1.3)."
    ),
]
Ca = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=_OVER,
        help="The only authority to trust, PEM (default: the system's).",
    ),
]
Insecure = Annotated[
    bool, typer.Option("--insecure", "-k", rich_help_panel=_OVER, help="Trust any certificate.")
]
Certificate = Annotated[
    Path | None,
    typer.Option(
        "--cert",
        metavar="FILE",
        rich_help_panel=_OVER,
        help="Our own certificate and its chain, PEM, for a server that asks for one.",
    ),
]
Key = Annotated[
    Path | None,
    typer.Option("--key", metavar="FILE", rich_help_panel=_OVER, help="The private key of --cert, PEM."),
]
Control = Annotated[
    str | None,
    typer.Option(
        "--cc",
        metavar="NAME",
        rich_help_panel=_OVER,
        help="Our end's congestion control (default: cubic; behind 'pronghorn path' the path sets TCP's).",
    ),
]
Knobs = Annotated[
    list[str] | None,
    typer.Option(
        "--knob",
        metavar="KEY=VALUE",
        rich_help_panel=_OVER,
        help="A transport setting of our end (docs/experiments.md). Repeatable.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="IP", rich_help_panel=_OVER, help="Connect to this address instead of the URL's host."
    ),
]
Port = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=65535,
        rich_help_panel=_OVER,
        help="Connect to this port instead of the URL's.",
    ),
]
ConnectTo = Annotated[
    str | None,
    typer.Option(
        "--connect-to",
        metavar="HOST[:PORT]",
        rich_help_panel=_OVER,
        help="Connect to this host (and port) instead of the URL's.",
    ),
]
UnixSocket = Annotated[
    Path | None,
    typer.Option(
        "--unix-socket",
        metavar="FILE",
        rich_help_panel=_OVER,
        help="Connect to this Unix socket instead (HTTP/1.1 and 2).",
    ),
]
CheckWords = Annotated[
    list[str] | None, typer.Option("--check", metavar="EXPR", rich_help_panel=_TOLD, help=_CHECK_HELP)
]
AsJson = Annotated[
    bool, typer.Option("--json", rich_help_panel=_TOLD, help="Print one JSON object instead of the table.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        rich_help_panel=_TOLD,
        help="Write the result to this file instead of stdout.",
    ),
]
CsvFile = Annotated[
    Path | None,
    typer.Option(
        "--csv",
        metavar="FILE",
        rich_help_panel=_TOLD,
        help="Append one line to this table; create it if it is missing.",
    ),
]
HistogramLog = Annotated[
    Path | None,
    typer.Option(
        "--hdr-log",
        metavar="FILE",
        rich_help_panel=_TOLD,
        help="Write all latencies as an HdrHistogram log.",
    ),
]
PrometheusFile = Annotated[
    Path | None,
    typer.Option(
        "--prometheus",
        metavar="FILE",
        rich_help_panel=_TOLD,
        help="Write the metrics in Prometheus's text format.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=_TOLD, help="Show no progress.")]
