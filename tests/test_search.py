"""Sentences that a head's doing stands out in, on hand-made maps, against loops that keep all."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bertattn import search
from bertattn.attention import Kind
from bertattn.corpora import ParsedSentence
from bertattn.heads import AttentionHead, all_heads
from bertattn.reducer import Batch
from bertattn.search import BEHAVIOURS, PARTS, Examples, Matches, Query, Shares, Surprises, Topic
from bertattn.search.best import Best, key_of
from bertattn.search.shares import length_class, parts
from bertattn.search.topics import MARKS, NEIGHBOURS
from bertattn.syntax import DIRECTIONS
from tests.test_syntax import FED, SHELL, SILENT, inputs, padded, random_maps, slow_word_map

UP, DOWN = DIRECTIONS
SHAPE = (2, 3)
TOPICS = dict(
    zip(
        all_heads(*SHAPE),
        [Topic("dobj", UP), Topic("det", DOWN), *map(Topic, BEHAVIOURS[:1])] * 2,
        strict=True,
    )
)


def seen(reducer, tokens, maps, *, together=2, as_array=np.asarray, causal=False):
    """A reducer after some inputs, so many of them in a batch."""
    for start in range(0, len(tokens), together):
        some = slice(start, start + together)
        batch = Batch.of(tokens[some], as_array, causal=causal)
        for layer in range(maps[0].shape[0]):
            one = [padded(m[layer], batch.kinds.shape[1]) for m in maps[some]]
            reducer.update(layer, as_array(np.stack(one)), batch)
    return reducer


def made_up(encoder, n, seed=0):
    """Sentences of our own words in random order, with random maps; some come out alike."""
    rng = np.random.default_rng(seed)
    sentences = []
    for number in range(n):
        base = (FED, SHELL, SILENT)[number % 3]
        sentences.append(replace_id(base, f"s{number}"))
    tokens = inputs(encoder, *sentences)
    maps = [np.round(random_maps(t, rng), 1 + seed % 3) for t in tokens]
    return tokens, [with_rows(m) for m in maps]


def replace_id(sentence, name):
    fields = (sentence.words, sentence.tags, sentence.governors, sentence.relations)
    return ParsedSentence(name, *fields)


def with_rows(maps):
    sums = maps.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, maps / np.where(sums > 0, sums, 1), 1 / maps.shape[-1]).astype("f4")


# the plain rule ---------------------------------------------------------------------------------


def plain_pairs(topic, tokens, poss_rule):
    """Pairs of a word that looks and a word it looks at, or None for a kind of token."""
    sentence, silent = tokens.source, tokens.words_without_pieces
    alive = [w for w in range(len(tokens.words)) if w not in silent]
    if topic.name in NEIGHBOURS:
        ends = [(w, w + NEIGHBOURS[topic.name]) for w in alive]
        return [(w, other) for w, other in ends if other in alive]
    if topic.name == "to_first":
        return [(w, alive[0]) for w in alive[1:]]
    if topic.name in MARKS:
        return [(w, None) for w in alive] if MARKS[topic.name] in tokens.kinds else []
    found = []
    for word, governor, name in sentence.arcs:
        asked = word
        if poss_rule and name == "poss" and sentence.words[word + 1] == "'s":
            asked = word + 1
        if name == topic.name and word in alive and governor in alive:
            found.append((asked, governor) if topic.direction == UP else (governor, asked))
    return found


def plain_weight(weights, merged, tokens, pair, topic):
    from_word, to_word = pair
    if to_word is not None:
        return merged[from_word, to_word]
    pieces = [p for p in range(len(tokens)) if tokens.unit_of[p] == from_word]
    columns = [q for q in range(len(tokens)) if tokens.kinds[q] == MARKS[topic.name]]
    return sum(weights[p, q] for p in pieces for q in columns) / len(pieces)


def plain_examples(tokens, maps, attn_head, topic, n, sign):
    """Keep everything, one example a sentence, then sort."""
    kept = []
    for one, weights in zip(tokens, maps, strict=True):
        of_head = weights[attn_head.layer, attn_head.index]
        merged, _ = slow_word_map(of_head, one, "mean")
        found = [
            (round(float(plain_weight(of_head, merged, one, p, topic)), 4), p)
            for p in plain_pairs(topic, one, poss_rule=True)
        ]
        if found:
            value, pair = max(found, key=lambda row: sign * row[0])
            kept.append((-sign * value, key_of(one), pair, one.source.id))
    kept.sort(key=lambda row: row[:2])
    return [(-sign * value, *pair, name) for value, _, pair, name in kept[:n]]


def told(examples):
    return [(e.weight, e.from_word, e.to_word, e.source) for e in examples]


def equal(found, wanted):
    assert [row[1:] for row in found] == [row[1:] for row in wanted]
    np.testing.assert_allclose([r[0] for r in found], [r[0] for r in wanted], atol=2e-4)


# best -------------------------------------------------------------------------------------------


@given(
    st.lists(
        st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=1, max_size=12
    ),
    st.integers(1, 4),
    st.integers(1, 3),
)  # fmt: skip
def test_what_is_kept_is_what_sorting_everything_keeps(rows, n, together):
    values = np.array(rows, dtype=float).T / 10
    keys = np.arange(len(rows))[::-1].copy()
    details = np.broadcast_to(np.arange(len(rows))[None, :, None], (3, len(rows), 2))
    halves = []
    for part in (slice(0, len(rows) // 2), slice(len(rows) // 2, None)):
        best = Best.empty(3, n)
        places = list(range(len(rows)))[part]
        for start in range(0, len(places), together):
            some = places[start : start + together]
            best.put(values[:, some], keys[some], details[:, some])
        halves.append(best)
    for joined in (halves[0] + halves[1], halves[1] + halves[0]):
        for lane in range(3):
            order = sorted(range(len(rows)), key=lambda i: (-values[lane, i], keys[i]))[:n]
            wanted = [(values[lane, i], int(keys[i]), (i, i)) for i in order]
            assert joined.rows((lane,)) == wanted


def test_what_rounding_alone_tells_apart_is_a_tie():
    best = Best.empty(1, 1)
    nothing = np.zeros((1, 1, 2), dtype=np.int64)
    best.put(np.array([[0.5]]), np.array([2]), nothing)
    best.put(np.array([[0.500001]]), np.array([9]), nothing)
    assert best.keys.item() == 2
    best.put(np.array([[0.499999]]), np.array([1]), nothing)
    assert best.keys.item() == 1
    best.put(np.array([[0.5002]]), np.array([9]), nothing)
    assert best.keys.item() == 9


def test_a_key_stands_for_words_and_name(encoder):
    fed, again, renamed = inputs(encoder, FED, FED, replace_id(FED, "other"))
    assert key_of(fed) == key_of(again) != key_of(renamed)
    assert key_of(encoder.text("fed it")) not in (key_of(encoder.text("it fed")), -1)


# examples ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", [*BEHAVIOURS, "det", "dobj", "poss", "nsubj"])
def test_examples_are_those_of_a_loop_that_keeps_everything(encoder, name, seed):
    tokens, maps = made_up(encoder, 8, seed)
    ways = [None] if name in BEHAVIOURS else DIRECTIONS
    for way in ways:
        topics = dict.fromkeys(all_heads(*SHAPE), Topic(name, way))
        found = seen(Examples.empty(*SHAPE, topics, n=2), tokens, maps).result()
        for attn_head, topic in topics.items():
            for sign, kept in zip((1, -1), found[attn_head], strict=True):
                wanted = plain_examples(tokens, maps, attn_head, topic, 2, sign)
                equal(told(kept), wanted)


def test_a_planted_example_is_found_with_its_sentence(encoder):
    tokens = inputs(encoder, FED, SHELL)
    maps = [np.full((*SHAPE, len(t), len(t)), 1 / len(t), dtype="f4") for t in tokens]
    her = np.flatnonzero(tokens[1].unit_of == 5)  # SHELL: her <- fed
    fed = np.flatnonzero(tokens[1].unit_of == 4)
    maps[1][1, 0][np.ix_(her, range(len(tokens[1])))] = 0
    maps[1][1, 0][np.ix_(her, fed)] = 1 / len(fed)
    planted, topic = AttentionHead(1, 0), Topic("dobj", UP)
    kept = seen(Examples.empty(*SHAPE, {planted: topic}), tokens, maps).result()[planted]
    best, second = kept.best
    assert (best.weight, best.words[best.from_word], best.words[best.to_word]) == (1, "her", "fed")
    assert (best.note, best.source, best.words) == ("dobj", "shell", SHELL.words)
    n_fed = sum(tokens[0].unit_of == 2)
    assert (second.source, second.weight) == ("fed", round(n_fed / len(tokens[0]), 4))
    assert [e.source for e in kept.worst] == ["fed", "shell"]


def test_parts_of_a_stream_and_its_order_make_no_difference(encoder):
    tokens, maps = made_up(encoder, 9)
    whole = seen(Examples.empty(*SHAPE, TOPICS), tokens, maps).result()
    backwards = seen(Examples.empty(*SHAPE, TOPICS), tokens[::-1], maps[::-1], together=3)
    one, two = (
        seen(Examples.empty(*SHAPE, TOPICS), tokens[s], maps[s])
        for s in (slice(0, 4), slice(4, None))
    )
    assert whole == backwards.result() == (one + two).result() == (two + one).result()
    assert (one + two).n_sentences == 9


def test_no_more_is_kept_than_is_needed(encoder):
    tokens, maps = made_up(encoder, 30)
    examples = seen(Examples.empty(*SHAPE, TOPICS, n=1), tokens, maps)
    assert len(examples.sentences) <= 2 * len(TOPICS) + 2
    assert examples.found.values.shape == (2, *SHAPE, 1)


def test_what_was_kept_can_be_stored(encoder, tmp_path):
    tokens, maps = made_up(encoder, 5)
    examples = seen(Examples.empty(*SHAPE, TOPICS), tokens, maps)
    examples.save(tmp_path / "examples.npz")
    again = Examples.load(tmp_path / "examples.npz")
    assert again.result() == examples.result()
    assert (again.topics, again.n_sentences) == (TOPICS, 5)
    assert (again + seen(Examples.empty(*SHAPE, TOPICS), tokens[:1], maps[:1])).n_sentences == 6


def test_torch_gives_what_numpy_gives(encoder):
    tokens, maps = made_up(encoder, 4)
    topics = dict(zip(all_heads(*SHAPE), [Topic("dobj", UP), *map(Topic, MARKS)] * 2, strict=False))
    by = [
        seen(make(), tokens, maps, as_array=as_array).result()
        for make in (
            lambda: Examples.empty(*SHAPE, topics),
            lambda: Matches.empty(Query(AttentionHead(0, 1), "dobj", over=0.0)),
            lambda: Surprises.empty(seen(Shares.empty(*SHAPE), tokens, maps), least=1),
        )
        for as_array in (np.asarray, torch.as_tensor)
    ]
    assert by[0] == by[1]
    assert by[2] == by[3]
    assert by[4] == by[5]


def test_heads_and_topics_that_are_none_are_refused(encoder):
    with pytest.raises(ValueError, match="wanted heads from 1-1 to 2-3, got 3-1"):
        Examples.empty(*SHAPE, {AttentionHead(2, 0): Topic("dobj", UP)})
    with pytest.raises(ValueError, match=r"a relation with a direction .* got 'dobj' with None"):
        Topic("dobj")
    with pytest.raises(ValueError, match=r"to_previous, .* without, got 'to_self' with dependent"):
        Topic("to_self", UP)
    with pytest.raises(ValueError, match="examples of other topics or options cannot be added"):
        Examples.empty(*SHAPE, TOPICS) + Examples.empty(*SHAPE, TOPICS, poss_rule=False)


def test_what_is_asked_of_a_possessor_is_said():
    assert Topic("poss", UP).about == (
        "attention from a word that is poss (from the possessive after it, if there is one) to the "
        "word it depends on"
    )
    assert "possessive" not in Topic("possessive", UP).about.replace("that is possessive", "")


def test_a_decoder_is_asked_only_what_it_can_see(encoder):
    tokens, maps = made_up(encoder, 3)
    forward, backward = AttentionHead(0, 0), AttentionHead(0, 1)
    topics = {forward: Topic("dobj", UP), backward: Topic("dobj", DOWN)}
    kept = seen(Examples.empty(*SHAPE, topics), tokens, maps, causal=True).result()
    assert all(e.from_word > e.to_word for side in kept[forward] for e in side)
    assert [len(side) for side in kept[forward]] == [3, 3]
    assert kept[backward] == ((), ())


# queries ----------------------------------------------------------------------------------------


def fits(tag, wanted):
    return (
        not wanted
        or tag in wanted
        or {"VBD": "verb", "NNS": "noun", "NN": "noun"}.get(tag) in wanted
    )


def plain_hits(query, tokens, maps, poss_rule=True):
    """All pairs asked about, with their rounded weights."""
    rows = []
    for one, weights in zip(tokens, maps, strict=True):
        of_head = weights[query.attn_head.layer, query.attn_head.index]
        merged, _ = slow_word_map(of_head, one, "mean")
        for pair in plain_pairs(query.topic, one, poss_rule):
            tags = [one.source.tags[w] if w is not None else "" for w in pair]
            if fits(tags[0], query.from_tags) and fits(tags[1], query.to_tags):
                weight = round(float(plain_weight(of_head, merged, one, pair, query.topic)), 4)
                rows.append((weight, *pair, one.source.id, key_of(one)))
    return rows


@pytest.mark.parametrize("poss_rule", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "1-2 dobj dependent->governor > 0.1",
        "2-1 dobj governor->dependent > 0.05 from VBD",
        "2-3 poss dependent->governor > 0.05",
        "2-3 poss < 0.1",
        "1-1 to_previous > 0.1 < 0.4 from verb,DT",
        "1-1 to_next > 0.1 to noun",
        "1-1 to_start < 0.3",
    ],
)
def test_counts_and_hits_are_those_of_a_loop_that_keeps_everything(encoder, text, poss_rule):
    tokens, maps = made_up(encoder, 9, seed=1)
    query = Query.parse(text)
    assert str(query) == (text if "poss <" not in text else "2-3 poss dependent->governor < 0.1")
    rows = plain_hits(query, tokens, maps, poss_rule)
    wanted = [
        r
        for r in rows
        if (query.over is None or r[0] > query.over) and (query.under is None or r[0] < query.under)
    ]
    assert 0 < len(wanted) < len(rows)
    found = seen(Matches.empty(query, n=4, poss_rule=poss_rule), tokens, maps).result()
    assert (found.n_asked, found.n_hits) == (len(rows), len(wanted))
    assert found.n_hit_sentences == len({r[4] for r in wanted})
    assert (found.n_sentences, found.share) == (9, len(wanted) / len(rows))
    sign = -1 if query.over is None else 1
    wanted.sort(key=lambda r: (-sign * r[0], r[4]))
    equal(told(found.examples), [r[:4] for r in wanted[:4]])


def test_hits_add_up_and_can_be_stored(encoder, tmp_path):
    tokens, maps = made_up(encoder, 8, seed=2)
    query = Query(AttentionHead(1, 1), "dobj", over=0.01, to_tags=("verb", "NN"))
    whole = seen(Matches.empty(query), tokens, maps).result()
    one, two = (
        seen(Matches.empty(query), tokens[s], maps[s]) for s in (slice(0, 3), slice(3, None))
    )
    assert (one + two).result() == whole
    one.save(tmp_path / "hits.npz")
    assert (Matches.load(tmp_path / "hits.npz") + two).result() == whole
    for other in (
        Matches.empty(Query(AttentionHead(1, 1), "det")),
        Matches.empty(query, poss_rule=False),
    ):
        with pytest.raises(ValueError, match="hits of other queries or options cannot be added"):
            one + other
    Matches.empty(query, poss_rule=False).save(tmp_path / "hits.npz")
    assert Matches.load(tmp_path / "hits.npz").poss_rule is False


def test_pairs_without_attention_are_counted(encoder):
    tokens, maps = made_up(encoder, 3)
    asked = {"dobj": 1, "to_self": 1, "det": 0}  # SILENT has a dobj without pieces
    for relation, n_unseen in asked.items():
        query = Query(AttentionHead(0, 0), relation, over=0.0)
        assert seen(Matches.empty(query), tokens, maps).result().n_unseen == n_unseen
    query = Query(AttentionHead(0, 0), "nsubj", DOWN, over=0.0)
    found = seen(Matches.empty(query), tokens, maps, causal=True).result()
    assert (found.n_asked, found.n_unseen) == (3, 0)
    upward = seen(Matches.empty(Query(AttentionHead(0, 0), "nsubj")), tokens, maps, causal=True)
    assert (upward.result().n_asked, upward.result().n_unseen) == (0, 3)
    assert np.isnan(upward.result().share)


def all_pairs(topic, tokens, poss_rule):
    """Pairs of a topic were every word of pieces and nothing later than another."""
    words = range(len(tokens.words))
    if topic.name in BEHAVIOURS:
        first = min(w for w in words if w not in tokens.words_without_pieces)
        step = NEIGHBOURS.get(topic.name)
        there = topic.name not in MARKS or MARKS[topic.name] in tokens.kinds
        ends = [
            (w, None if topic.name in MARKS else first if step is None else w + step) for w in words
        ]
        return [
            (w, other)
            for w, other in ends
            if there
            and (other is None or other in words)
            and (topic.name, w) != ("to_first", first)
        ]
    found = []
    for word, governor, name in tokens.source.arcs:
        if name == topic.name:
            possessive = poss_rule and name == "poss" and tokens.words[word + 1] == "'s"
            asked = word + 1 if possessive else word
            found.append((asked, governor) if topic.direction == UP else (governor, asked))
    return found


def can_be_seen(tokens, pair, topic, causal):
    from_word, to_word = pair
    if any(w in tokens.words_without_pieces for w in pair):
        return False
    if to_word is None:
        last = max(p for p in range(len(tokens)) if tokens.unit_of[p] == from_word)
        return not causal or MARKS[topic.name] in tokens.kinds[: last + 1]
    return not causal or to_word <= from_word


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("tags", ["", " from verb,NN", " to noun,PRP", " from DT to NN"])
@pytest.mark.parametrize("name", [*BEHAVIOURS, "det", "dobj", "poss", "nsubj"])
def test_pairs_are_asked_or_unseen_and_nothing_else(encoder, name, tags, causal):
    tokens, maps = made_up(encoder, 3)
    if name in MARKS and "to" in tags.split():
        return
    for way in [""] if name in BEHAVIOURS else DIRECTIONS:
        query = Query.parse(f"1-1 {name} {way} > 0.0{tags}")
        visible = [
            can_be_seen(one, pair, query.topic, causal)
            for one in tokens
            for pair in all_pairs(query.topic, one, poss_rule=True)
            if all(
                fits("" if w is None else one.source.tags[w], wanted)
                for w, wanted in zip(pair, (query.from_tags, query.to_tags), strict=True)
            )
        ]
        found = seen(Matches.empty(query), tokens, maps, causal=causal).result()
        assert (found.n_asked, found.n_unseen) == (visible.count(True), visible.count(False))


def test_a_decoder_is_asked_about_no_later_word_and_no_later_mark(encoder):
    tokens, maps = made_up(encoder, 1)  # FED: five words, a full stop last
    wanted = {"to_next": (0, 4), "to_previous": (4, 0), "to_self": (5, 0), "to_first": (4, 0)}
    for name, counts in {**wanted, "to_start": (5, 0), "to_punctuation": (1, 4)}.items():
        query = Query(AttentionHead(0, 0), name, over=0.0)
        found = seen(Matches.empty(query), tokens, maps, causal=True).result()
        assert (found.n_asked, found.n_unseen) == counts, name
        kept = seen(
            Examples.empty(*SHAPE, {AttentionHead(0, 0): Topic(name)}), tokens, maps, causal=True
        ).result()[AttentionHead(0, 0)]
        assert len(kept.best) == (counts[0] > 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3-1 dobj", r"from 0 and under 1, .* up to 1, got over=None, under=None; for small"),
        (
            "dobj > 0.5",
            r"in this order, such as '3-1 dobj .* from verb' .*full stop\), got 'dobj > ",
        ),
        ("3-1 dobj >= 0.5", "got '3-1 dobj >= 0.5'; there is > and no >=$"),
        ("3-1 dobj <= 0.5", "; there is < and no <=$"),
        ("3-1 dobj > 50%", "got '3-1 dobj > 50%'; write 50% as 0.5$"),
        ("3-1 dobj > 0,5", r"numbers with a full stop\), got '3-1 dobj > 0,5'$"),
        ("3-1 dobj from verb > 0.5", "a head, a relation, who attends to whom, limits, parts of"),
        ("3-1 dobj > 0.00005", "wanted limits of 4 digits at most, .*, got over=5e-05, under=None"),
        ("3-1 dobj < 0.12345", "wanted limits of 4 digits at most, .* under=0.12345"),
        (
            "3-1 to_self dependent->governor > 0.5",
            "wanted to_self without who attends to whom, since it is no relation; leave out 'dep",
        ),
        ("3-1 dobj > 0.5 from verb,,noun", "parts of speech without spaces and commas, got ''"),
        ("31 dobj > 0.5", "wanted a head's name such as '8-10'"),
        ("3-1 dobj verb->object > 0.5", "wanted dependent->governor or governor->dependent, got"),
        ("3-1 dobj > 0.5 < 0.5", "got over=0.5, under=0.5"),
        ("3-1 dobj > 1", "got over=1.0, under=None"),
        ("3-1 dobj < 1.5", "got over=None, under=1.5"),
    ],
)
def test_what_is_no_query_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        Query.parse(text)


def test_a_query_of_no_direction_or_name_is_refused():
    first = AttentionHead(0, 0)
    with pytest.raises(
        ValueError, match=r"wanted to_self without who attends .* 'governor->depend"
    ):
        Query(first, "to_self", DOWN)
    for made, message in (
        (Query(first, "dobj"), "dependent->governor or governor->dependent, got 'up'"),
        (Topic("dobj", UP), "a relation with a direction .*, got 'dobj' with up"),
    ):
        object.__setattr__(made, "direction", "up")  # past the type checker, as a reader's call is
        with pytest.raises(ValueError, match=message):
            made.__post_init__()
    with pytest.raises(ValueError, match="a relation without spaces, < and >, got 'direct object'"):
        Query(first, "direct object")


TAGS = st.lists(
    st.text("abVBD$.:'-><", min_size=1) | st.sampled_from(["from", "to"]), max_size=2
).map(tuple)


@given(st.data())
def test_a_query_reads_back_from_its_text(data):
    low = data.draw(st.none() | st.integers(0, 9_999), "low")
    least = 1 if low is None else low + 1
    high = data.draw(st.integers(least, 10_000) | (st.none() if low is not None else st.nothing()))
    over = None if low is None else low / 10_000
    if low == 0:
        over = data.draw(st.sampled_from([0.0, -0.0]), "over")
    names = st.sampled_from(BEHAVIOURS) | st.text("abfromt:_>-<'", min_size=1)
    relation = data.draw(names.filter(lambda name: not {*"<>"} & {*name}), "relation")
    query = Query(
        AttentionHead(*data.draw(st.tuples(st.integers(0, 30), st.integers(0, 30)), "head")),
        relation,
        UP if relation in BEHAVIOURS else data.draw(st.sampled_from(DIRECTIONS), "way"),
        over,
        None if high is None else high / 10_000,
        data.draw(TAGS, "from"),
        data.draw(TAGS, "to"),
    )
    assert Query.parse(str(query)) == query


def test_what_these_sentences_do_not_have_is_refused_with_what_they_have(tiny_model):
    tokens = inputs(tiny_model.encoder, FED)
    cases = {
        "3-1 det > 0.5": "wanted a head from 1-1 to 2-3, got 3-1",
        "1-4 det > 0.5": "wanted a head from 1-1 to 2-3, got 1-4",
        "1-1 iobj > 0.5": "no relation 'iobj' in these sentences; there are: det, dobj, nsubj, pun",
        "1-1 root > 0.5": "no relation 'root' in these",
        "1-1 det > 0.5 from JJ": "no part of speech 'JJ' .* are: determiner, noun, verb, .*, DT, ",
        "1-1 det > 0.5 to adverb": "no part of speech 'adverb' in these sentences",
        "1-1 to_punctuation > 0.5 to noun": "to_punctuation is about no word, .* out 'to noun'",
    }
    for text, message in cases.items():
        with pytest.raises(ValueError, match=message):
            search.find(Query.parse(text), tokens, tiny_model)


def test_a_search_runs_only_what_can_be_a_hit_and_counts_all(tiny_model, monkeypatch):
    tokens = inputs(tiny_model.encoder, FED, SHELL, replace_id(FED, "again"))
    ran = Counter()
    run = tiny_model.run
    monkeypatch.setattr(
        tiny_model, "run", lambda batch, seen: (ran.update(n=len(batch)), run(batch, seen))
    )
    found = search.find(Query(AttentionHead(1, 0), "poss", DOWN, over=0.0), tokens, tiny_model)
    assert (ran["n"], found.n_sentences, found.n_asked, found.n_hits) == (1, 3, 1, 1)
    [hit] = found.examples
    assert (hit.words[hit.from_word], hit.words[hit.to_word]) == ("shell", "'s")
    query = Query(AttentionHead(1, 0), "poss", DOWN, over=0.0)
    [hit] = search.find(query, tokens, tiny_model, poss_rule=False).examples
    assert (hit.words[hit.from_word], hit.words[hit.to_word]) == ("shell", "octopus")
    everywhere = search.find(Query(AttentionHead(1, 0), "to_self", over=0.0), tokens, tiny_model)
    assert everywhere.n_asked == 5 + 7 + 5


# shares -----------------------------------------------------------------------------------------


def plain_parts(weights, tokens):
    """Each weight put into the first part that fits."""
    shares = dict.fromkeys(PARTS, 0.0)
    n = len(tokens)
    for i in range(n):
        for j in range(n):
            kind = tokens.kinds[j]
            near = {0: "to_self", -1: "to_previous", 1: "to_next"}.get(j - i)
            if kind == Kind.START:
                name = "to_start"
            elif kind == Kind.SEPARATOR:
                name = "to_separator"
            elif j == 0 and kind != Kind.OTHER_SPECIAL:
                name = "to_first"
            elif near and kind != Kind.OTHER_SPECIAL:
                name = near
            else:
                name = "to_punctuation" if kind == Kind.PUNCTUATION else "to_other"
            shares[name] += float(weights[i, j]) / n
    return list(shares.values())


@pytest.mark.parametrize("as_array", [np.asarray, torch.as_tensor])
def test_parts_are_those_of_a_loop_and_sum_to_one(encoder, toy_tokens, as_array):
    rng = np.random.default_rng(0)
    other = dict(vars(toy_tokens))
    bare = type(toy_tokens)(**{**other, "kinds": np.array([1, 4, 0, 1, 3, 0, 1, 0])})
    tokens = [*inputs(encoder, FED, SHELL), toy_tokens, bare]
    assert Kind.OTHER_SPECIAL in bare.kinds
    maps = [random_maps(t, rng)[0] for t in tokens]
    batch = Batch.of(tokens, as_array)
    weights = np.stack([padded(m, batch.kinds.shape[1]) for m in maps])
    weights[0, :, len(tokens[0]) :] = 7.0  # rows of padding mean nothing
    found = parts(as_array(weights), batch)
    np.testing.assert_allclose(found.sum(axis=0), 1, atol=1e-6)
    for number, (one, given_map) in enumerate(zip(tokens, maps, strict=True)):
        for attn_head in range(3):
            wanted = plain_parts(given_map[attn_head], one)
            np.testing.assert_allclose(found[:, number, attn_head], wanted, atol=1e-6)


def test_lengths_are_classed_by_octaves():
    lengths = np.array([1, 2, 3, 4, 7, 8, 511, 512])
    assert length_class(lengths).tolist() == [0, 1, 1, 2, 2, 3, 8, 9]
    assert all(b >= a for a, b in pairwise(length_class(np.arange(1, 2000)).tolist()))


def test_usual_shares_are_means_by_length(encoder):
    tokens, maps = made_up(encoder, 6)
    shares = seen(Shares.empty(*SHAPE), tokens, maps)
    of_length = length_class(np.array([len(t) for t in tokens]))
    assert shares.counts.sum() == 6
    for length in set(of_length.tolist()):
        rows = [
            plain_parts(m[1, 2], t)
            for t, m, c in zip(tokens, maps, of_length, strict=True)
            if c == length
        ]
        np.testing.assert_allclose(
            shares.result()[length, :, 1, 2], np.mean(rows, axis=0), atol=1e-6
        )
    assert np.isnan(shares.result()[14]).all()


def test_shares_add_up_and_can_be_stored(encoder, tmp_path):
    tokens, maps = made_up(encoder, 6)
    whole = seen(Shares.empty(*SHAPE), tokens, maps)
    one, two = (seen(Shares.empty(*SHAPE), tokens[s], maps[s]) for s in (slice(0, 2), slice(2, 6)))
    one.save(tmp_path / "shares.npz")
    both = Shares.load(tmp_path / "shares.npz") + two
    np.testing.assert_allclose(both.sums, whole.sums, atol=1e-9)
    assert both.counts.tolist() == whole.counts.tolist()


# surprises --------------------------------------------------------------------------------------


def plain_surprise(here, usual, n):
    total = 0.0
    for p, u in zip(here, usual, strict=True):
        p, u = (0.999 * x + 0.001 / len(PARTS) for x in (p, u))
        total += p * np.log(p / u)
    return n * total


@pytest.mark.parametrize("seed", range(3))
def test_surprises_are_those_of_a_loop_that_keeps_everything(encoder, seed):
    tokens, maps = made_up(encoder, 9, seed)
    shares = seen(Shares.empty(*SHAPE), tokens, maps)
    found = seen(Surprises.empty(shares, n=2, least=1), tokens, maps).result()
    for attn_head in all_heads(*SHAPE):
        place = (attn_head.layer, attn_head.index)
        rows = []
        for one, weights in zip(tokens, maps, strict=True):
            usual = shares.result()[length_class(np.array([len(one)]))[0]][:, *place]
            here = plain_parts(weights[place], one)
            rows.append((plain_surprise(here, usual, len(one)), key_of(one), one, here, usual))
        rows.sort(key=lambda r: (-round(r[0], 4), r[1]))
        for surprise, (nats, _, one, here, usual) in zip(found[attn_head], rows[:2], strict=True):
            assert surprise.source == one.source.id
            assert surprise.nats == pytest.approx(nats, abs=2e-4)
            number = PARTS.index(surprise.part)
            assert surprise.share == pytest.approx(here[number], abs=1e-4)
            assert surprise.usual == pytest.approx(usual[number], abs=1e-6)


def test_a_planted_departure_is_the_largest_surprise(encoder):
    """A head that looks back everywhere, but in one sentence at [CLS]."""
    tokens = inputs(encoder, *(replace_id(FED, f"s{i}") for i in range(5)))
    n = len(tokens[0])
    back, away = np.eye(n, k=-1, dtype="f4"), np.zeros((n, n), dtype="f4")
    back[0, 0] = away[:, 0] = 1
    maps = [np.broadcast_to(away if i == 3 else back, (*SHAPE, n, n)) for i in range(5)]
    shares = seen(Shares.empty(*SHAPE), tokens, maps)
    assert shares.result()[length_class(np.array([n]))[0], 0, 0, 0] == pytest.approx(
        (4 * 2 / n + 1) / 5,
        abs=1e-6,  # the first row, and the second row's previous token
    )
    surprises = seen(Surprises.empty(shares, least=5), tokens, maps)
    first = surprises.result()[AttentionHead(1, 1)][0]
    assert (first.source, first.part, first.share) == ("s3", "to_start", 1)
    assert first.usual == pytest.approx((4 * 2 / n + 1) / 5, abs=1e-6)
    none = seen(Surprises.empty(shares, least=6), tokens, maps)
    assert none.result()[AttentionHead(1, 1)] == ()
    assert none.left_out == {"inputs_of_rare_length": 5}
    assert (none.n_asked, surprises.n_asked) == (0, 5)
    assert not surprises.left_out


def test_doing_the_usual_is_no_surprise(encoder):
    tokens = inputs(encoder, FED, FED)
    maps = [random_maps(tokens[0], np.random.default_rng(0))] * 2
    shares = seen(Shares.empty(*SHAPE), tokens, maps)
    found = seen(Surprises.empty(shares, least=1), tokens, maps).result()
    assert all(s.nats == pytest.approx(0, abs=1e-4) for kept in found.values() for s in kept)


def test_surprises_add_up_and_can_be_stored(encoder, tmp_path):
    tokens, maps = made_up(encoder, 8)
    shares = seen(Shares.empty(*SHAPE), tokens, maps)
    whole = seen(Surprises.empty(shares, least=3), tokens, maps)
    one, two = (
        seen(Surprises.empty(shares, least=3), tokens[s], maps[s])
        for s in (slice(0, 3), slice(3, None))
    )
    one.save(tmp_path / "surprises.npz")
    both = Surprises.load(tmp_path / "surprises.npz") + two
    assert both.result() == whole.result()
    assert (both.n_inputs, both.left_out) == (8, whole.left_out)
    with pytest.raises(ValueError, match="surprises against other shares cannot be added"):
        one + Surprises.empty(Shares.empty(*SHAPE))
