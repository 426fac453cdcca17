import numpy as np
import pytest
import transformers
from hypothesis import given
from hypothesis import strategies as st

from bertattn.attention import Kind
from bertattn.corpora import Segment
from bertattn.pieces import readable
from bertattn.tokens import Encoder, NoPiecesError, TooLongError
from tests import tiny


def test_pieces_belong_to_the_word_in_which_they_begin(encoder):
    tokens = encoder.text("The octopuss, fed it.")
    assert tokens.pieces == ("[CLS]", "the", "octopus", "##s", ",", "fed", "it", ".", "[SEP]")
    assert tokens.words == ("The", "octopuss", ",", "fed", "it", ".")
    assert tokens.unit_of.tolist() == [6, 0, 1, 1, 2, 3, 4, 5, 7]


def test_a_pair_counts_on_and_specials_come_last(encoder):
    tokens = encoder.text("the keeper.", "it fed her.")
    assert tokens.words == ("the", "keeper", ".", "it", "fed", "her", ".")
    assert tokens.unit_of.tolist() == [7, 0, 1, 2, 8, 3, 4, 5, 6, 9]
    assert tokens.type_ids.tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert tokens.units[-3:] == ("[CLS]", "[SEP]", "[SEP]")


def test_kinds_come_from_the_tokenizers_own_ids(encoder):
    start, dot, end = Kind.START, Kind.PUNCTUATION, Kind.SEPARATOR
    assert encoder.text("the, it.").kinds.tolist() == [start, 0, dot, 0, dot, end]


def test_all_token_types_can_be_0_as_in_the_papers_maps():
    zero = Encoder(tiny.wordpiece(), 64, type_ids="zero")
    assert not zero.text("the keeper.", "it fed her.").type_ids.any()


def test_a_special_token_in_the_text_is_text(encoder):
    tokens = encoder.text("the [SEP] and [CLS] it")
    assert tokens.pieces.count("[SEP]") == tokens.pieces.count("[CLS]") == 1
    assert tokens.special.sum() == 2
    assert tokens.words == ("the", "[", "SEP", "]", "and", "[", "CLS", "]", "it")


@pytest.mark.parametrize("nothing", ["\u200b", "\u0301"])
def test_a_word_without_pieces_is_told_and_shifts_nobody(encoder, nothing):
    tokens = encoder.words(["the", nothing, "keeper"])
    assert tokens.words_without_pieces == (1,)
    assert tokens.unit_of.tolist() == [3, 0, 2, 4]


def test_a_text_without_pieces_is_refused(encoder):
    for text in ("", "  ", "\u200b"):
        with pytest.raises(NoPiecesError, match="the tokenizer makes no piece of"):
            encoder.text(text)


def test_a_text_of_only_marks_is_a_text(encoder):
    assert encoder.text(".,;?!").pieces == ("[CLS]", ".", ",", ";", "?", "!", "[SEP]")


def test_a_text_longer_than_the_model_takes_is_refused_not_cut(encoder):
    with pytest.raises(TooLongError, match="the text has 102 pieces and the model takes 64"):
        encoder.text("the " * 100)


def test_the_tokenizers_own_truncation_and_padding_are_off():
    tokenizer = tiny.wordpiece()
    tokenizer.backend_tokenizer.enable_truncation(5)
    tokenizer.backend_tokenizer.enable_padding(length=40)
    assert len(Encoder(tokenizer, 64).text("the keeper fed the octopus")) == 7


def test_a_slow_tokenizer_is_refused():
    class Slow(transformers.PreTrainedTokenizerBase):
        is_fast = False

    with pytest.raises(ValueError, match=r"wanted a fast tokenizer .* got Slow"):
        Encoder(Slow())


def test_models_without_or_with_doubled_separators():
    roberta = Encoder(tiny.byte_level(), 64)
    assert (roberta.text("a", "b").kinds == Kind.SEPARATOR).sum() == 3
    assert roberta.special_names == {"start": "<s>", "separator": "</s>"}
    gpt = Encoder(tiny.byte_level(special=False), 64)
    assert not gpt.text("a", "b").special.any()
    assert gpt.special_names == {}
    no_end = Encoder(tiny.wordpiece(separator=None), 64)
    assert no_end.special_names == {"start": "[CLS]"}


def test_begin_and_end_tokens_stand_in_for_start_and_separator():
    tokenizer = tiny.byte_level()
    tokenizer.cls_token = tokenizer.sep_token = None
    kinds = Encoder(tokenizer, 64).text("a").kinds.tolist()
    assert (kinds[0], kinds[-1]) == (Kind.START, Kind.SEPARATOR)


def test_byte_level_pieces_read_as_text():
    tokens = Encoder(tiny.byte_level(), 64).text("fed it, café \u4e2d.")
    assert "fed" in tokens.pieces
    assert not any("Ġ" in piece or "Ã" in piece for piece in tokens.pieces)
    assert tokens.words == ("fed", "it", ",", "café", "\u4e2d", ".")
    assert tokens.words_without_pieces == ()
    assert readable("Ã", byte_level=True) == "\\xc3"
    assert readable("Ġ", byte_level=True) == readable("▁") == "␣"


@pytest.mark.parametrize("make", [tiny.wordpiece, tiny.byte_level, tiny.unigram])
def test_treebank_words_with_blanks_inside_stay_whole(make):
    tokens = Encoder(make(), 64).words(["the", "10 000", "it"])
    assert tokens.words == ("the", "10 000", "it")
    assert sorted(set(tokens.unit_of[~tokens.special].tolist())) == [0, 1, 2]


words = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1))


@pytest.mark.parametrize("make", [tiny.wordpiece, tiny.byte_level, tiny.unigram])
@given(words=words)
def test_every_piece_has_a_unit_and_units_keep_their_order(make, words):
    encoder = Encoder(make(), 10_000)
    try:
        tokens = encoder.words(words)
    except NoPiecesError:
        return
    of_words = tokens.unit_of[~tokens.special]
    assert (np.diff(of_words) >= 0).all()
    assert of_words.max() < len(words)
    present = set(of_words.tolist())
    assert present | set(tokens.words_without_pieces) == set(range(len(words)))


def test_trimming_takes_from_the_longer_part_and_says_how_much(encoder):
    segment = Segment("the keeper " * 8, "it fed her", document=3)
    tokens, n_dropped, n_silent = encoder.segment(segment, 12, np.random.default_rng(0))
    assert (len(tokens), n_dropped, n_silent) == (12, 16 + 3 + 3 - 12, 0)
    assert tokens.pieces[-4:] == ("it", "fed", "her", "[SEP]")
    assert tokens.document == 3
    assert len(tokens.words) == 19  # dropped words are still counted ...
    assert len(tokens.words_without_pieces) == n_dropped  # ... and known to have no pieces


def test_trimming_is_from_both_ends_by_chance(encoder):
    segment = Segment("abcdefghijklmnopqrstuvwxyz", "it")
    kept, starts = set(), set()
    for seed in range(30):
        tokens, _, _ = encoder.segment(segment, 10, np.random.default_rng(seed))
        kept.add(len(tokens))
        starts.add(tokens.pieces[1])
    assert kept == {10}
    assert len(starts) > 5


def test_letters_keep_the_marks_that_combine_with_them(encoder):
    assert encoder.text("cafe\u0301s हिन्दी").words == ("cafe\u0301s", "हिन्दी")


def test_texts_that_nothing_divides_are_joined_by_a_blank():
    gpt = Encoder(tiny.byte_level(special=False), 64)
    assert gpt.text("fed it.", "It fed.").pieces == gpt.text("fed it. It fed.").pieces


def test_a_pair_with_an_empty_half_is_a_single_text(encoder):
    for pair in (("\u200b", "the keeper"), ("the keeper", "\u200b")):
        tokens = encoder.text(*pair)
        assert tokens.pieces == ("[CLS]", "the", "keeper", "[SEP]")
        assert len(tokens.words_without_pieces) == 1
