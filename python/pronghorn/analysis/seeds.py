"""Generators of random numbers, each derived by a label from the experiment's seed."""

import hashlib

import numpy as np


def generator(seed: int, *label: str) -> np.random.Generator:
    """A generator that depends on the seed and the label's parts only (SHA-256 of them seeds PCG64).

    Thus one cell's interval stays what it is when another cell or arm joins the experiment.
    """
    parts = [str(seed), *label]
    digest = hashlib.sha256(b"".join(f"{len(part)}:{part};".encode() for part in parts)).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big")))
