"""Wordpieces as a person reads them."""

BLANK = "\u2423"  # a piece that is nothing but a blank shows as an open box


def readable(piece: str, *, byte_level: bool = False) -> str:
    """A piece as a person reads it: marks of word beginnings gone, bytes made characters.

    WordPiece's "##" is kept, since readers of the field know it. Half a character of a
    byte-level vocabulary shows as an escape.

    Example:
        >>> readable("Ġcaf", byte_level=True), readable("Ã©", byte_level=True)
        ('caf', 'é')
        >>> readable("##ing"), readable("▁the")
        ('##ing', 'the')
    """
    if byte_level and all(character in _BYTES for character in piece):
        octets = bytes(_BYTES[character] for character in piece)
        return octets.decode("utf-8", errors="backslashreplace").strip() or BLANK
    return piece.removeprefix("▁") or BLANK


def _byte_alphabet() -> dict[str, int]:
    """The characters that byte-level vocabularies write bytes with.

    Printable bytes stand for themselves; the others are shifted to U+0100 and up, in order.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {
        chr(0x100 + i): byte for i, byte in enumerate(others)
    }


_BYTES = _byte_alphabet()
