"""Which mentions in a document mean the same."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from bertattn.corpora.mentions import Kind, head_word, kind_of
from bertattn.corpora.trees import ParsedSentence


@dataclass(frozen=True, order=True)
class Mention:
    """A stretch of a document's words, and whom or what it means.

    Attributes:
        start: Its first word, counted from 0 at the beginning of the document.
        stop: The word after its last.
        entity: The name of whom or what it means; mentions with one name corefer.
        head_word: The word that is its head (``bertattn.corpora.mentions``).
        kind: "pronoun", "proper" or "nominal", by its head word.
    """

    start: int
    stop: int
    entity: str
    head_word: int = -1
    kind: Kind = "nominal"


@dataclass(frozen=True)
class CorefDocument:
    """Sentences and the mentions in them, in order of their first words, outer before inner.

    Attributes:
        id: Its name in its corpus.
        sentences: Its sentences, each with its tree.
        mentions: Its mentions.
        path: The file it stands in.
        line: The line that it begins on.

    Example:
        >>> tags, relations = ("PRP", "VBP"), ("nsubj", "root")
        >>> nod = ParsedSentence("d-1", ("They", "nod"), tags, (1, None), relations)
        >>> twice = (Mention(0, 1, "they"), Mention(2, 3, "they"))
        >>> document = CorefDocument("d", (nod, nod), twice)
        >>> document.starts, document.words[2:3]
        ((0, 2), ('They',))
    """

    id: str
    sentences: tuple[ParsedSentence, ...]
    mentions: tuple[Mention, ...]
    path: str = ""
    line: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """All words in order."""
        return tuple(word for sentence in self.sentences for word in sentence.words)

    @property
    def starts(self) -> tuple[int, ...]:
        """The index of the first word of each sentence."""
        return tuple(accumulate((len(s) for s in self.sentences[:-1]), initial=0))

    @property
    def sizes(self) -> Counter[str]:
        """How many mentions each entity has."""
        return Counter(mention.entity for mention in self.mentions)


def mention(tree: ParsedSentence, start: int, stop: int, entity: str, offset: int) -> Mention:
    """A mention of the words ``start`` to ``stop`` of a sentence that begins at ``offset``."""
    top = head_word(tree, start, stop)
    kind = kind_of(tree, top, stop - start)
    return Mention(start + offset, stop + offset, entity, top + offset, kind)


def in_order(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """By first word, outer before inner."""
    return tuple(sorted(mentions, key=lambda m: (m.start, -m.stop, m.entity)))
