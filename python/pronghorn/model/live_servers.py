"""What an experiment may ask for whose origins are live servers."""

from pronghorn.model import stacks
from pronghorn.model.experiment_reader import ExperimentReader
from pronghorn.model.path import DIRECT
from pronghorn.model.path.texts import Texts


def parse(reader: ExperimentReader, origins: tuple[str, ...]) -> bool:
    """Whether the experiment with these `origins` is one of live servers; InputError where it says what
    contradicts that."""
    urls = [name for name in origins if stacks.is_url(name)]
    if not urls:
        return False
    others = [name for name in origins if not stacks.is_url(name)]
    if others:
        raise reader.error(
            "origins",
            f"{others[0]!r} stands beside the live server {urls[0]!r}. Live servers need their own "
            "experiment.",
            element=others[0],
        )
    if reader.names("paths", (DIRECT,)) != (DIRECT,):
        raise reader.error(
            "paths",
            f'a live server is measured without an emulated path; leave the key out, or write ["{DIRECT}"].',
        )
    for key, why in (
        ("sites", "the page of a live server is what its URL names"),
        ("certificate", "a live server has its own certificate"),
        ("cache_control", "a live server decides itself what may be cached"),
        ("compression", "a live server decides itself what it compresses"),
    ):
        if key in reader:
            raise reader.error(key, f"{why}; leave this key out.")
    return True


def authority(reader: ExperimentReader, *, live: bool) -> tuple[str | None, dict[str, str]]:
    """The name under which a run keeps the certificate of the live servers' authority, and its text;
    None where the system's authorities are to be trusted."""
    if "authority" not in reader:
        return None, {}
    if not live:
        raise reader.error(
            "authority", "the run itself makes the certificate authority of an emulated network."
        )
    texts = Texts(stacks.CONFIGURATIONS)
    keys = ("authority",)
    name = reader.text("authority", "")
    try:
        text = texts.read(name, reader.source.folder_of(keys), "an authority's certificate", keys)
    except ValueError as error:
        raise reader.error("authority", f"{error}.") from None
    if "-----BEGIN CERTIFICATE-----" not in text:
        raise reader.error("authority", f"{name}: holds no certificate; it must be PEM.")
    return texts.kept[keys], texts.by_name
