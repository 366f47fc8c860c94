"""What every probe of one check shares: how to reach the host, what may be asked, and what stayed unknown."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pronghorn.check.probes.budget import Budget, Spent
from pronghorn.check.probes.tcp import FAULTS
from pronghorn.check.probes.trust import Authorities
from pronghorn.check.target import Settings
from pronghorn.foreign import line

Result = TypeVar("Result")


@dataclass
class Errand:
    """One check. `tell` takes its progress; `unknown` collects points that could not be found out. `families`
    are those of the addresses that answered (True for IPv6). `active`: the host is the one that a person
    named, so it may be asked what costs it something, or takes effect there."""

    settings: Settings
    authorities: Authorities
    budget: Budget
    tell: Callable[[str], None]
    unknown: list[tuple[str, str]] = field(default_factory=list)
    families: set[bool] = field(default_factory=set)
    active: bool = True

    def answered(self, address: str) -> None:
        """This host has a way to addresses of that family."""
        self.families.add(":" in address)

    def leads(self, address: str) -> bool:
        """Whether anything of the address's family has answered."""
        return (":" in address) in self.families

    def note(self, point: str, why: str) -> None:
        """One point that stays unknown."""
        self.unknown.append((point, line(why)))

    async def noting(self, point: str, awaited: Awaitable[Result], instead: Result) -> Result:
        """What a probe returns; `instead`, with a note, if it could not be done."""
        try:
            return await awaited
        except Spent:
            self.note(point, "the budget of requests is used up")
        except FAULTS as error:
            self.note(point, "no time was left" if isinstance(error, TimeoutError) else str(error))
        except Exception as error:  # of a library, by what nobody thought of; the rest still counts
            self.note(point, f"a fault of check itself, which its makers would like to know: {error!r}")
        return instead
