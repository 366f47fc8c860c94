"""The engine's own page loader."""

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.engine import Engine
from pronghorn.model.arm import Arm
from pronghorn.model.trial import PageLoad

_GRACE_S = 30.0


class Native:
    """The native page loader."""

    async def load(
        self,
        engine: Engine,
        *,
        port: int,
        document: str,
        certificates: Certificates,
        arm: Arm,
        limit_s: float,
    ) -> PageLoad:
        """One navigation; an engine that has not cut it half a minute after its limit is given up."""
        ok = await engine.request(
            "load",
            patience_s=limit_s + _GRACE_S,
            host_name=HOST_NAME,
            document=document,
            port=port,
            protocol=arm.protocol,
            ca=str(certificates.authority),
            congestion_control=arm.controls,
            limit_s=limit_s,
        )
        return PageLoad.model_validate(ok)
