"""An experiment's clock and kernels: its cells, what is refused."""

import pytest

from pronghorn.model import experiment_file
from pronghorn.model.cell import Cell
from pronghorn.model.experiment import Experiment
from pronghorn.runs import prepare

from .experiments import REST, again, parse, refused


def cells(experiment: Experiment) -> list[str]:
    return [str(cell) for cell in experiment.cells()]


def test_one_kernel_is_no_dimension() -> None:
    plain = "tiny/direct/builtin/native"
    assert cells(parse(REST)) == cells(parse('clock = "virtual"\n' + REST)) == [plain]
    chosen = parse('clock = "virtual"\nkernels = ["6.12"]\n' + REST)
    assert cells(chosen) == [plain]
    assert chosen.version("") == "6.12"
    (cell,) = parse(REST).cells()
    assert cell.model_dump() == {"site": "tiny", "path": "direct", "origin": "builtin", "client": "native"}


@pytest.mark.parametrize(
    ("keys", "kernels", "virtual"),
    [
        ('clock = "both"\n', ("host", "guest"), (False, True)),
        ('clock = "virtual"\nkernels = ["6.12", "7.2"]\n', ("6.12", "7.2"), (True, True)),
        ('clock = "both"\nkernels = ["6.12", "7.2"]\n', ("host", "6.12", "7.2"), (False, True, True)),
    ],
)
def test_kernels_and_both_clocks_are_one(
    keys: str, kernels: tuple[str, ...], virtual: tuple[bool, ...]
) -> None:
    found = parse(keys + REST)
    assert cells(found) == [f"tiny/direct/builtin/native/{kernel}" for kernel in kernels]
    assert tuple(found.is_virtual(cell.kernel) for cell in found.cells()) == virtual
    assert again(found) == found
    assert found.digest() != parse(REST).digest()


def test_a_cell_says_its_kernel_in_words() -> None:
    cell = Cell(site="tiny", path="lte", origin="builtin", client="native")
    words = [cell.model_copy(update={"kernel": name}).place for name in ("", "host", "guest", "6.12")]
    assert words == ["", "real time", "virtual time", "Linux 6.12"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('kernels = ["6.12"]\n', 'Write clock = "virtual"'),
        ('clock = "virtual"\nkernels = ["host"]\n', "'host' is no version of a kernel"),
        ('clock = "virtual"\nkernels = ["../6.12"]\n', "no version of a kernel"),
        ('clock = "virtual"\nkernels = ["6.12", "6.12"]\n', "listed twice"),
        ('clock = "virtual"\nkernels = "6.12"\n', 'write at least one, such as ["6.12"]'),
        ('clock = "virtual"\nkernels = ["newest"]\n', "'newest' is no version of a kernel"),
        ('clock = "both"\nrepeat = { max = 60 }\n', "Write a number, such as repeat = 20"),
        ('clock = "virtuel"\n', "both, real, virtual"),
    ],
)
def test_what_is_no_kernel_is_refused_with_what_to_write(keys: str, message: str) -> None:
    assert message in refused(keys + REST)


@pytest.mark.parametrize(("text", "kernels"), [("6.12,7.2", ("6.12", "7.2")), ("6.10", ("6.10",))])
def test_versions_on_the_command_line_are_no_numbers(text: str, kernels: tuple[str, ...]) -> None:
    asked = ["clock=virtual", f"kernels={text}", "repeat=20"]
    found = experiment_file.read(None, prepare.vocabulary(), overrides=asked, seed=1)
    assert found.kernels == kernels
