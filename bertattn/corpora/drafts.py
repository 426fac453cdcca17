"""A tree while rules change it, and what several of them ask of it."""

from dataclasses import dataclass

from bertattn.corpora.trees import ParsedSentence

FINITE = {"VBD", "VBZ", "VBP", "MD"}
NOUNS_OF_TIME = """
    second minute hour day night morning afternoon evening noon midnight week weekend month season
    spring summer autumn winter year decade century time moment period generation
    today tonight tomorrow yesterday
    monday tuesday wednesday thursday friday saturday sunday
    january february march april may june july august september october november december
"""
TIMES = set(NOUNS_OF_TIME.split())


@dataclass
class Draft:
    """A tree that is being changed; None governs the root."""

    words: list[str]
    tags: list[str]
    governors: list[int | None]
    relations: list[str]

    @classmethod
    def of(cls, tree: ParsedSentence) -> "Draft":
        """A tree's copy, its words in lower case."""
        words = [word.lower() for word in tree.words]
        return cls(words, [*tree.tags], [*tree.governors], [*tree.relations])

    def children(self, word: int, *relations: str) -> list[int]:
        """The words that a word governs, by any relation or by some."""
        return [
            child
            for child, governor in enumerate(self.governors)
            if governor == word and (not relations or self.relations[child] in relations)
        ]

    def labelled(self, *relations: str) -> list[int]:
        """The words that have one of some relations."""
        return [word for word, relation in enumerate(self.relations) if relation in relations]

    def take_place(self, child: int, word: int, relation: str) -> None:
        """Let a child govern its governor, which becomes ``relation`` to it."""
        self.governors[child], self.relations[child] = self.governors[word], self.relations[word]
        self.governors[word], self.relations[word] = child, relation

    def is_infinitive(self, word: int) -> bool:
        """Has it a *to*?"""
        return any(self.tags[child] == "TO" for child in self.children(word, "aux"))

    def is_finite(self, word: int) -> bool:
        """Is the verb, or one that helps it, finite?"""
        verbs = [word, *self.children(word, "aux", "auxpass", "cop")]
        return any(self.tags[verb] in FINITE for verb in verbs)

    def is_time(self, word: int) -> bool:
        """Is it a noun of time, or a year?"""
        text = self.words[word]
        year = self.tags[word] == "CD" and len(text) == 4 and text.isdigit()
        return text in TIMES or text.removesuffix("s") in TIMES or year
