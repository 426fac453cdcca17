"""Which mentions in a document mean the same."""

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate

from bertattn.corpora.trees import ParsedSentence


@dataclass(frozen=True, order=True)
class Mention:
    """A stretch of a document's words, and whom or what it means.

    Attributes:
        start: Its first word, counted from 0 at the beginning of the document.
        stop: The word after its last.
        entity: The name of whom or what it means; mentions with one name corefer.
    """

    start: int
    stop: int
    entity: str


@dataclass(frozen=True)
class CorefDocument:
    """Sentences and the mentions in them, in order of their first words, outer before inner.

    Attributes:
        id: Its name in its corpus.
        sentences: Its sentences, each with its tree.
        mentions: Its mentions; each entity has two or more.

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
