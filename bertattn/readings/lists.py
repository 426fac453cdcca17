"""Names in a sentence."""

from collections.abc import Iterable


def listed(names: Iterable[str]) -> str:
    """Names with commas between, each once.

    Example:
        >>> listed(["det", "nn", "det"]), listed([])
        ('det, nn', 'none')
    """
    return ", ".join(dict.fromkeys(names)) or "none"


def sentence(text: str) -> str:
    """A text that begins with a capital; the rest stays as it is.

    Example:
        >>> sentence("without [CLS]")
        'Without [CLS]'
    """
    return text[:1].upper() + text[1:]
