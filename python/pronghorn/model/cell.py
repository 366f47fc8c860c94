"""A cell: where the arms of an experiment are compared."""

from pydantic import BaseModel, ConfigDict, Field

from pronghorn.model import origin_name, recorded_site
from pronghorn.model.bounds import Text

PLACES = ("site", "path", "origin", "client")
"""The parts of a cell, except its kernel."""

DIMENSIONS = (*PLACES, "kernel")
"""The key that distinguishes a cell from an experiment's others."""

HOST = "host"
"""The kernel of cells that are measured on this machine, in real time, beside cells in guests."""

GUEST = "guest"
"""The kernel of cells in virtual time whose experiment names no version: the newest that is built."""


def _is_empty(kernel: str) -> bool:
    return not kernel


class InCell(BaseModel):
    """What is said of one cell. `kernel` is where its trials run in an experiment that compares kernels or
    clocks: `host`, `guest` or a guest's version such as `6.12`; empty, and left out, in any other."""

    site: Text
    path: Text
    origin: Text
    client: Text
    kernel: Text = Field(default="", exclude_if=_is_empty)

    @property
    def cell(self) -> "Cell":
        """The cell as its trials name it."""
        return Cell(**{name: getattr(self, name) for name in DIMENSIONS})


class Cell(InCell):
    """One combination of site, path, origin, client and kernel, in which the arms are compared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __str__(self) -> str:
        return "/".join(filter(None, (getattr(self, name) for name in DIMENSIONS)))

    @property
    def on_any_kernel(self) -> "Cell":
        """The cell without its kernel."""
        return self.model_copy(update={"kernel": ""}) if self.kernel else self

    @property
    def on_any_version(self) -> "Cell":
        """The cell without the version of its origin."""
        return self.model_copy(update={"origin": origin_name.plain(self.origin)})

    @property
    def drawn_as(self) -> "Cell":
        """The cell that random numbers are drawn for: what is drawn for one kernel, for one version of a
        server, or for one rewriting of a recorded site is drawn for all, so that nothing else tells them
        apart."""
        cell = self.on_any_kernel.on_any_version
        return cell.model_copy(update={"site": recorded_site.plain(cell.site)})

    @property
    def place(self) -> str:
        """Its kernel in words; empty where it has none of its own."""
        words = {"": "", HOST: "real time", GUEST: "virtual time"}
        return words.get(self.kernel, f"Linux {self.kernel}")

    def named(self, dimension: str) -> str:
        """What it is called in one of the `DIMENSIONS`, in words."""
        return self.place if dimension == "kernel" else str(getattr(self, dimension))
