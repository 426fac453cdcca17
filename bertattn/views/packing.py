"""What a view needs, packed to stand in a page: JSON and the weights of maps, a byte each.

A weight travels as it is shown, in two digits: up to 0.1 in thousandths, above in hundredths.
A map of 144 heads and 128 tokens takes about a megabyte, and many times that as JSON.
"""

import base64
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float, UInt8

FINE = 100  # codes up to this one are thousandths
SHIFT = 90  # ... and those above are hundredths and this


def codes(weights: Float[np.ndarray, "*axes"]) -> UInt8[np.ndarray, "*axes"]:
    """A byte for each weight.

    Raises:
        ValueError: If a weight is no number or not from 0 to 1.

    Example:
        >>> codes(np.array([0.0, 0.0421, 0.1, 0.374, 1.0])).tolist()
        [0, 42, 100, 127, 190]
    """
    if weights.size and not (weights.min() >= -1e-3 and weights.max() <= 1 + 1e-3):
        raise ValueError(
            f"wanted weights from 0 to 1, got {weights.min():.3g} to {weights.max():.3g}; "
            "a view shows attention after the softmax"
        )
    exact = weights.astype(np.promote_types(weights.dtype, np.float32))
    steady = np.round(np.clip(exact, 0, 1), 5)  # a tie stays one on every processor
    return np.where(
        steady < FINE / 1000, np.rint(1000 * steady), np.rint(100 * steady) + SHIFT
    ).astype(np.uint8)


def weights(packed: UInt8[np.ndarray, "*axes"]) -> Float[np.ndarray, "*axes"]:
    """The weights that codes stand for.

    Example:
        >>> weights(np.array([0, 42, 127, 190], dtype=np.uint8)).tolist()
        [0.0, 0.042, 0.37, 1.0]
    """
    fine = packed.astype(np.float64)
    return np.where(packed <= FINE, fine / 1000, (fine - SHIFT) / 100)


def pack(data: Mapping[str, Any], maps: bytes = b"") -> str:
    """JSON and codes as text that can stand anywhere in a page.

    Its length in four bytes, the JSON, the codes: compressed with zlib, in base64. zlib
    looks for parts that repeat, or (for maps like noise) does not: the smaller is kept.

    Raises:
        ValueError: If a number is none (NaN), which JSON does not have.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    together = struct.pack("<I", len(text)) + text + maps
    ways = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY)
    return base64.b64encode(min((_deflate(together, way) for way in ways), key=len)).decode()


def _deflate(content: bytes, strategy: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, strategy)
    return packer.compress(content) + packer.flush()


def unpack(packed: str) -> tuple[dict[str, Any], bytes]:
    """What ``pack`` was given.

    Example:
        >>> unpack(pack({"title": "a map"}, bytes([100])))
        ({'title': 'a map'}, b'd')
    """
    together = zlib.decompress(base64.b64decode(packed))
    (length,) = struct.unpack("<I", together[:4])
    return json.loads(together[4 : 4 + length]), together[4 + length :]
