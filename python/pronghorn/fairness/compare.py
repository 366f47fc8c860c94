"""The rows of a cell: every setting that is known of an arm, arm beside arm."""

from collections.abc import Iterable, Sequence

from pronghorn.fairness.group import Group
from pronghorn.fairness.row import Row
from pronghorn.fairness.settings import SETTINGS, Setting
from pronghorn.fairness.values import Value


def rows(groups: Sequence[Group]) -> list[Row]:
    """The rows of one cell, whose arms are `groups`; settings of which nothing is known are left out."""
    found = []
    for setting in SETTINGS:
        by_arm = {group.arm.name: setting.read(group) for group in groups}
        if any(by_arm.values()):
            equal = alike(setting, by_arm.values())
            found.append(Row(setting, by_arm, equal, None if equal else setting.removal(list(groups))))
    return found


def alike(setting: Setting, arms: Iterable[Sequence[Value]]) -> bool:
    """Whether the known values of several arms are as good as the same."""
    told = [setting.compared(value) for values in arms for value in values]
    sizes = [value for value in told if isinstance(value, int) and not isinstance(value, bool)]
    if told and len(sizes) == len(told):
        return max(sizes) - min(sizes) <= max(setting.slack, setting.slack_share * min(sizes))
    return all(value == told[0] and type(value) is type(told[0]) for value in told)
