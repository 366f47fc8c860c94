"""The options of `pronghorn load`, as its help tells them."""

from pathlib import Path
from typing import Annotated

import typer

_CHECK_HELP = (
    "Fail (exit status 1) unless this holds: METRIC < VALUE (or <=, >, >=, ==, !=), such as 'p99<200ms', "
    "'connect.p50<20ms', 'rps>1000', 'goodput>50MB/s', 'failed<0.1%', 'failed.timeout==0', 'status.503<5'. "
    "Repeatable."
)
_WHAT, _HOW, _OVER, _TOLD = "What is requested", "How much and how fast", "Over what", "What is told"

Urls = Annotated[
    list[str] | None,
    typer.Argument(metavar="URL...", help="What to load; several are asked for in turn, on one host."),
]
InputFile = Annotated[
    str | None,
    typer.Option(
        "--input-file",
        "-i",
        metavar="FILE",
        rich_help_panel=_WHAT,
        help="URLs, one a line, or METHOD URL, or paths of URL's host; '-' is stdin.",
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        "-X",
        metavar="METHOD",
        rich_help_panel=_WHAT,
        help="The requests' method (default: GET, with a body POST).",
    ),
]
Headers = Annotated[
    list[str] | None,
    typer.Option(
        "--header",
        "-H",
        metavar="'NAME: VALUE'",
        rich_help_panel=_WHAT,
        help="A header of each request. Repeatable; 'user-agent:' takes ours away.",
    ),
]
Body = Annotated[
    str | None,
    typer.Option(metavar="TEXT", rich_help_panel=_WHAT, help="Each request's body."),
]
Data = Annotated[
    Path | None,
    typer.Option(metavar="FILE", rich_help_panel=_WHAT, help="A file that holds each request's body."),
]
Connections = Annotated[
    int,
    typer.Option(
        "--connections",
        "-c",
        metavar="N",
        min=1,
        rich_help_panel=_HOW,
        help="Connections at a time, over all threads.",
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
        help="Requests at a time on each; over HTTP/1.1 the depth of pipelining.",
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
        "--requests", "-n", metavar="N", min=1, rich_help_panel=_HOW, help="So many requests in all."
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
        help="For so long, such as 30s (default: 10s, unless -n says otherwise).",
    ),
]
WarmUp = Annotated[
    str | None,
    typer.Option(
        metavar="TIME|N",
        rich_help_panel=_HOW,
        help="So long, or so many requests, before anything is measured.",
    ),
]
Ramp = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        rich_help_panel=_HOW,
        help="Open the connections, and let --rate rise, evenly over it.",
    ),
]
Rate = Annotated[
    str | None,
    typer.Option(
        metavar="R",
        rich_help_panel=_HOW,
        help="Open loop: so many requests are due a second (or R/min), whatever the "
        "server does; latency counts from when each was due.",
    ),
]
Poisson = Annotated[
    bool,
    typer.Option(
        "--poisson",
        rich_help_panel=_HOW,
        help="With --rate: at random times, as of many independent users.",
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
        help="A request that takes longer fails (default: none does).",
    ),
]
ConnectTimeout = Annotated[
    str, typer.Option(metavar="TIME", rich_help_panel=_HOW, help="A connection that takes longer fails.")
]
Limit = Annotated[
    str | None,
    typer.Option(metavar="TIME", rich_help_panel=_HOW, help="After so long all ends, whatever is in flight."),
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
        help="Keep connections, or make a new one for each request.",
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
        help="Resume TLS sessions, each gained by an unmeasured connection before.",
    ),
]
Early = Annotated[
    bool,
    typer.Option(
        "--0rtt", rich_help_panel=_OVER, help="As --resume, and the first requests travel as early data."
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
Control = Annotated[
    str | None,
    typer.Option(
        "--cc",
        metavar="NAME",
        rich_help_panel=_OVER,
        help="Our end's congestion control (default: cubic; within 'pronghorn path' TCP's is the path's).",
    ),
]
Knobs = Annotated[
    list[str] | None,
    typer.Option(
        "--knob",
        metavar="KEY=VALUE",
        rich_help_panel=_OVER,
        help="Set up our end's transport (docs/experiments.md). Repeatable.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="IP", rich_help_panel=_OVER, help="Connect there, whatever the URL's name leads to."
    ),
]
Port = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=65535,
        rich_help_panel=_OVER,
        help="Connect to this port in place of the URL's.",
    ),
]
CheckWords = Annotated[
    list[str] | None, typer.Option("--check", metavar="EXPR", rich_help_panel=_TOLD, help=_CHECK_HELP)
]
AsJson = Annotated[
    bool, typer.Option("--json", rich_help_panel=_TOLD, help="Print one JSON object, not the table.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        rich_help_panel=_TOLD,
        help="Write the result there, not to stdout.",
    ),
]
CsvFile = Annotated[
    Path | None,
    typer.Option(
        "--csv",
        metavar="FILE",
        rich_help_panel=_TOLD,
        help="Add one line to this table, which is made where there is none.",
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
Quiet = Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=_TOLD, help="Tell nothing on the way.")]
