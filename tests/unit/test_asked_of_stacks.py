"""What an experiment asks of its origins and clients is refused where they can't."""

from pathlib import Path

import pytest

from pronghorn import capabilities
from pronghorn.cautions.of_run import cautions, label
from pronghorn.engine import Hello
from pronghorn.errors import InputError
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment

from .model.experiments import LIVE, REST, parse

MINE = '[origins.mine]\ncommand = "x"\noptions = ["tls12"]\nprotocols = ["h2"]\n'
HOST = {"governor": None, "load_average": 0.0, "cores": 1}


def refused(text: str, folder: Path = Path()) -> str:
    with pytest.raises(InputError) as caught:
        capabilities.check(parse(text, folder))
    return caught.value.message


def test_an_arm_that_ones_own_stack_does_not_declare_is_refused_with_who_can() -> None:
    message = refused(REST + MINE)
    assert "arm 'h3': origin 'mine' can't do it: its table declares protocols = ['h2']." in message
    assert "It can be honoured by builtin, caddy" in message


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ('origins = ["caddy"]\n', "arm 'h3:s2n': origin 'caddy' has a QUIC stack of its own."),
        ('clients = ["chromium"]\n', "arm 'h3:s2n': client 'chromium' has a QUIC stack of its own."),
        ('artifacts = ["qlog"]\n', "arm 'h3:s2n': s2n-quic leaves no qlog."),
    ],
)
def test_a_stack_that_an_arm_names_is_refused_where_one_end_can_not_have_it(ends: str, said: str) -> None:
    assert said in refused(ends + REST.replace('"h3"', '"h3:s2n"'))


def test_a_stack_of_ones_choice_needs_both_of_our_ends() -> None:
    text = REST.replace('"h3"', '"h3:s2n"')
    capabilities.check(parse(text))
    assert "so it needs origin 'builtin' and client 'native'." in refused('origins = ["caddy"]\n' + text)


def test_artifacts_that_no_client_of_the_experiment_leaves_are_refused() -> None:
    message = refused('artifacts = ["pcapng", "har"]\n' + REST)
    assert "artifact 'har': no client of the experiment (native) writes it." in message


def test_qlogs_are_left_by_the_native_client_and_the_builtin_origin_alone() -> None:
    message = refused('origins = ["caddy"]\nclients = ["chromium"]\nartifacts = ["flight", "qlog"]\n' + REST)
    assert "artifact 'qlog': no client of the experiment (chromium) writes it." in message
    assert "It can be left by native." in message


def test_that_loopback_leaves_no_flight_is_a_warning() -> None:
    assert "no-flight" in found(parse('artifacts = ["flight"]\n' + REST))
    assert "no-flight" not in found(parse(REST))


def test_settings_of_a_browser_are_refused_where_no_client_is_one() -> None:
    message = refused("browser = { cpu_slowdown = 4 }\n" + REST)
    assert "key 'browser': no client of the experiment (native) is a browser." in message
    assert "It can be heeded by chromium." in message


def test_a_private_authority_is_refused_where_the_client_trusts_the_systems(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("-----BEGIN CERTIFICATE-----\n", encoding="utf-8")
    text = 'origins = ["https://a.test/"]\nclients = ["chromium"]\nauthority = "ca.pem"\n' + LIVE
    assert "client 'chromium' trusts only the system's certificate authorities" in refused(text, tmp_path)


def test_a_live_server_is_called_so() -> None:
    live = parse('origins = ["https://a.test/"]\n' + LIVE)
    assert label(live, Hello(isolation="root")) == "live servers, without an emulated path"


def found(experiment: Experiment) -> dict[str, Caution]:
    notes = {"host": HOST}
    return {each.code: each for each in cautions(experiment, Hello(isolation="root"), [], notes)}
