"""An experiment's server events: read, planned, resolved, refused."""

import pytest

from pronghorn.errors import InputError
from pronghorn.model import events, experiment_table, toml_text
from pronghorn.model.events import Due
from pronghorn.model.experiment import Experiment
from pronghorn.model.experiment_table import Vocabulary
from pronghorn.model.source import Source

from .experiments import VOCABULARY

LOADS: Vocabulary = VOCABULARY._replace(clients=("native", "load"))

HEAD = 'sites = ["tiny"]\npaths = ["direct"]\narms = ["h2"]\nclients = ["load"]\nseed = 1\n'
LOAD = '[load]\nrate = 200\nduration = "20s"\n'
EVENT = '[[events]]\nat = "2s"\ndo = "reload"\n'


def parse(text: str) -> Experiment:
    source = Source("x.toml", text)
    return experiment_table.parse(source.table(), source, LOADS, default_seed=0, folder=source.folder)


def test_an_event_is_due_once_or_again_and_again_while_its_cost_can_be_seen() -> None:
    found = parse(HEAD + LOAD + EVENT + '[[events]]\nat = "1s"\nevery = "6s"\ndo = "restart"\n')
    assert found.load is not None
    assert events.schedule(found.events, found.load) == [
        Due(1.0, "restart"),
        Due(2.0, "reload"),
        Due(7.0, "restart"),
        Due(13.0, "restart"),
        Due(19.0, "restart"),
    ]


def test_events_survive_being_resolved_and_are_part_of_the_experiment() -> None:
    found, without = parse(HEAD + LOAD + EVENT), parse(HEAD + LOAD)
    assert parse(toml_text.dumps(found.resolved())) == found
    assert without.events == () and events.KEY not in without.resolved()
    assert found.digest() != without.digest()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + LOAD + '[[events]]\nat = "2s"\n', "key 'do' is missing"),
        (HEAD + LOAD + '[[events]]\ndo = "reload"\n', "key 'at' is missing"),
        (HEAD + LOAD + EVENT.replace("reload", "relaod"), "reload"),
        (HEAD + LOAD + EVENT + 'evry = "4s"\n', "every"),
        (HEAD + LOAD + EVENT.replace("2s", "19500ms"), "at least 1 s before its end. Write at most 19s"),
        (HEAD + LOAD + EVENT + 'every = "10ms"\n', "too short; write at least 1s"),
        (HEAD + LOAD.replace("rate = 200\n", "") + EVENT, "Write 'rate' and 'duration'"),
        (HEAD + LOAD.replace('duration = "20s"', "requests = 9") + EVENT, "Write 'rate' and 'duration'"),
        (HEAD + LOAD + "warm_up = 10\n" + EVENT, "Write 'warm_up' in [load] as a time"),
        (HEAD.replace("load", "native") + EVENT, 'Write clients = ["load"]'),
        (HEAD.replace('"load"', '"load", "native"') + LOAD + EVENT, 'Write clients = ["load"]'),
        ('events = "reload"\n' + HEAD + LOAD, "each event is a table of its own"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_write(text: str, said: str) -> None:
    with pytest.raises(InputError, match=r"x\.toml") as caught:
        parse(text)
    assert said in caught.value.message
