"""Sentences in which one head gives more, or less, attention than so much along a relation."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from jaxtyping import Bool, Float

from bertattn.attention import Tokens
from bertattn.heads import AttentionHead
from bertattn.search.best import DIGITS
from bertattn.search.topics import BEHAVIOURS, MARKS, Topic
from bertattn.syntax import DIRECTIONS, Direction, rules
from bertattn.syntax.arcs import sentence_of

EXAMPLE = "3-1 dobj governor->dependent > 0.5 from verb"
ORDER = "a head, a relation, who attends to whom, limits, parts of speech, in this order"
HINTS = {  # what is often typed, and what is read
    ">=": "there is > and no >=",
    "<=": "there is < and no <=",
    "%": "write 50% as 0.5",
}
WRITTEN = re.compile(
    r"\s*(?P<head>[^\s<>]+)\s+(?P<relation>[^\s<>]+)(?:\s+(?P<direction>[a-z]+->[a-z]+))?"
    r"(?:\s*>\s*(?P<over>\d*\.?\d+))?(?:\s*<\s*(?P<under>\d*\.?\d+))?"
    r"(?:\s+from\s+(?P<from_tags>\S+))?(?:\s+to\s+(?P<to_tags>\S+))?\s*"
)


@dataclass(frozen=True)
class Query:
    """A head, and how much of a word's attention it gives to a word it stands in a relation with.

    Attributes:
        attn_head: The head.
        relation: A relation, or one of ``BEHAVIOURS``.
        direction: Who attends to whom along the relation; a behaviour has none, so the default.
        over: Weights over this are wanted; None: see ``under``. Four digits at most, as weights are
            compared.
        under: Weights under this are wanted; the smallest come first if ``over`` is None.
        from_tags: Parts of speech of the word that looks, by tag ("VBD") or by class ("verb", see
            ``syntax.rules``); none: any.
        to_tags: The same of the word that it looks at.

    Raises:
        ValueError: If no weight can be wanted so, there is no such direction, or a name could not
            be read back.

    Example:
        >>> print(Query.parse("3-1 dobj governor->dependent > 0.5 from verb"))
        3-1 dobj governor->dependent > 0.5 from verb
    """

    attn_head: AttentionHead
    relation: str
    direction: Direction = DIRECTIONS[0]
    over: float | None = 0.5
    under: float | None = None
    from_tags: tuple[str, ...] = ()
    to_tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _refuse_limits(self.over, self.under)
        if self.relation in BEHAVIOURS and self.direction != DIRECTIONS[0]:
            raise ValueError(NO_WAY.format(self.relation, self.direction))
        if self.direction not in DIRECTIONS:
            raise ValueError(WAYS.format(self.direction))
        _refuse_unreadable(self.relation, [*self.from_tags, *self.to_tags])

    @classmethod
    def of(cls, attn_head: AttentionHead, topic: Topic, over: float = 0.5) -> "Query":
        """Where a head gives so much attention to what a topic asks about."""
        return cls(attn_head, topic.name, topic.direction or DIRECTIONS[0], over)

    @classmethod
    def parse(cls, text: str) -> "Query":
        """Read a query: head, relation, direction, "> 0.5", "< 0.1" or both, parts of speech.

        The direction may be left out: it is then dependent->governor. Several parts of speech have
        commas between.

        Raises:
            ValueError: If the text is no query.
        """
        found = WRITTEN.fullmatch(text)
        if found is None:
            hints = "".join(f"; {hint}" for sign, hint in HINTS.items() if sign in text)
            raise ValueError(
                f"wanted {ORDER}, such as {EXAMPLE!r} (numbers with a full stop), "
                f"got {text!r}{hints}"
            )
        direction = found["direction"] or DIRECTIONS[0]
        if direction not in DIRECTIONS:
            raise ValueError(WAYS.format(direction))
        if found["direction"] and found["relation"] in BEHAVIOURS:
            raise ValueError(NO_WAY.format(found["relation"], direction))
        over, under = (float(found[end]) if found[end] else None for end in LIMITS)
        from_tags, to_tags = (tuple(found[end].split(",")) if found[end] else () for end in ENDS)
        way, attn_head = cast(Direction, direction), AttentionHead.parse(found["head"])
        return cls(attn_head, found["relation"], way, over, under, from_tags, to_tags)

    def __str__(self) -> str:
        way = [] if self.topic.direction is None else [self.direction]
        values = zip("><", (self.over, self.under), strict=True)
        limits = [f"{sign} {float(value):z}" for sign, value in values if value is not None]
        tags = [
            f"{end.partition('_')[0]} {','.join(getattr(self, end))}"
            for end in ENDS
            if getattr(self, end)
        ]
        return " ".join([str(self.attn_head), self.relation, *way, *limits, *tags])

    @property
    def topic(self) -> Topic:
        """From which words to which."""
        behaves = self.relation in BEHAVIOURS
        return Topic(self.relation, None if behaves else self.direction)

    def wants(self, weights: Float[np.ndarray, " pair"]) -> Bool[np.ndarray, " pair"]:
        """Which weights are wanted."""
        wanted = np.ones(weights.shape, dtype=bool)
        if self.over is not None:
            wanted &= weights > self.over
        return wanted if self.under is None else wanted & (weights < self.under)

    def check(self, inputs: Iterable[Tokens], shape: tuple[int, int]) -> None:
        """Refuse a query that nothing in these parsed sentences can meet.

        Args:
            inputs: The sentences.
            shape: Layers of the model, and heads of a layer.

        Raises:
            ValueError: If there is no such head, relation or part of speech, with those there are,
                or one is wanted of what is no word.
        """
        if self.attn_head.layer >= shape[0] or self.attn_head.index >= shape[1]:
            last = AttentionHead(shape[0] - 1, shape[1] - 1)
            raise ValueError(f"wanted a head from 1-1 to {last}, got {self.attn_head}")
        if self.to_tags and self.relation in MARKS:
            raise ValueError(
                f"{self.relation} is about no word, so what is looked at has no part of speech; "
                f"leave out 'to {','.join(self.to_tags)}'"
            )
        sentences = [sentence_of(tokens.source) for tokens in inputs]
        relations = {name for sentence in sentences for _, _, name in sentence.arcs}
        tags = {tag for sentence in sentences for tag in sentence.tags}
        classes = {rules.word_class(tag) for tag in tags} - {""}
        _known("relation", [self.relation], [*sorted(relations), *BEHAVIOURS])
        _known(
            "part of speech", [*self.from_tags, *self.to_tags], [*sorted(classes), *sorted(tags)]
        )


LIMITS = ("over", "under")
ENDS = ("from_tags", "to_tags")
WAYS = f"wanted {' or '.join(DIRECTIONS)}, got {{!r}}"
NO_WAY = "wanted {} without who attends to whom, since it is no relation; leave out {!r}"


def _refuse_limits(over: float | None, under: float | None) -> None:
    low = 0.0 if over is None else over
    high = 1.0 if under is None else under
    if (over, under) == (None, None) or not 0 <= low < high <= 1:
        raise ValueError(
            f"wanted weights over a number from 0 and under 1, or under one over that and up to "
            f"1, got over={over}, under={under}; for small weights give over=None, under=0.1"
        )
    if (round(low, DIGITS), round(high, DIGITS)) != (low, high):
        raise ValueError(
            f"wanted limits of {DIGITS} digits at most, as weights are compared, got "
            f"over={over}, under={under}"
        )


def _refuse_unreadable(relation: str, tags: Sequence[str]) -> None:
    """Refuse names that a query as text could not hold."""
    if not re.fullmatch(r"[^\s<>]+", relation):
        raise ValueError(f"wanted a relation without spaces, < and >, got {relation!r}")
    for tag in tags:
        if not re.fullmatch(r"[^\s,]+", tag):
            raise ValueError(f"wanted parts of speech without spaces and commas, got {tag!r}")


def _known(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"no {what} {unknown[0]!r} in these sentences; there are: {_said(known)}")


def _said(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
