"""How pages are made of templates: names are escaped, and one that a page lacks is a fault."""

from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from pronghorn.foreign import shown


@cache
def templates(*packages: str) -> Environment:
    """The templates of `packages`, of which the first that has one of a name gives it. Compiled once a
    process; whoever asks gives them the filters and functions that they use."""
    return Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
