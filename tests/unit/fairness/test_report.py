"""The report's table of what the arms of a cell ran with."""

from pronghorn.model.trial import Cell
from pronghorn.report.fairness_view import fairness_view

from .records import experiment, found, trial

CELL = Cell(site="tiny", path="line", origin="builtin", client="native")


def test_settings_stand_down_and_arms_across_with_units_and_marks() -> None:
    trials = [
        trial("h2", served={"settings": {"initial_window": 14480, "pacing": False}}),
        trial("h3", served={"settings": {"initial_window": 12000, "pacing": True}}),
    ]
    view = fairness_view({"fairness": found(experiment(), trials).to_manifest()}, CELL)
    assert view is not None
    assert view.arms == ("h2", "h3")
    rows = {row.setting: row for row in view.rows}
    assert rows["initial window"].values == ("14480 bytes", "12000 bytes")
    assert rows["pacing"].values == ("no", "yes")
    assert rows["end of slow start"].values[1] == "the first loss"
    assert rows["initial window"] in view.differing
    assert all(row.equal is not False for row in view.rows if row not in view.differing)
    assert all(row.remedy for row in view.differing)


def test_several_values_are_listed_and_unknown_ones_a_dash() -> None:
    trials = [
        trial("h3", block=block, connection={"settings": {"udp_receive_buffer": size}})
        for block, size in enumerate((212992, 2097152))
    ]
    view = fairness_view({"fairness": found(experiment(), trials).to_manifest()}, CELL)
    assert view is not None
    [buffer] = [row for row in view.rows if row.setting == "client's UDP receive buffer"]
    assert buffer.values == ("–", "212992 bytes, 2097152 bytes")


def test_a_run_of_an_earlier_version_has_no_table() -> None:
    assert fairness_view({}, CELL) is None


def test_a_setting_that_is_not_known_of_all_is_neither_equal_nor_unequal() -> None:
    one_tells = [trial("h2", connection={"cipher": "TLS_AES_128_GCM_SHA256"}), trial("h3")]
    view = fairness_view({"fairness": found(experiment(), one_tells).to_manifest()}, CELL)
    assert view is not None
    [cipher] = [row for row in view.rows if row.setting == "cipher"]
    assert cipher in view.unsure
    assert cipher not in view.differing
    assert cipher.mark == "? "
