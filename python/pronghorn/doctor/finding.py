"""What a look at the host brings to light."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "missing", "note"]


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `missing`: experiments on emulated paths don't work; `note`: they do, with this to
    know. `mend` is what would change it."""

    subject: str
    state: State
    detail: str
    mend: str | None = None
