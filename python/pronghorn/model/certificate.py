"""The settings of the origin's certificate: `certificate = { key = "rsa2048", intermediates = 2 }`."""

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict

from pronghorn.model.experiment_reader import ExperimentReader

EXAMPLE = '{ key = "rsa2048", intermediates = 2 }'

KeyKind = Literal["p256", "rsa2048", "rsa4096"]
KEYS: tuple[KeyKind, ...] = get_args(KeyKind)

MOST_INTERMEDIATES = 4


class CertificateSettings(BaseModel):
    """`key` is the kind of every key of the chain; `intermediates` so many certificates stand between the
    leaf and the authority, and are sent with the leaf."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    key: KeyKind = "p256"
    intermediates: int = 0

    def definition(self) -> dict[str, Any]:
        """The settings as a TOML table which parses to them again."""
        return self.model_dump()


def parse(reader: ExperimentReader) -> CertificateSettings:
    """The settings in the table that `reader` reads; InputError where one is wrong."""
    reader.allow("key", "intermediates")
    key = reader.choice("key", "kind of key", KEYS, "p256")
    return CertificateSettings(
        key=next(kind for kind in KEYS if kind == key),
        intermediates=reader.whole("intermediates", 0, least=0, most=MOST_INTERMEDIATES),
    )
