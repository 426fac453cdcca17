"""What one attention head is, as plain data that a view shows."""

from dataclasses import dataclass

from bertattn.heads import AttentionHead


@dataclass(frozen=True)
class Example:
    """A word of a sentence and where one head looks from it.

    Attributes:
        words: The sentence.
        from_word: Who looks.
        to_word: What the example is about (the governor, the next word); None for a special token.
        weight: The attention from one to the other.
        note: What it is, in a few words.
        source: The sentence's name.
    """

    words: tuple[str, ...]
    from_word: int
    to_word: int | None
    weight: float
    note: str = ""
    source: str = ""


@dataclass(frozen=True)
class Card:
    """What one attention head does, knows and resembles.

    Attributes:
        attn_head: The head.
        shares: Where its attention goes, and how broadly, as printed.
        relations: The relations that it finds best, with intervals, best first.
        best: Examples of what ``about`` says, the strongest first.
        worst: Examples of the same, the weakest first.
        nearest: The nearest heads, with divergences in nats.
        about: What the examples are of.
    """

    attn_head: AttentionHead
    shares: tuple[tuple[str, str], ...]
    relations: tuple[tuple[str, str], ...]
    best: tuple[Example, ...]
    worst: tuple[Example, ...]
    nearest: tuple[tuple[AttentionHead, float], ...] = ()
    about: str = ""
