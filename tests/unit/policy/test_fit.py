"""A policy holds what its maps measured, at round nodes, and says how noisily."""

import json
import math
import random
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pronghorn.errors import InputError
from pronghorn.mapping import domain
from pronghorn.model.trial import Resource
from pronghorn.policy import axes, file, fit, maps, parsed, population, responses, scatter, show, worlds
from pronghorn.policy.fit import Policy
from pronghorn.policy.measured import MeasuredCell

from . import made_maps
from .made_maps import DOMAIN

KEYS = parsed.BETWEEN_CLIENTS

Maps = Callable[..., Path]


@pytest.fixture
def a_map(tmp_path: Path) -> Maps:
    def write(name: str, *arguments: object, **changes: object) -> Path:
        return made_maps.write(tmp_path / name, *arguments, **changes)  # type: ignore[arg-type]

    return write


def fitted(*folders: Path, **weights: float) -> Policy:
    return fit.policy([maps.read(folder) for folder in folders], weights)


def test_nodes_are_round_and_reach_from_end_to_end() -> None:
    found = axes.nodes(DOMAIN)

    assert found.rtt_s == (0.005, 0.012, 0.025, 0.06, 0.12, 0.3)
    assert found.loss == (0.0, 0.0012, 0.004, 0.012, 0.03, 0.06, 0.15)
    assert found.rate_bit_per_s == (1e6, 6e6, 3e7, 2e8, 1e9)


def test_a_narrow_range_has_fewer_nodes_rather_than_equal_ones() -> None:
    found = axes.nodes(domain.parse("20ms..25ms", "0..15%", "1Mbit..1Gbit"))

    assert found.rtt_s[0] == 0.02 and found.rtt_s[-1] == 0.025
    assert len(set(found.rtt_s)) == len(found.rtt_s)


def test_each_node_has_the_surface_within_its_uncertainty(a_map: Maps) -> None:
    found = fitted(a_map("one"))

    (prior,) = found.priors
    true = made_maps.slope(fit.places(DOMAIN, found.nodes)).reshape(prior.mean.shape)
    away = np.abs(prior.mean - true) / prior.sd
    assert np.mean(away < 2) > 0.9
    assert float(np.abs(prior.mean - true).max()) < 0.15


def test_pages_scatter_as_measured_and_what_nobody_measured_is_said_to_be_a_guess(a_map: Maps) -> None:
    found = fitted(a_map("one"))
    text = file.text(found)
    (scatter,) = tomllib.loads(text)["scatter"]

    assert scatter["tcp"] == "cubic"
    assert np.array([scatter["h2"], scatter["h3"]]) == pytest.approx(
        np.full((2, 5, 7), made_maps.BLOCK_SD), rel=0.5
    )
    assert found.noise.between_clients == fit.BETWEEN_CLIENTS
    assert "like networks: a guess" in text
    assert found.noise.response == fit.RESPONSE
    assert "others of its page: a guess" in text


def test_pages_scatter_more_where_more_is_lost_at_a_high_rate(a_map: Maps) -> None:
    seen = maps.read(a_map("one"))
    rough_places = [one.point.loss > 0.03 and one.point.rate_bit_per_s > 20e6 for one in seen.observations]
    rough = ((1.0, 1.0), (3.0, 1.0), (0.4, 1.0))
    loads = zip(seen.loads, rough_places, strict=True)
    seen = seen._replace(loads=tuple(rough if is_rough else blocks for blocks, is_rough in loads))
    nodes = axes.nodes(DOMAIN)
    over_h2, over_h3 = scatter.at_nodes("cubic", [seen], [1.0], nodes).pages

    assert over_h2[-1, -1] > 0.7
    assert max(over_h2[0, -1], over_h2[-1, 0]) < 0.4
    assert over_h3.max() < 2 * made_maps.BLOCK_SD


def test_a_site_s_scatter_counts_by_its_weight(a_map: Maps) -> None:
    calm = maps.read(a_map("calm"))
    rough = ((1.0, 1.0), (3.0, 1.0), (0.4, 1.0))
    wild = calm._replace(site="content", loads=tuple(rough for _ in calm.loads))
    nodes = axes.nodes(DOMAIN)
    alone, both, little = (
        float(scatter.at_nodes("cubic", [wild, calm], [share, 1 - share], nodes).pages[0].mean())
        for share in (1.0, 0.5, 0.01)
    )
    assert both == pytest.approx(alone / math.sqrt(2), rel=0.05)
    assert little < 0.2 * alone


def resource(size: int, time_s: float, at_s: float) -> Resource:
    return Resource(path="/", bytes=size, connection=0, request_s=at_s - time_s, last_byte_s=at_s)


def test_responses_are_compared_within_sizes_and_within_cold_and_warm_connections() -> None:
    cold = [resource(2000, 0.1, 1.0), resource(2000, 0.2, 1.1)]
    warm = [resource(200_000, 0.3, 1.2), resource(2000, 0.4, 1.3), resource(2000, 0.4, 1.4)]
    found = responses.scatter("a page", [responses.of_page([*warm, *cold])])

    assert found.freedom == 2
    assert found.sum == pytest.approx(math.log(2) ** 2 / 2)


def test_responses_of_different_pages_are_not_compared_and_what_is_no_outcome_counts_for_nothing() -> None:
    backwards = resource(2000, -0.1, 2.0)
    pages = [responses.of_page([resource(2000, time_s, 1.0), backwards]) for time_s in (0.1, 0.2)]

    assert responses.scatter("pages", pages).freedom == 0
    assert responses.scatter("nothing", []).freedom == 0


def test_equal_maps_give_equal_bytes_in_whatever_order(a_map: Maps) -> None:
    folders = [a_map("one"), a_map("two", made_maps.flat, arms=("h2@bbr", "h3"))]
    first = file.text(fitted(*folders))

    random.Random(1).shuffle(folders)
    assert file.text(fitted(*reversed(folders))) == first
    assert file.text(fitted(*folders)) == first


def test_the_file_has_a_prior_for_each_control_and_rate_and_is_toml(a_map: Maps) -> None:
    found = fitted(a_map("one"), a_map("two", made_maps.flat, arms=("h2@bbr", "h3")))

    table = tomllib.loads(file.text(found))
    assert [(one["tcp"], one["rate_mbit"]) for one in table["prior"]] == [
        (control, rate) for control in ("cubic", "bbr") for rate in (1, 6, 30, 200, 1000)
    ]
    for prior in table["prior"]:
        assert np.shape(prior["ratio"]) == np.shape(prior["sd"]) == (6, 7)
    assert table["about"] == (
        "small from builtin, native client; h3 against h2@cubic, h2@bbr; 2 maps, 720 trials"
    )
    bbr = [one["ratio"] for one in table["prior"] if one["tcp"] == "bbr"]
    assert float(np.mean(bbr)) == pytest.approx(math.exp(0.1), rel=0.01)


def test_sites_are_averaged_with_their_weights_and_their_difference_is_uncertainty(a_map: Maps) -> None:
    small, large = a_map("one"), a_map("two", made_maps.flat, site="large")
    alone, equal, mostly = (
        fitted(small).priors[0],
        fitted(small, large).priors[0],
        fitted(small, large, small=9.0).priors[0],
    )

    assert np.all(np.abs(mostly.mean - alone.mean) <= np.abs(equal.mean - alone.mean) + 1e-9)
    far = np.abs(alone.mean - 0.1) > 0.2
    assert np.all(equal.sd[far] > 0.09)
    assert "small (weight 9), large (weight 1)" in fitted(large, small, small=9.0).about.replace(
        "large (weight 1), small (weight 9)", "small (weight 9), large (weight 1)"
    )


def test_an_arm_that_leaves_the_control_to_the_stack_has_the_one_that_was_read_back(a_map: Maps) -> None:
    folder = a_map("one", arms=("h2", "h3"))
    for batch in ("001", "002"):
        (folder / "batches" / batch).mkdir(parents=True)
        manifest = {"arms": {"h2": {"origins": {"builtin": {"origin_congestion_control": ["bbr"]}}}}}
        (folder / "batches" / batch / "manifest.json").write_text(json.dumps(manifest))

    assert maps.read(folder).control == "bbr"


def test_what_controls_h3_is_read_from_the_batches_and_not_mixed(a_map: Maps) -> None:
    folders = {name: a_map(name, arms=(f"h2@{name}", "h3")) for name in ("cubic", "bbr")}
    for name, told in (("cubic", "New Reno (nginx 1.26.3)"), ("bbr", "cubic (nginx 1.29.0)")):
        batch = folders[name] / "batches" / "001"
        batch.mkdir(parents=True)
        manifest = {"arms": {"h3": {"origins": {"builtin": {"congestion_control": told}}}}}
        (batch / "manifest.json").write_text(json.dumps(manifest))

    assert maps.read(folders["cubic"]).h3_control == ("New Reno (nginx 1.26.3)",)
    assert "; h3, New Reno (nginx 1.26.3) against h2@cubic;" in fitted(folders["cubic"]).about
    with pytest.raises(InputError, match="different congestion controls of h3"):
        fitted(*folders.values())


def test_like_networks_that_were_measured_say_how_much_clients_differ(a_map: Maps) -> None:
    seen = maps.read(a_map("one"))
    rng = np.random.default_rng(1)
    cells = [
        MeasuredCell(
            f"small/{place}",
            60.0,
            0.004,
            30.0,
            {
                "cubic": [
                    (1.0, math.exp(float(ratio) + 0.02 * float(rng.standard_normal()))) for _ in range(8)
                ]
            },
        )
        for place, ratio in enumerate((0.3, -0.3, 0.3, -0.3, 0.0, 0.0))
    ]

    told = fit.policy([seen], {}, cells)
    assert told.noise.between_clients == pytest.approx(math.sqrt(4 * 0.09 / 5), rel=0.1)
    text = file.text(told)
    assert "like networks: measured" in text
    of_cubic = f"{told.noise.alike['cubic'].sd.value:.3g}"
    assert [one.get("between_clients") for one in tomllib.loads(text)["scatter"]] == [float(of_cubic)]
    parsed.of_text("the policy", text)
    assert "between_clients_slope" not in text
    assert "between_clients" not in tomllib.loads(file.text(fit.policy([seen], {})))["scatter"][0]
    with pytest.raises(InputError, match="none of the maps' congestion controls"):
        fit.policy([seen], {}, [cell._replace(times={"bbr": cell.times["cubic"]}) for cell in cells])


def test_what_grows_with_the_ratio_comes_to_the_file_the_core_and_whoever_is_shown_it(a_map: Maps) -> None:
    seen = maps.read(a_map("one"))
    rng = np.random.default_rng(1)
    places = ((8.0, 0.001, 300.0), (60.0, 0.004, 30.0), (200.0, 0.03, 3.0))  # 8 % slower to 30 % faster
    cells = [
        MeasuredCell(f"small/{rtt_ms} {number}", rtt_ms, loss, rate, {"cubic": [(1.0, math.exp(ratio))] * 2})
        for (rtt_ms, loss, rate), sd in zip(places, (0.01, 0.1, 0.4), strict=True)
        for number, ratio in enumerate(sd * rng.standard_normal(8))
    ]

    told = fit.policy([seen], {}, cells)
    slope = told.noise.alike["cubic"].slope
    assert slope is not None
    assert slope.low > 0
    parsed_ = parsed.of_text("the policy", file.text(told))
    written = {
        key: float(f"{value:.3g}")
        for key, value in zip(KEYS, told.noise.alike["cubic"].between(), strict=True)
    }
    assert {key: parsed_.noise[key] for key in KEYS} == written
    assert parsed_.surfaces["cubic"].between_clients == written
    (scatter,) = show.document(parsed_, [])["scatter"]
    assert {key: scatter[key] for key in KEYS} == written
    truth = worlds.of_policy(parsed_, population.read(None).noise)
    assert truth["between_clients_slope"] == population.read(None).noise.between_clients_slope > 0


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ([{"arms": ("h1", "h3")}], "fitted from h3 against h2"),
        ([{"arms": ("h2@cubic", "h2@bbr")}], "fitted from h3 against h2"),
        ([{"arms": ("h2", "h3")}], "doesn't name TCP's congestion control"),
        ([{}, {"seed": 2}], "both maps of small with cubic"),
        ([{}, {"arms": ("h2@bbr", "h3@bbr")}], "different h3 arms"),
        ([{}, {"arms": ("h2@bbr", "h3"), "origin": "nginx"}], "different origins"),
        ([{"rate": "20Mbit"}], "single rate"),
        ([{}, {"arms": ("h2@bbr", "h3"), "rtt": "301ms..400ms"}], "no rtt in common"),
    ],
)
def test_maps_that_make_no_policy_are_refused(
    changes: list[dict[str, object]], wrong: str, a_map: Maps
) -> None:
    folders = [a_map(f"map-{place}", **one) for place, one in enumerate(changes)]

    with pytest.raises(InputError, match=wrong):
        fitted(*folders)


def test_a_weight_of_a_site_that_no_map_has_is_refused(a_map: Maps) -> None:
    with pytest.raises(InputError, match="did you mean 'small'"):
        fitted(a_map("one"), smal=2.0)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 1, "baseline": 3}'])
def test_what_is_no_map_is_refused_with_its_place(text: str, tmp_path: Path) -> None:
    (tmp_path / "map.json").write_text(text)

    with pytest.raises(InputError, match=r"map\.json: "):
        maps.read(tmp_path)
