"""The head word of a mention, and what kind of mention it is.

The head is the word of the mention whose governor is outside it; of several, the first that is no
punctuation: so *Mary* in *Mary and Joseph*, and *collector* in *a collector from Dorset*. Names are
last-headed: where a tree hangs the parts of a name on its first (Universal Dependencies' ``flat``),
the last part is taken.

========= ====================================================================================
kind      its head word
========= ====================================================================================
pronoun   has a pronoun's tag (PRP, PRP$, WP, WP$, PRON), or is *this, that, these, those, one,
          ones, both, another, others, all, some* with a determiner's, numeral's or noun's tag
          and is the whole mention
proper    has a proper noun's tag (NNP, NNPS, PROPN)
nominal   is any other
========= ====================================================================================
"""

from typing import Literal, get_args

from bertattn.corpora.trees import ParsedSentence

Kind = Literal["pronoun", "proper", "nominal"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PRONOUN_TAGS = {"PRP", "PRP$", "WP", "WP$", "PRON"}
PROPER_TAGS = {"NNP", "NNPS", "PROPN"}
STANDING_ALONE = {
    *("this", "that", "these", "those", "one", "ones", "both"),
    *("another", "others", "all", "some"),
}
NAME_PARTS = ("flat", "flat:name", "flat:foreign", "name")


def head_word(tree: ParsedSentence, start: int, stop: int) -> int:
    """The head of the words ``start`` to ``stop`` of a sentence.

    Example:
        >>> words, tags = ("her", "old", "father", "died"), ("PRP$", "JJ", "NN", "VBD")
        >>> labels = ("poss", "amod", "nsubj", "root")
        >>> head_word(ParsedSentence("s", words, tags, (2, 2, 3, None), labels), 0, 3)
        2
    """
    span = range(start, stop)
    tops = [word for word in span if tree.governors[word] not in span]
    words = [word for word in tops if any(c.isalnum() for c in tree.words[word])]
    top = (words or tops or [start])[0]
    parts = [
        word for word in span if tree.governors[word] == top and tree.relations[word] in NAME_PARTS
    ]
    return parts[-1] if parts and tree.tags[parts[-1]] in PROPER_TAGS else top


def kind_of(tree: ParsedSentence, top: int, n_words: int) -> Kind:
    """What kind of mention has the head word ``top`` and so many words.

    Example:
        >>> tags, labels = ("DT", "VBD"), ("nsubj", "root")
        >>> tree = ParsedSentence("s", ("That", "fell"), tags, (1, None), labels)
        >>> kind_of(tree, 0, 1)
        'pronoun'
    """
    tag, word = tree.tags[top], tree.words[top].lower()
    if tag in PRONOUN_TAGS or (n_words == 1 and word in STANDING_ALONE):
        return "pronoun"
    return "proper" if tag in PROPER_TAGS else "nominal"
