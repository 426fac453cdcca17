"""Section 4.3, on hand-made maps and documents: planted heads, and a slow loop from the paper."""

from collections import Counter
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
import torch

from bertattn import coref, corpora, measure, plots, readings, tables
from bertattn.coref import CANDIDATES, DIRECTIONS, CorefCounts, Window, Windows, rules
from bertattn.corpora import CorefDocument, Mention
from bertattn.corpora.trees import ParsedSentence
from bertattn.heads import AttentionHead
from bertattn.reducer import Batch
from bertattn.tokens import Encoder
from tests import tiny
from tests.test_syntax import as_on_a_gpu, padded, random_maps, slow_word_map
from tests.test_tables import MADE

matplotlib.use("agg")
GOLD = {**MADE, "trees": "", "inputs": {"kind": "windows", "cut": "first", "pieces": 64}}
TEXT = "the keeper fed the octopus and she did make it her shell or that animal"
WORDS = TEXT.split()
#         0    1      2   3    4      5   6   7   8    9  10   11   12  13   14


def said(start, stop, entity, top, kind):
    return Mention(start, stop, entity, top, kind)


MENTIONS = (
    said(0, 2, "keeper", 1, "nominal"),
    said(3, 5, "octopus", 4, "nominal"),
    said(6, 7, "keeper", 6, "pronoun"),
    said(9, 10, "octopus", 9, "pronoun"),
    said(10, 12, "shell", 11, "nominal"),
    said(10, 11, "keeper", 10, "pronoun"),
    said(13, 15, "octopus", 14, "nominal"),
)
TAG_TEXT = "DT NN VBD DT NN CC PRP VBD VB PRP PRP$ NN CC DT NN"
TAGS = tuple(TAG_TEXT.split())
SHELL = Window("shell", tuple(WORDS), TAGS, MENTIONS)
ASKED = [(6, {1}), (9, {4}), (10, {1, 6}), (14, {4, 9})]


def document(words=tuple(WORDS), mentions=MENTIONS, name="d"):
    above = (None, *[0] * (len(words) - 1))
    tree = ParsedSentence(
        f"{name}-1", words, TAGS[: len(words)], above, ("dep",) * len(words), name
    )
    return CorefDocument(name, (tree,), mentions)


def tokens_of(encoder, *windows):
    return [replace(encoder.words(w.words), source=w, document=n) for n, w in enumerate(windows)]


def counted(tokens, maps, *, causal=False, keep=0, from_word="mean", as_array=np.asarray):
    counts = CorefCounts.empty(*maps[0].shape[:2], from_word, keep)
    batch = Batch.of(tokens, as_array, causal=causal)
    for layer in range(maps[0].shape[0]):
        one = np.stack([padded(m[layer], batch.kinds.shape[1]) for m in maps])
        counts.update(layer, as_array(one), batch)
    return counts


def slow_hits(tokens, maps, from_word):
    """For each set of candidates, direction, layer and head: how many mentions are right."""
    window = tokens.source
    heads = sorted({m.head_word for m in window.mentions})
    right = Counter()
    for own, answers in ASKED:
        for layer in range(maps.shape[0]):
            for number in range(maps.shape[1]):
                merged, _ = slow_word_map(maps[layer, number], tokens, from_word)
                for d in range(2):
                    row = merged[own] if d == 0 else merged[:, own]
                    for s, name in enumerate(CANDIDATES):
                        allowed = [w for w in range(len(window.words)) if w != own]
                        if "before" in name:
                            allowed = [w for w in allowed if w < own]
                        if "mentions" in name:
                            allowed = [w for w in allowed if w in heads]
                        best = max(allowed, key=lambda w: (row[w], -w))
                        right[s, d, layer, number] += best in answers
    return right


@pytest.mark.parametrize("from_word", ["mean", "first"])
def test_equal_to_the_slow_rule(encoder, from_word):
    rng = np.random.default_rng(0)
    tokens = tokens_of(encoder, SHELL)
    maps = random_maps(tokens[0], rng)
    maps[0, 0] = 1 / len(tokens[0])  # all equal: the first candidate is taken
    counts = counted(tokens, [maps], from_word=from_word)
    found = counts.right.sum(axis=(0, 1, 2))
    for place, n in slow_hits(tokens[0], maps, from_word).items():
        assert found[place] == n
    assert counts.total.sum() == 4
    assert counts.total.sum(axis=(0, 2)).tolist() == [3, 0, 1]  # pronouns, names, nouns


def test_torch_gives_what_numpy_gives(encoder, monkeypatch):
    tokens = tokens_of(encoder, SHELL, SHELL)
    maps = [random_maps(t, np.random.default_rng(1)) for t in tokens]
    by_numpy = counted(tokens, maps)
    as_on_a_gpu(monkeypatch)
    by_torch = counted(tokens, maps, as_array=torch.as_tensor)
    assert np.array_equal(by_numpy.right, by_torch.right)


def planted(tokens, at=(1, 2), shape=(2, 3)):
    """Uniform maps, but one head whose asked mentions look at their nearest antecedent."""
    n = len(tokens)
    maps = np.full((*shape, n, n), 1 / n, dtype=np.float32)
    for own, answers in ASKED:
        for piece in np.flatnonzero(tokens.unit_of == own):
            target = np.flatnonzero(tokens.unit_of == max(answers))
            maps[at][piece] = 0
            maps[at][piece, target] = 1 / len(target)
    return maps


def test_a_planted_head_is_found_and_its_transpose_in_the_other_direction(encoder):
    tokens = tokens_of(encoder, SHELL)
    maps = planted(tokens[0])
    for one, direction in ((maps, DIRECTIONS[0]), (maps.swapaxes(2, 3), DIRECTIONS[1])):
        counts = counted(tokens, [np.ascontiguousarray(one)])
        for candidates in CANDIDATES:
            score = coref.score(counts, candidates)
            assert score.head(score.best) == (AttentionHead(1, 2), direction)
            assert score.accuracy(score.best) == 4 / 4


def test_candidates_and_chance(encoder):
    tokens = tokens_of(encoder, SHELL)
    counts = counted(tokens, [planted(tokens[0])])
    assert counts.n_candidates[0].tolist() == [3 * 14, 0, 14]  # pronouns, names, nouns
    assert counts.n_candidates.sum(axis=1).tolist() == [
        4 * 14,
        6 + 9 + 10 + 14,
        4 * 6,
        2 + 3 + 4 + 6,
    ]
    wanted = [
        (1 + 1 + 2 + 2) / 14,
        1 / 6 + 1 / 9 + 2 / 10 + 2 / 14,
        (1 + 1 + 2 + 2) / 6,
        1 / 2 + 1 / 3 + 2 / 4 + 2 / 6,
    ]
    np.testing.assert_allclose(counts.chance.sum(axis=1), wanted)


def test_sums_of_parts_are_the_whole(encoder, tmp_path):
    tokens = tokens_of(encoder, SHELL, SHELL)
    maps = [random_maps(t, np.random.default_rng(n)) for n, t in enumerate(tokens)]
    whole = counted(tokens, maps, keep=9)
    one, two = (counted([t], [m], keep=9) for t, m in zip(tokens, maps, strict=True))
    added = one + two
    added.save(tmp_path / "counts.npz")
    read = CorefCounts.load(tmp_path / "counts.npz")
    for name in ("right", "right_rules", "total", "n_candidates", "chance"):
        np.testing.assert_allclose(getattr(whole, name), getattr(added, name))
        assert np.array_equal(getattr(read, name), getattr(added, name))
    assert (read.n_windows, read.from_word, read.causal) == (2, "mean", False)
    assert len(added.guesses) == 2
    with pytest.raises(ValueError, match="merged in different ways cannot be added"):
        one + CorefCounts.empty(2, 3, "first")


def test_kept_guesses_are_what_was_chosen_among_all_words(encoder):
    tokens = tokens_of(encoder, SHELL)
    [guesses] = counted(tokens, [planted(tokens[0])], keep=3).guesses
    assert guesses.head_words.tolist() == [6, 9, 10, 14]
    assert guesses.chosen[0, 1, 2].tolist() == [1, 4, 6, 9]
    assert guesses.right == ((1,), (4,), (1, 6), (4, 9))
    assert str(guesses) == "shell: the keeper fed the octopus and ..."


def test_decoders_are_asked_in_the_direction_they_can_see(encoder):
    tokens = tokens_of(encoder, SHELL)
    maps = np.tril(random_maps(tokens[0], np.random.default_rng(2)))
    counts = counted(tokens, [maps / maps.sum(-1, keepdims=True)], causal=True)
    assert coref.score(counts).shape == (1, 2, 3)


def test_words_without_pieces_are_no_candidates(encoder):
    words = tuple("\u200b" if n in (1, 5) else w for n, w in enumerate(WORDS))
    tokens = tokens_of(encoder, replace(SHELL, words=words))
    counts = counted(tokens, [random_maps(tokens[0], np.random.default_rng(3))])
    assert counts.left_out == {"mentions_without_pieces": 1}  # she has only the silent keeper
    assert counts.total.sum() == 3
    assert counts.n_candidates[0].sum() == 3 * 12


def test_a_window_without_asked_mentions_counts_nothing(encoder):
    tokens = tokens_of(encoder, replace(SHELL, mentions=MENTIONS[:2]))
    counts = counted(tokens, [random_maps(tokens[0], np.random.default_rng(4))])
    assert counts.total.sum() == 0
    with pytest.raises(ValueError, match="no mention of kind 'all' has an antecedent"):
        coref.score(counts)
    with pytest.raises(ValueError, match="wanted candidates and kind of"):
        coref.score(counts, "all")


def test_inputs_must_be_windows(encoder):
    tokens = [encoder.text("the keeper fed it.")]
    with pytest.raises(ValueError, match="wanted inputs made of windows of documents"):
        counted(tokens, [random_maps(tokens[0], np.random.default_rng(5))])


# windows ----------------------------------------------------------------------------------------


def test_the_first_mention_is_not_asked_and_one_head_is_no_antecedent():
    nested = (*MENTIONS, said(0, 5, "keeper", 1, "nominal"))
    found = coref.window(document(mentions=nested), 0, len(WORDS))
    assert [m.head_word for m in found.asked] == [6, 9, 10, 14]
    assert [m for m in found.mentions if m.head_word == 1] == [said(0, 5, "keeper", 1, "nominal")]


def test_only_whole_mentions_are_in_a_window():
    found = coref.window(document(), 3, 11)
    assert [(m.start, m.stop, m.head_word) for m in found.mentions] == [
        (0, 2, 1),
        (3, 4, 3),
        (6, 7, 6),
        (7, 8, 7),
    ]
    assert found.words[0] == "the"


def long_document(n_sentences=6):
    trees = tuple(document(name="long").sentences * n_sentences)
    mentions = tuple(
        replace(m, start=m.start + 15 * k, stop=m.stop + 15 * k, head_word=m.head_word + 15 * k)
        for k in range(n_sentences)
        for m in MENTIONS
    )
    return CorefDocument("long", trees, mentions)


def test_the_first_pieces_of_a_document(encoder):
    windows = Windows([long_document()], encoder, "first", pieces=40)
    [tokens] = windows
    assert len(tokens) <= 40
    more = encoder.words(long_document().words[: len(tokens.words) + 1])
    assert len(more) > 40
    kept = len(tokens.source.mentions)
    assert windows.left_out["mentions_beyond_windows"] == 42 - kept
    assert windows.left_out["first_mentions"] == 3
    assert windows.options["pieces"] == 40


def test_whole_sentences_tiled(encoder):
    n_pieces = len(encoder.words(WORDS)) - 2
    windows = Windows([long_document()], encoder, "tiled", pieces=2 * n_pieces + 2)
    found = list(windows)
    assert [len(t.words) for t in found] == [30, 30, 30]
    assert windows.left_out["mentions_beyond_windows"] == 0
    assert {t.document for t in found} == {0}


def test_a_sentence_that_does_not_fit_is_cut_and_counted(encoder):
    windows = Windows([long_document(2)], encoder, "tiled", pieces=16)
    assert all(len(t) <= 16 for t in windows)
    assert windows.left_out["sentences_cut"] == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pieces": 4}, "wanted windows of 8 to 64 pieces"),
        ({"pieces": 100}, "wanted windows of 8 to 64 pieces .the model's limit., got 100"),
    ],
)
def test_windows_that_cannot_be_are_refused(encoder, options, said):
    with pytest.raises(ValueError, match=said):
        Windows([], encoder, **options)


def test_a_document_without_pieces_shows_nothing(encoder):
    silent = document(words=("\u200b", "\u200b"), mentions=())
    windows = Windows([silent, document()], encoder, "tiled", pieces=None)
    assert [t.source.document for t in windows] == ["d"]
    assert windows.left_out["words_cut_off"] == 2


def test_a_first_word_that_is_cut_otherwise_does_not_break_the_limit():
    """Byte-level pieces begin with a blank, but for the first word of a text."""
    by_bytes = Encoder(tiny.byte_level(), max_pieces=64)
    for pieces in range(20, 40):
        for cut in ("first", "tiled"):
            found = list(Windows([long_document(3)], by_bytes, cut, pieces=pieces))
            assert found
            assert max(map(len, found)) <= pieces


def test_as_many_pieces_as_the_model_takes(encoder):
    [tokens] = Windows([long_document()], encoder, pieces=None)
    assert 55 < len(tokens) <= 64
    assert len(list(Windows([document()] * 3, encoder, pieces=40, n=2))) == 2


# rules ------------------------------------------------------------------------------------------


def guessed(rule, window=SHELL):
    return [rules.RULES[rule](window, m) for m in window.asked]


def test_the_nearest_mention():
    assert guessed("nearest before") == [4, 6, 9, 11]
    assert guessed("nearest") == [4, 10, 9, 11]


def test_the_same_head_word():
    again = Window(
        "x",
        ("dogs", "saw", "Dogs", "and", "they", "saw", "dogs"),
        ("NNS", "VBD", "NNS", "CC", "PRP", "VBD", "NNS"),
        tuple(
            said(i, i + 1, "d", i, kind)
            for i, kind in ((0, "nominal"), (2, "nominal"), (4, "pronoun"), (6, "nominal"))
        ),
    )
    assert guessed("head match before", again) == [0, -1, 2]
    assert guessed("head match", again) == [0, -1, 2]
    assert guessed("head match, else nearest", again) == [0, 2, 2]


def sieve(*mentions):
    """The four sieves' choice for the last of some mentions, one word or name each."""
    words = [word for text, _, _ in mentions for word in text.split()]
    tags, found = [], []
    for number, (text, tag, kind) in enumerate(mentions):
        start = len(tags)
        tags += [tag] * len(text.split())
        found.append(said(start, len(tags), f"e{number}", len(tags) - 1, kind))
    window = Window("s", tuple(words), tuple(tags), tuple(found))
    place = rules.sieves(window, found[-1])
    return next(
        (text for (text, _, _), m in zip(mentions, found, strict=True) if m.head_word == place),
        None,
    )


def test_the_sieves_in_their_order():
    ann, bo = ("Mary Anning", "NNP", "proper"), ("John Hall", "NNP", "proper")
    town, dogs = ("a town", "NN", "nominal"), ("the dogs", "NNS", "nominal")
    she, they, it = (
        ("she", "PRP", "pronoun"),
        ("they", "PRP", "pronoun"),
        ("it", "PRP", "pronoun"),
    )
    assert sieve(ann, town, ann) == "Mary Anning"  # the same words
    assert sieve(ann, town, ("Anning", "NNP", "proper")) == "Mary Anning"  # the same head
    assert sieve(ann, bo, town, she) == "Mary Anning"  # gender
    assert sieve(ann, dogs, bo, they) == "the dogs"  # number
    assert sieve(ann, town, bo, it) == "a town"  # neuter
    assert sieve(dogs, ("he", "PRP", "pronoun")) == "the dogs"  # any
    assert sieve(she) is None


def test_a_plural_by_and():
    pair = ("Mary and John", "NNP", "proper")
    window = Window(
        "w", ("Mary", "and", "John"), ("NNP", "CC", "NNP"), (said(0, 3, "p", 0, "proper"),)
    )
    assert rules.features(window, window.mentions[0]) == ("plural", "", "3")
    assert (
        sieve(
            ("Mary Hall", "NNP", "proper"),
            pair,
            ("Bo", "NNP", "proper"),
            ("they", "PRP", "pronoun"),
        )
        == "Mary and John"
    )


def test_the_list_of_words_says_whence_it_is():
    text = rules.WORDS.read_text(encoding="utf-8")
    assert "# Source: " in text
    assert rules._listed()["she"] == ("singular", "female", "3")
    assert rules._names()["mary"] == "female"


def test_baselines_on_whole_documents_of_gum(gold_data):
    """Near 28 (nearest), 64 (the same head) and 70 (the same head, else the nearest) per cent."""
    right, n = Counter(), 0
    for one in corpora.coreference(gold_data / "gum" / "ontogum_conllu"):
        window = coref.window(one, 0, len(one.words))
        for mention in window.asked:
            answers = {a.head_word for a in window.antecedents(mention)}
            n += 1
            right.update(r for r, rule in rules.RULES.items() if rule(window, mention) in answers)
    wanted = {"nearest before": 28, "head match before": 64, "head match, else nearest": 70}
    for rule, per_cent in wanted.items():
        assert abs(100 * right[rule] / n - per_cent) < 5


# the null, tables, figures ----------------------------------------------------------------------


def many(encoder, n, seed=0, reads=True):
    """Windows whose heads 2-3 find antecedents, or only the nearest mention before."""
    tokens = tokens_of(encoder, *[SHELL] * n)
    maps = [planted(t) for t in tokens]
    if not reads:
        for t, m in zip(tokens, maps, strict=True):
            m[1, 2] = 0
            for own, target in ((6, 4), (9, 6), (10, 9), (14, 11)):
                m[1, 2][np.ix_(t.unit_of == own, t.unit_of == target)] = 1.0
            m[1, 2, :, 0] += 1e-3
    return counted(tokens, maps, keep=999)


def test_shuffled_entities_tell_who_is_meant(encoder):
    knows = coref.shuffle_entities(many(encoder, 30).guesses, n_shuffles=99)
    assert knows.observed[0] == 1
    assert knows.adjusted["all"] < 0.05
    assert (knows.shuffled[:, 0] < 1).all()
    counts_positions = coref.shuffle_entities(many(encoder, 30, reads=False).guesses, n_shuffles=99)
    assert counts_positions.adjusted["all"] > 0.05
    with pytest.raises(ValueError, match="no guesses were kept"):
        coref.shuffle_entities([])


def test_mentions_of_one_entity_are_shuffled_alike(encoder):
    """Heads that like one mention of each window, drawn at random, are not found to know."""
    p_values = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        guesses = many(encoder, 8).guesses
        for one in guesses:
            liked = rng.choice([m.head_word for m in SHELL.mentions], size=one.chosen.shape[:3])
            one.chosen[...] = liked[..., None]
        p_values.append(coref.shuffle_entities(guesses, n_shuffles=39, seed=seed).p_values[0])
    assert np.mean(np.array(p_values) <= 0.1) <= 0.27


@pytest.fixture(scope="module")
def counts(encoder):
    return many(encoder, 30)


@pytest.fixture(scope="module")
def table(counts):
    null = coref.shuffle_entities(counts.guesses, n_shuffles=49)
    return tables.table_2(counts, GOLD, random=counts, null=null)


def cell(table, way, kind="all"):
    return table[(table["way"] == way) & (table["kind"] == kind)].iloc[0]


def test_table_2_says_what_was_counted(table):
    found = cell(table, "attention head: all words")
    assert (found["n"], found["head"], found["value"], found["held_out"]) == (120, "2-3", 1, 1)
    assert found["candidates"] == 14
    assert found["chance"] == pytest.approx(6 / 14 / 4)
    assert cell(table, "nearest before")["value"] == 0 / 4
    assert set(table["kind"]) == {"all", "pronoun", "nominal"}
    assert cell(table, "four sieves", "pronoun")["n"] == 90
    pronouns = cell(table, "attention head: all words", "pronoun")
    assert pronouns["chance"] == pytest.approx((1 + 1 + 2) / 14 / 3)
    assert np.isnan(pronouns["held_out"])
    assert not np.isnan(pronouns["p"])
    assert "windows" in table.attrs["signature"]


def test_in_print_and_beside_the_paper(table):
    shown = tables.table_2_in_print(table)
    assert shown["all (120)"][0].startswith("100.0 [")
    beside = tables.beside_table_2(table)
    head = beside[beside["way"] == "Head 5-4"].iloc[0]
    assert (head["all kinds"], head["ours, all"]) == (65, 100.0)
    assert beside["proper"].tolist()[0] == 29


def test_differences_to_each_rule_are_paired(table):
    found = cell(table, "attention head: all words")
    assert (found["over_nearest"], found["over_nearest_low"]) == (1, 1)  # 4 of 4 against none
    shown = tables.over_rules(table)
    assert set(shown["way"]) == {f"attention head: {c}" for c in CANDIDATES}
    assert shown["over: nearest before"][0] == "100.0 [100, 100]"
    assert shown["p, shuffled"][0] == f"{found['p']:.3f}"


def test_table_2_needs_no_control_and_no_null(counts):
    plain = tables.table_2(counts, GOLD)
    assert tables.table_2_in_print(plain)["random init"].tolist() == [""] * 10
    assert tables.over_rules(plain)["p, shuffled"].tolist() == [""] * 4
    assert "shuffled" not in readings.kinds(plain)
    assert plots.show(plots.table_2(plain)).alt


def test_by_distance_and_every_head(counts):
    far = tables.by_distance(counts, GOLD)
    rows = far[(far["way"] == "head 2-3") & (far["kind"] == "all")]
    assert rows["n"].sum() == 120
    assert rows["right"].sum() == 120
    heads = tables.coref_heads(counts, GOLD)
    best = heads.sort_values("accuracy").iloc[-1]
    assert (best["head"], best["accuracy"]) == ("2-3", 1)
    assert "Most: 2-3 100%" in plots.show(plots.relation_grid(heads, "all", DIRECTIONS[0])).alt


def test_readings_are_true_of_the_table(table):
    text = readings.coreference(table)
    assert "head 2-3 finds an antecedent for 100% of 120 mentions" in text
    assert "finds more than the sieves" in text
    assert "pronoun 100% of 90" in readings.kinds(table)
    assert "shuffled" not in readings.kinds(table.assign(p=np.nan))


def test_figures_say_what_they_show(table, counts):
    assert "four sieves" in plots.show(plots.table_2(table)).alt
    far = tables.by_distance(counts, GOLD)
    assert "head 2-3 finds" in plots.show(plots.by_distance(far)).alt
    with pytest.raises(ValueError, match="no kind 'verb'"):
        plots.by_distance(far, "verb")
    axes = plots.antecedent(counts.guesses[0], AttentionHead(1, 2), DIRECTIONS[0], 2)
    assert "'it' to 'octopus', an antecedent" in axes.get_title()
    last = plots.antecedent(counts.guesses[0], AttentionHead(0, 0), DIRECTIONS[0], 99)
    assert "'animal' to " in last.get_title()
    assert plots.show(last).png.startswith(b"\x89PNG")


def test_the_default_model_on_the_sample(minilm):
    counts = CorefCounts.empty(*minilm.shape)
    windows = Windows(corpora.coreference("sample"), minilm.encoder)
    measure.measure(windows, minilm, counts)
    assert (counts.n_windows, counts.total.sum()) == (72, 696)
    assert windows.left_out == {"first_mentions": 416, "mentions_beyond_windows": 1722}
    score = coref.score(counts, "other mentions")
    assert str(score.head(score.best)[0]) == "3-5"
    assert abs(score.accuracy(score.best) - 535 / 696) < 0.01
    assert counts.right_rules.sum(axis=(0, 1, 2)).tolist()[0] == 312
