"""The digest by which a run's trials are known to be of one experiment."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pronghorn.model import experiment_values as values
from pronghorn.model import site_settings
from pronghorn.model.browser import BrowserSettings
from pronghorn.model.certificate import CertificateSettings

_LATER: Mapping[str, Any] = {
    "browser": BrowserSettings().definition(),
    "cache_control": values.DEFAULT_CACHE_CONTROL,
    "certificate": CertificateSettings().definition(),
    "compression": site_settings.BEFORE,
}
"""The keys that were added after the first runs had been recorded, with their defaults."""


_NEITHER = ("jobs", "preflight")
"""The keys that change neither the plan nor its meaning."""


def of(table: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of what decides an experiment's plan and its meaning, of its resolved `table`; `_NEITHER`
    does. Of `_LATER` a key counts where it isn't the default, so that runs of versions without it keep their
    digest."""
    told = {
        key: value
        for key, value in table.items()
        if key not in _NEITHER and (key not in _LATER or value != _LATER[key])
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
