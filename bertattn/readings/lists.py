"""Names in a sentence."""

from collections.abc import Iterable


def listed(names: Iterable[str]) -> str:
    """Names with commas between, each once.

    Example:
        >>> listed(["det", "nn", "det"]), listed([])
        ('det, nn', 'none')
    """
    return ", ".join(dict.fromkeys(names)) or "none"
