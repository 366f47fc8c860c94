"""`pronghorn policy`: the gateway's policy, fitted from maps, shown, and judged over simulated clients."""

import json
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pronghorn.cli.results import refuse_unwritable, writing_results
from pronghorn.cli.words import Command
from pronghorn.errors import EXIT_CHECK_FAILED, InputError, unknown
from pronghorn.model import units
from pronghorn.policy import (
    bound,
    halves,
    lab,
    maps,
    measured,
    outcome,
    parsed,
    population,
    simulate,
    terminal,
)
from pronghorn.policy import file as files
from pronghorn.policy import fit as fitting
from pronghorn.policy import show as showing
from pronghorn.policy.measured import MeasuredCell
from pronghorn.policy.parsed import Client, Parsed
from pronghorn.policy.simulate import Asked
from pronghorn.runs import journal

APP = typer.Typer(
    help="Fit the gateway's policy from maps, show it, and simulate it over many clients.",
    no_args_is_help=True,
    add_completion=False,
)

_CLIENTS, _DAYS = 100_000, 3.0
_JUDGING = 20_000
_KEYS = ("rtt", "loss", "rate", "tcp")

_PolicyFile = Annotated[Path, typer.Argument(metavar="FILE", help="The policy file.")]
_SiteWeight = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SITE=NUMBER",
        help="The weight of a site's maps if several sites were mapped (default: 1 each).",
    ),
]
_Alike = Annotated[
    Path | None,
    typer.Option(
        metavar="RUN",
        help="A run with paths that look alike to a gateway, to measure how much their ratios differ "
        "(default: a guess).",
    ),
]
_PopulationFile = Annotated[
    Path | None,
    typer.Option(
        "--population", metavar="FILE", help="Who the clients are (default: visitors from everywhere)."
    ),
]
_Downgrade = Annotated[
    str, typer.Option(metavar="HOW", help="How the gateway stops offering h3: lease, clear or off.")
]
_MaxAge = Annotated[int | None, typer.Option(metavar="SECONDS", help="Alt-Svc's ma (default: the policy's).")]
_CheckBound = Annotated[
    bool, typer.Option("--check-bound", help="Exit with status 1 if the bound doesn't hold for a control.")
]
_Seed = Annotated[int | None, typer.Option(metavar="N", help="The seed of every random draw.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]


@APP.command(cls=Command)
def fit(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="MAP…", help="Directories of 'pronghorn map', h3 against h2."),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write the policy file.")],
    site_weight: _SiteWeight = None,
    alike: _Alike = None,
) -> None:
    """Make a policy file of break-even maps of h3 against h2."""
    refuse_unwritable(out)
    weights = dict(_weight(text) for text in site_weight or ())
    seen = [maps.read(folder) for folder in folders]
    policy = fitting.policy(seen, weights, _like(alike))
    journal.replace(out, files.text(policy).encode())
    with writing_results(out):
        print(f"{policy.about}.")
        for line in terminal.of_fit(seen, policy):
            print(line)
        print(f"Policy: {out}")


@APP.command(cls=Command)
def validate(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="MAP…", help="Directories of 'pronghorn map', h3 against h2."),
    ],
    site_weight: _SiteWeight = None,
    alike: _Alike = None,
    population_file: _PopulationFile = None,
    clients: Annotated[
        int, typer.Option(metavar="N", help="The number of clients for each control and half of the points.")
    ] = _JUDGING,
    days: Annotated[float, typer.Option(metavar="N", help="The number of days.")] = _DAYS,
    downgrade: _Downgrade = "lease",
    max_age: _MaxAge = None,
    check_bound: _CheckBound = False,
    seed: _Seed = None,
    as_json: _Json = False,
) -> None:
    """Judge the policy of maps on points that its fit did not see, half of them at a time."""
    asked = Asked(
        clients=clients,
        days=days,
        seed=secrets.randbits(32) if seed is None else seed,
        downgrade=downgrade,
        max_age_s=max_age,
    )
    simulate.check(asked, run=None)
    weights = dict(_weight(text) for text in site_weight or ())
    both = halves.halves([maps.read(folder) for folder in folders], weights, _like(alike))
    people = population.read(population_file)
    cases = [
        lab.Case(parsed.of_text(f"the policy of the {name} half", files.text(half.policy)), half.cells())
        for name, half in zip(("first", "second"), both, strict=True)
    ]
    errors = halves.errors(both)
    found = lab.judge(cases, people, asked, drawn_cells=True)
    with writing_results():
        if as_json:
            unseen = {control: error._asdict() for control, error in errors.items()}
            print(json.dumps({"seed": asked.seed, "unseen": unseen} | found.document(), indent=2))
        else:
            print(terminal.of_halves(errors, found))
    _exit(asked=check_bound, holds=all(one.holds for one in found.judgements))


@APP.command(cls=Command)
def show(
    file: _PolicyFile,
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE,…",
            help="Show the decision for such a client: rtt=60ms,loss=1%,rate=20Mbit,tcp=cubic. Leave out "
            "what is unknown.",
        ),
    ] = None,
    as_json: _Json = False,
) -> None:
    """Show a policy file: where h3 is offered, and what a client gets of whom little is known."""
    policy = parsed.read(file)
    asked = [client for text in key or () for client in _clients(text, policy)]
    with writing_results():
        if as_json:
            print(json.dumps(showing.document(policy, asked), indent=2))
        else:
            print(showing.text(policy, asked), end="")


@APP.command(name="simulate", cls=Command)
def simulate_(
    file: _PolicyFile,
    population_file: _PopulationFile = None,
    clients: Annotated[
        int, typer.Option(metavar="N", help="The number of clients with each of TCP's congestion controls.")
    ] = _CLIENTS,
    days: Annotated[float, typer.Option(metavar="N", help="The number of days.")] = _DAYS,
    cells: Annotated[
        bool,
        typer.Option(
            "--cells", help="Networks midway between the policy's nodes, with as many clients on each."
        ),
    ] = False,
    truth: Annotated[
        list[Path] | None,
        typer.Option(
            "--map", metavar="DIR", help="The truth is what this map measured, within its uncertainty."
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Networks and times are those measured in this run's cells."),
    ] = None,
    downgrade: _Downgrade = "lease",
    max_age: _MaxAge = None,
    holdout: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="The share pinned to each protocol (default: the policy's)."),
    ] = None,
    tcp: Annotated[
        str | None,
        typer.Option(
            metavar="CONTROL", help="Only this congestion control of TCP (default: each separately)."
        ),
    ] = None,
    check_bound: _CheckBound = False,
    seed: _Seed = None,
    as_json: _Json = False,
) -> None:
    """Judge a policy over simulated clients: what they waited for in vain, beside other rules."""
    asked = Asked(
        clients=clients,
        days=days,
        seed=secrets.randbits(32) if seed is None else seed,
        downgrade=downgrade,
        max_age_s=max_age,
        holdout=holdout,
        cells=cells,
        maps=[maps.read(folder) for folder in truth or ()],
        tcp=tcp,
    )
    simulate.check(asked, run=run)
    policy = parsed.read(file)
    people = population.read(population_file)
    if run is not None:
        found = lab.judge([lab.Case(policy, measured.read(run))], people, asked)
        with writing_results():
            print(json.dumps(found.document(), indent=2) if as_json else terminal.of_lab(found), end="\n")
        _exit(asked=check_bound, holds=all(one.holds for one in found.judgements))
        return
    documents = simulate.simulate(policy, people, asked)
    reports = {
        control: {name: outcome.read(one) for name, one in simulations.items()}
        for control, simulations in documents.items()
    }
    judgements = bound.of_reports({control: one[simulate.WHOLE] for control, one in reports.items()})
    with writing_results():
        if as_json:
            document = {"policy": policy.place, "seed": asked.seed, "simulations": documents}
            print(json.dumps(document | bound.document(judgements), indent=2))
        else:
            print(terminal.of_simulations(reports, judgements, policy, asked.seed))
    _exit(asked=check_bound, holds=bound.hold(judgements))


def _exit(*, asked: bool, holds: bool) -> None:
    if asked and not holds:
        raise typer.Exit(EXIT_CHECK_FAILED)


def _like(run: Path | None) -> Sequence[MeasuredCell]:
    return measured.read(run, "--alike") if run else ()


def _weight(text: str) -> tuple[str, float]:
    site, _, number = text.partition("=")
    try:
        weight = float(number)
    except ValueError:
        weight = 0.0
    if not (site and 0 < weight < 1e6):
        raise InputError(f"--site-weight {text}: write SITE=NUMBER, such as small=3, the number above 0.")
    return site, weight


def _clients(text: str, policy: Parsed) -> list[Client]:
    """The client of `rtt=60ms,loss=1%`, once for each congestion control where it names none."""
    values: dict[str, str] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name.strip() not in _KEYS:
            raise InputError(f"--key {text}: {unknown('key', name.strip(), _KEYS)}")
        values[name.strip()] = value.strip()
    control = values.get("tcp")
    if control is not None and control not in policy.surfaces:
        raise InputError(f"--key {text}: {unknown('congestion control', control, policy.surfaces)}")
    try:
        known = {
            "rtt_ms": units.mean_time_ns(values["rtt"]) / 1e6 if "rtt" in values else None,
            "loss": units.share(values["loss"]) if "loss" in values else None,
            "rate_mbit": units.rate(values["rate"]) / 1e6 if "rate" in values else None,
        }
    except units.UnitError as error:
        raise InputError(f"--key {text}: {error}.") from None
    return [Client(tcp, **known) for tcp in ([control] if control else policy.surfaces)]
