"""Constituents to governors, by the usual head rules for English (Collins 1999, appendix A).

Only what mentions need is here in full: noun phrases. Other phrases take the first child on the
side that the table names whose label is in it, or else the outermost child of that side.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

NOUNS = {"NN", "NNP", "NNPS", "NNS", "NX", "POS", "JJR"}
RULES: dict[str, tuple[str, tuple[str, ...]]] = {
    "ADJP": ("left", ("NNS", "QP", "NN", "$", "ADVP", "JJ", "VBN", "VBG", "ADJP", "JJR", "NP")),
    "ADVP": ("right", ("RB", "RBR", "RBS", "FW", "ADVP", "TO", "CD", "JJR", "JJ", "IN", "NP")),
    "PP": ("right", ("IN", "TO", "VBG", "VBN", "RP", "FW")),
    "PRT": ("right", ("RP",)),
    "QP": ("left", ("$", "IN", "NNS", "NN", "JJ", "RB", "DT", "CD", "NCD", "QP", "JJR", "JJS")),
    "S": ("left", ("TO", "IN", "VP", "S", "SBAR", "ADJP", "UCP", "NP")),
    "SBAR": ("left", ("WHNP", "WHPP", "WHADVP", "WHADJP", "IN", "DT", "S", "SQ", "SINV", "SBAR")),
    "SINV": ("left", ("VBZ", "VBD", "VBP", "VB", "MD", "VP", "S", "SINV", "ADJP", "NP")),
    "SQ": ("left", ("VBZ", "VBD", "VBP", "VB", "MD", "VP", "SQ")),
    "VP": ("left", ("TO", "VBD", "VBN", "MD", "VBZ", "VB", "VBG", "VBP", "VP", "ADJP", "NN", "NP")),
    "WHNP": ("left", ("WDT", "WP", "WP$", "WHADJP", "WHPP", "WHNP")),
    "WHPP": ("right", ("IN", "TO", "FW")),
}
TOKEN = re.compile(r"\((?P<open>[^()*\s]+)|(?P<word>\*)|(?P<close>\))")


@dataclass
class _Phrase:
    label: str
    children: list["_Phrase"] = field(default_factory=list)
    word: int = -1


def governors(bits: Sequence[str], tags: Sequence[str]) -> tuple[int | None, ...]:
    """The governor of each word of a sentence, from the parse bits of CoNLL-2012.

    Args:
        bits: The part of the bracketed tree beside each word, a ``*`` for the word.
        tags: The parts of speech.

    Raises:
        ValueError: If the bits make no tree.

    Example:
        >>> governors(["(TOP(S(NP*", "*)", "(VP*)))"], ["DT", "NN", "VBD"])
        (1, 2, None)
    """
    top = _tree(bits, tags)
    found: list[int | None] = [None] * len(tags)
    _hang(top, found)
    return tuple(found)


def _tree(bits: Sequence[str], tags: Sequence[str]) -> _Phrase:
    outside = _Phrase("")
    stack = [outside]
    for word, (text, tag) in enumerate(zip(bits, tags, strict=True)):
        tokens = list(TOKEN.finditer(text))
        if "".join(t[0] for t in tokens) != text or sum(t[0] == "*" for t in tokens) != 1:
            raise ValueError(f"cannot read the parse bit {text!r} of word {word + 1}")
        for token in tokens:
            if token["open"]:
                phrase = _Phrase(token["open"].partition("-")[0] or token["open"])
                stack[-1].children.append(phrase)
                stack.append(phrase)
            elif token["word"]:
                stack[-1].children.append(_Phrase(tag, [], word))
            elif len(stack) > 1:
                stack.pop()
            else:
                raise ValueError(f"word {word + 1} closes a phrase that was not opened")
    if len(stack) > 1:
        raise ValueError(f"the phrase {stack[-1].label!r} is never closed")
    return outside


def _hang(phrase: _Phrase, found: list[int | None]) -> int:
    """The head word of a phrase; the heads of its other children hang on it."""
    if phrase.word >= 0:
        return phrase.word
    heads = [_hang(child, found) for child in phrase.children]
    top = heads[_head_child(phrase)]
    for other in heads:
        if other != top:
            found[other] = top
    return top


def _head_child(phrase: _Phrase) -> int:
    labels = [child.label for child in phrase.children]
    if "CC" in labels[1:] and phrase.label not in ("", "TOP"):
        return _of(phrase.label, labels[: labels.index("CC", 1)])
    return _of(phrase.label, labels)


def _of(label: str, labels: list[str]) -> int:
    if label in ("NP", "NX", "NML", "NAC"):
        return _noun(labels)
    side, wanted = RULES.get(label, ("left", ()))
    order = range(len(labels)) if side == "left" else range(len(labels) - 1, -1, -1)
    for name in wanted:
        for place in order:
            if labels[place] == name:
                return place
    words = [place for place in order if any(c.isalpha() for c in labels[place])]
    return (words or list(order))[0]


def _noun(labels: list[str]) -> int:
    """Collins's rules for noun phrases; of a possessive phrase the noun, not its ending."""
    last_first = range(len(labels) - 1, -1, -1)
    searches = (
        (last_first, NOUNS - {"POS"}),
        (range(len(labels)), {"NP", "NML", "WHNP"}),
        (last_first, {"PRP", "PRP$", "$", "ADJP", "PRN"}),
        (last_first, {"CD"}),
        (last_first, {"JJ", "JJS", "RB", "QP", "DT"}),
    )
    for order, wanted in searches:
        for place in order:
            if labels[place] in wanted:
                return place
    return len(labels) - 1
