"""Coreference written into the text: ``[anning Mary Anning] sold [fossil it]``.

A mention stands in square brackets after the name of its entity, and may hold others. A file has
the layout ``titled`` of plain text: a sentence a line, a blank line after a paragraph, ``# Title``
before an article. Mentions cannot cross, for brackets cannot.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bertattn.corpora.articles import Article, CorpusError
from bertattn.corpora.coreference import CorefDocument, Mention, mention
from bertattn.corpora.trees import ParsedSentence

MARK = re.compile(r"\[(?P<name>[^\s\[\]]*)(?P<blank> ?)|(?P<close>\])|(?P<text>[^\[\]]+)")
NAME = re.compile(r"[a-z0-9-]+")


class Span(NamedTuple):
    """Letters ``begin`` to ``end`` of a sentence, which mean ``entity``."""

    begin: int
    end: int
    entity: str


def unmarked(text: str, path: object = "text", line: int = 0) -> tuple[str, list[Span]]:
    """A sentence without its brackets, and what stood in them, outer before inner.

    Raises:
        CorpusError: If a bracket is not closed or not opened, an entity has no name, a mention is
            empty, or stands inside another of the same entity or on the same words.

    Example:
        >>> text, spans = unmarked("[father [anning her] father] died")
        >>> text, *map(tuple, spans)
        ('her father died', (0, 10, 'father'), (0, 3, 'anning'))
    """
    plain, opened, spans = "", [], []
    for mark in MARK.finditer(text):
        if mark["text"]:
            plain += mark["text"]
        elif not mark["close"]:
            _check_name(mark, path, line)
            opened.append((len(plain), mark["name"]))
        elif opened:
            begin, name = opened.pop()
            spans.append(Span(begin, len(plain), name))
        else:
            raise CorpusError(path, line, f"']' without '[' after {plain[-20:]!r}")
    if opened:
        raise CorpusError(path, line, f"'[{opened[-1][1]}' is never closed")
    spans.sort(key=lambda span: (span.begin, -span.end))
    _check_spans(plain, spans, path, line)
    return plain, spans


def document(article: Article, trees: Sequence[ParsedSentence]) -> CorefDocument:
    """The mentions of a marked article, over the words of its sentences' trees.

    Raises:
        CorpusError: If the text without the brackets is not that of the trees, a bracket stands
            inside a word, or an entity has one mention only.
    """
    mentions: list[Mention] = []
    lines: dict[str, int] = {}
    offset = 0
    sentences = list(article.sentences)
    if len(sentences) != len(trees):
        reason = f"{article.title!r} has {len(sentences)} sentences here and {len(trees)} trees"
        raise CorpusError(article.path, article.line, reason)
    for text, tree, line in zip(sentences, trees, article.lines, strict=True):
        plain, spans = unmarked(text, article.path, line)
        for start, stop, entity in _on_words(plain, spans, tree, article.path, line):
            mentions.append(mention(tree, start, stop, entity, offset))
            lines.setdefault(entity, line)
        offset += len(tree)
    found = CorefDocument(article.id, tuple(trees), tuple(mentions), article.path, article.line)
    if alone := [name for name, n_mentions in found.sizes.items() if n_mentions == 1]:
        reason = f"the entity {alone[0]!r} has one mention only in {article.title!r}; unmark it"
        raise CorpusError(article.path, lines[alone[0]], reason)
    return found


def _check_name(mark: re.Match, path: object, line: int) -> None:
    if not NAME.fullmatch(mark["name"]) or not mark["blank"]:
        wanted = "wanted '[name words]' with a name of a-z, 0-9 and '-'"
        raise CorpusError(path, line, f"{mark[0]!r} opens no mention; {wanted}")


def _check_spans(plain: str, spans: list[Span], path: object, line: int) -> None:
    for number, span in enumerate(spans):
        said = plain[span.begin : span.end]
        if not said or said != said.strip():
            reason = f"the mention {said!r} of {span.entity!r} is empty or has a blank at its edge"
            raise CorpusError(path, line, reason)
        for outer in spans[:number]:
            if span.end <= outer.end and span.entity == outer.entity:
                raise CorpusError(path, line, f"{said!r}: {span.entity!r} is marked inside itself")
            if span[:2] == outer[:2]:
                raise CorpusError(path, line, f"{said!r} is marked twice")


def _on_words(
    plain: str, spans: list[Span], tree: ParsedSentence, path: object, line: int
) -> Iterator[tuple[int, int, str]]:
    begins, ends = word_edges(plain, tree.words, path, line)
    for begin, end, entity in spans:
        if begin not in begins or end not in ends:
            reason = f"the mention {plain[begin:end]!r} begins or ends inside a word"
            raise CorpusError(path, line, reason)
        yield begins[begin], ends[end] + 1, entity


def word_edges(
    text: str, words: Sequence[str], path: object, line: int
) -> tuple[dict[int, int], dict[int, int]]:
    """Which word begins at a letter of the text, and which one ends before it.

    Raises:
        CorpusError: If the text is not these words with or without blanks between them.
    """
    begins, ends, at = {}, {}, 0
    for index, word in enumerate(words):
        at += len(text[at:]) - len(text[at:].lstrip())
        if not text.startswith(word, at):
            reason = f"the tree has the word {word!r} where the text has {text[at : at + 20]!r}"
            raise CorpusError(path, line, f"{reason}; make the two alike (make sample)")
        begins[at] = index
        at += len(word)
        ends[at] = index
    if text[at:].strip():
        raise CorpusError(path, line, f"the text goes on after the last word: {text[at:]!r}")
    return begins, ends
