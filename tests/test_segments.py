import logging

import numpy as np
import pytest

from bertattn.corpora import Article
from bertattn.segments import Segments, Sentences


def test_whole_sentences_until_a_segment_is_full_never_across_articles(articles, encoder):
    segments = list(Segments(articles, encoder, max_pieces=16, seed=1))
    assert [t.document for t in segments] == [0, 0, 1]
    assert all(len(t) <= 16 for t in segments)
    text = " ".join(s for a in articles[:1] for s in a.sentences)
    words = [w for t in segments[:2] for w in t.words]
    assert words == list(encoder.text(text).words)


def test_the_split_falls_between_sentences(articles, encoder):
    for seed in range(20):
        tokens = next(iter(Segments(articles, encoder, max_pieces=64, seed=seed)))
        at = tokens.pieces.index("[SEP]")
        assert tokens.pieces[at - 1] in ".?"
        assert tokens.pieces.count("[SEP]") == 2  # both parts hold something


def test_going_through_again_gives_the_same(articles, encoder):
    segments = Segments(articles, encoder, max_pieces=16)
    first, second = list(segments), list(segments)
    assert all(np.array_equal(a.ids, b.ids) for a, b in zip(first, second, strict=True))
    other = list(Segments(articles, encoder, max_pieces=16, seed=5))
    assert any(a.pieces != b.pieces for a, b in zip(first, other, strict=False))


def test_nothing_is_lost_silently(articles, encoder):
    segments = Segments(articles, encoder, max_pieces=12)
    kept = sum(int((~t.special).sum()) for t in segments)
    assert kept == segments.left_out["pieces_kept"]
    n_pieces = sum(encoder.n_pieces(s) for a in articles for s in a.sentences)
    assert segments.left_out["pieces_trimmed"] > 0
    assert kept + segments.left_out["pieces_trimmed"] == n_pieces


def test_a_lone_sentence_makes_a_single_text_and_is_counted(encoder):
    segments = Segments([Article("", (("the keeper fed it.",),))], encoder, max_pieces=16)
    (tokens,) = segments
    assert tokens.pieces.count("[SEP]") == 1
    assert segments.left_out["single_sentences"] == 1


def test_asking_for_more_than_there_is_gives_what_there_is_and_says_so(articles, encoder, caplog):
    segments = Segments(articles, encoder, n=100, max_pieces=16)
    with caplog.at_level(logging.WARNING, "bertattn"):
        assert len(list(segments)) == 3
    assert segments.left_out["segments_missing"] == 97
    assert "asked for 100 segments, the corpus has 3" in caplog.text


def test_a_segment_without_pieces_is_left_out_and_counted(encoder):
    nothing = Article("", (("\u200b",),))
    segments = Segments([nothing], encoder, max_pieces=16)
    assert list(segments) == []
    assert segments.left_out["segments_without_pieces"] == 1


@pytest.mark.parametrize("n", [4, 65])
def test_segments_must_fit_the_model(articles, encoder, n):
    with pytest.raises(ValueError, match=rf"segments of 8 to 64 pieces .* got {n}"):
        Segments(articles, encoder, max_pieces=n)


def test_fewer_than_one_segment_is_refused(articles, encoder):
    with pytest.raises(ValueError, match="wanted at least one segment, got 0"):
        Segments(articles, encoder, n=0, max_pieces=16)


def test_sentences_too_long_for_the_model_are_counted(articles, encoder):
    long = Article("", (("the " * 100, "it.", "\u200b"),))
    sentences = Sentences([*articles, long], encoder)
    assert len(list(sentences)) == 7 + 1
    assert sentences.left_out == {"sentences_too_long": 1, "sentences_without_pieces": 1}
    assert [t.document for t in Sentences(articles, encoder, every=3)] == [0, 0, 1]
    list(more := Sentences(articles, encoder, n=9))
    assert more.left_out["sentences_missing"] == 2
    assert len(list(Sentences(articles, encoder, n=2))) == 2


def test_words_without_pieces_are_counted_and_not_mixed_up_with_trimmed_ones(encoder):
    article = Article("", (("the \u200b keeper \u0301 fed it.", "it fed her " * 9),))
    segments = Segments([article], encoder, max_pieces=12)
    list(segments)
    assert segments.left_out["words_without_pieces"] == 2
    list(sentences := Sentences([article], encoder))
    assert sentences.left_out["words_without_pieces"] == 2


def test_a_model_with_few_positions_gets_shorter_segments(articles, encoder):
    assert Segments(articles, encoder).max_pieces == encoder.max_pieces == 64
