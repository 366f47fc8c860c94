"""The rows of a cell: every setting that is known of an arm, arm beside arm."""

from collections.abc import Iterable, Mapping, Sequence

from pronghorn.fairness.group import Group
from pronghorn.fairness.row import Row
from pronghorn.fairness.settings import SETTINGS, Setting
from pronghorn.fairness.values import Value


def rows(groups: Sequence[Group]) -> list[Row]:
    """The rows of one cell, whose arms are `groups`; settings of which nothing is known are left out."""
    found = []
    for setting in SETTINGS:
        by_arm = {group.arm.name: sorted(setting.read(group), key=_place) for group in groups}
        if any(by_arm.values()):
            equal = _equal(setting, groups, by_arm)
            remedy = setting.removal(list(groups)) if equal is False else None
            found.append(Row(setting, by_arm, equal, remedy))
    return found


def _equal(setting: Setting, groups: Sequence[Group], by_arm: Mapping[str, Sequence[Value]]) -> bool | None:
    """Whether all arms that have such a thing are as good as the same; None where that isn't known of all."""
    if not alike(setting, by_arm.values()):
        return False
    known = all(by_arm[group.arm.name] for group in groups if group.arm.protocol in setting.over)
    return True if known else None


def _place(value: Value) -> tuple[bool, int, str]:
    """The order in which an arm's values stand, whichever trial came first: numbers by size, then words."""
    return (True, 0, value) if isinstance(value, str) else (False, int(value), "")


def alike(setting: Setting, arms: Iterable[Sequence[Value]]) -> bool:
    """Whether the known values of several arms are as good as the same."""
    told = [setting.compared(value) for values in arms for value in values]
    sizes = [value for value in told if isinstance(value, int) and not isinstance(value, bool)]
    if told and len(sizes) == len(told):
        return max(sizes) - min(sizes) <= max(setting.slack, setting.slack_share * min(sizes))
    return all(value == told[0] and type(value) is type(told[0]) for value in told)
