"""Seeded bytes: SHAKE-256 (FIPS 202) of the seed and a label, the same on every machine."""

import hashlib
from base64 import urlsafe_b64encode


class Stream:
    """The random draws of one site under one seed. Every draw is named by a label: equal labels, equal bytes;
    an added resource changes no other."""

    def __init__(self, seed: int, site: str) -> None:
        self._prefix = f"pronghorn-site\0{seed}\0{site}\0".encode()

    def bytes(self, label: str, count: int) -> bytes:
        """`count` bytes which no compressor can shrink."""
        return hashlib.shake_256(self._prefix + label.encode()).digest(count)

    def fractions(self, label: str, count: int) -> list[float]:
        """`count` numbers, uniform in [0, 1)."""
        raw = self.bytes(label, 7 * count)
        return [(int.from_bytes(raw[at : at + 7], "big") >> 3) / (1 << 53) for at in range(0, 7 * count, 7)]

    def text(self, label: str, count: int) -> str:
        """`count` characters of A–Z a–z 0–9 - _: six random bits each, so that a compressor would
        come down to three quarters and no further."""
        return urlsafe_b64encode(self.bytes(label, count * 3 // 4 + 3))[:count].decode("ascii")

    def words(self, label: str, count: int) -> str:
        """`count` characters of `text` in words of 3 to 10, the last of which is no space."""
        text = list(self.text(label, count))
        at = 0
        for fraction in self.fractions(f"{label} words", count // 4 + 1):
            at += 3 + int(fraction * 8)
            if at >= count - 1:
                break
            text[at] = " "
            at += 1
        return "".join(text)
