"""A row of the manifest: one setting, arm beside arm."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pronghorn.fairness.settings import Setting
from pronghorn.fairness.values import Value, all_words


class Row(NamedTuple):
    """`by_arm` has of each arm every value that was seen, none where nobody tells. `equal`: whether all are
    as good as the same; None where those that are known are, and an arm that has such a thing doesn't
    tell."""

    setting: Setting
    by_arm: Mapping[str, Sequence[Value]]
    equal: bool | None
    remedy: str | None

    def listed(self, arms: Sequence[str]) -> str:
        """The values of `arms` in words: `h2: 14480 bytes; h3: 12000 bytes`."""
        return "; ".join(f"{arm}: {all_words(self.by_arm[arm], self.setting.unit)}" for arm in arms)

    def to_manifest(self) -> dict[str, Any]:
        """The row in manifest.json: of each arm the value, null where it isn't known, a list where trials
        differ."""
        return {
            "setting": self.setting.name,
            "unit": self.setting.unit,
            "by_arm": {
                arm: None if not values else values[0] if len(values) == 1 else list(values)
                for arm, values in self.by_arm.items()
            },
            "equal": self.equal,
            "effect": self.setting.effect,
            "remedy": self.remedy,
        }
