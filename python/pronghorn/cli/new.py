"""`pronghorn new`: an experiment from five answers, or from flags."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from pronghorn.cli import new_experiment
from pronghorn.cli.new_experiment import Answers
from pronghorn.cli.results import writing_results
from pronghorn.errors import HostError, InputError
from pronghorn.model import experiment_file
from pronghorn.model.arm import PROTOCOLS
from pronghorn.model.stacks import CLIENTS, ORIGINS
from pronghorn.runs.prepare import vocabulary

_NAME = "experiment.toml"
_TRIES = 3


class _Question(NamedTuple):
    """A question: the answer's field, what is asked, and examples of what may be said."""

    field: str
    asked: str
    examples: Callable[[], str]


_QUESTIONS = (
    _Question(
        "site",
        "What is loaded?",
        lambda: "small, content, spa, a site archive, a folder such as ./public, an address",
    ),
    _Question("paths", "Over which networks?", lambda: "fiber, cable, dsl, wifi, lte, lte-poor, 3g-slow"),
    _Question("arms", "What is compared?", lambda: ", ".join((*PROTOCOLS, "h3+0rtt", "h2@bbr"))),
    _Question("origin", "Which server?", lambda: ", ".join(name for name in ORIGINS if ":" not in name)),
    _Question("client", "What loads it?", lambda: ", ".join(name for name in CLIENTS if name != "load")),
)


def new(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write; an existing file is not changed.")
    ] = Path(_NAME),
    site: Annotated[
        str | None,
        typer.Option(metavar="SITE", help="What is loaded: small, a folder, or a live server's address."),
    ] = None,
    paths: Annotated[
        str | None, typer.Option(metavar="PATH,PATH", help="The networks: fiber,lte and so on.")
    ] = None,
    arms: Annotated[
        str | None, typer.Option(metavar="ARM,ARM", help="What is compared: h1,h2,h3 and so on.")
    ] = None,
    origin: Annotated[str | None, typer.Option(metavar="ORIGIN", help="The server: builtin, nginx …")] = None,
    client: Annotated[
        str | None, typer.Option(metavar="CLIENT", help="What loads: native or chromium.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing; use the default for every missing option.")
    ] = False,
) -> None:
    """Write an experiment with comments. On a terminal it asks what no option says: five questions."""
    if file.suffix != ".toml":
        raise InputError(
            f"{file}: the name of an experiment's file ends with .toml.", hint=f"pronghorn new {file}.toml"
        )
    if os.path.lexists(file):
        raise InputError(
            f"{file}: already exists and was not changed.",
            hint="Choose another name, such as pronghorn new second.toml",
        )
    told = {"site": site, "paths": paths, "arms": arms, "origin": origin, "client": client}
    answers = _checked(Answers(), told, file)
    for field in ("paths", "origin"):
        if answers.live and told[field] is not None:
            raise InputError(
                f"--{field}: a live server is measured over the real network, so it has no {field} of ours.",
                hint=f"Leave out --{field}, or serve a copy of the page: --site ./FOLDER",
            )
    if not yes and sys.stdin.isatty():
        answers = _asked(answers, told, file)
    text = new_experiment.text(_title(answers), answers)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except OSError as error:
        raise HostError(f"{file}: can't be written: {error.strerror}.", hint="Name another file.") from error
    with writing_results():
        print(f"{file} was written. Run it: pronghorn run {file}")


def _asked(answers: Answers, told: dict[str, str | None], file: Path) -> Answers:
    """The answers of whoever sits at the terminal; an empty one takes what is offered."""
    for question in _QUESTIONS:
        if told[question.field] is not None or (answers.live and question.field in ("paths", "origin")):
            continue
        offered = getattr(answers, question.field)
        shown = offered if isinstance(offered, str) else ",".join(offered)
        for left in range(_TRIES - 1, -1, -1):
            said = _line(f"{question.asked} ({question.examples()}) [{shown}] ")
            try:
                answers = _checked(answers, {question.field: said or None}, file)
                break
            except InputError as error:
                if not left:
                    raise
                print(f"  {error.message}", file=sys.stderr)
    return answers


def _line(prompt: str) -> str:
    print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        raise InputError("no answer: the input has ended.", hint="Answer with options: pronghorn new --help")
    return line.strip()


def _checked(answers: Answers, told: dict[str, str | None], file: Path) -> Answers:
    """The answers with what was told; InputError where an experiment can't be of them."""
    for field, said in told.items():
        if said is None:
            continue
        if field == "site":
            value: Any = new_experiment.site(said, file.parent)
        elif field in ("paths", "arms"):
            value = tuple(each.strip() for each in said.split(",") if each.strip())
        else:
            value = said
        changed = answers._replace(**{field: value})
        try:
            experiment_file.parsed(
                str(file), new_experiment.text(_title(changed), changed), file.parent, vocabulary()
            )
        except InputError as error:
            wrong = error.message.partition("': ")[2] or error.message
            raise InputError(f"--{field} {said}: {wrong}", hint=error.hint) from None
        answers = changed
    return answers


def _title(answers: Answers) -> str:
    arms = ", ".join(answers.arms)
    return f"{arms} on {answers.site.removeprefix('dir:').removeprefix('archive:')}"
