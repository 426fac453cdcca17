"""What a reader's own search, surprises and ablation found, read aloud."""

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from bertattn.heads import AttentionHead
from bertattn.readings.lists import listed
from bertattn.search import Topic
from bertattn.tables import part_name


def topics(asked: Mapping[AttentionHead, Topic]) -> str:
    """How many heads are shown in examples of a relation, and of which."""
    along = Counter(topic.name for topic in asked.values() if topic.direction is not None)
    names = [f"{name} ({n})" for name, n in along.most_common()]
    return (
        f"{sum(along.values())} of {len(asked)} heads have a relation in which the whole "
        f"interval of their accuracy is over the best fixed offset, and are shown in examples of "
        f"it: {listed(names)}. The others are shown in examples of what they give most attention "
        f"to."
    )


def hits(table: pd.DataFrame) -> str:
    """How many pairs of words a query hits, and in how many sentences."""
    n_hits, n_asked, unseen = (table.attrs[n] for n in ("n_hits", "n_asked", "n_unseen"))
    text = (
        f"{table.attrs['query']}: {n_hits} of {n_asked} pairs of words"
        f"{f' ({n_hits / n_asked:.0%})' if n_asked else ''}, in {table.attrs['n_hit_sentences']} "
        f"of {table.attrs['n_sentences']} sentences."
    )
    if unseen:
        text += f" {unseen} more have no attention to see: a word without pieces, or a later one."
    return text


def surprises(table: pd.DataFrame) -> str:
    """Which head is surprised most, by what, and whether heads share their surprises."""
    if table.empty:
        return "Nothing can be asked: too few inputs are of about the same length."
    first = table[table["rank"] == 1]
    most, made = first.iloc[0], table.attrs["manifest"]
    shared = first["text"].value_counts()
    return (
        f"Head {most['head']} is surprised most, by {most['nats']:.1f} nats: it gives "
        f"{most['share']:.0%} {part_name(made, most['part'])} there, usually {most['usual']:.0%}. "
        f"The first surprises of {len(first)} heads are of {len(shared)} "
        f"input{'s' * (len(shared) > 1)}; the commonest is that of {shared.max()} of them."
    )


def surprising(table: pd.DataFrame, n: int = 8) -> str:
    """The largest surprises, a line each, with what a head does instead."""
    made = table.attrs["manifest"]
    lines = [
        f"{row.head:>5} {row.nats:5.1f}  {row.share:.2f} {part_name(made, row.part)}, usually "
        f"{row.usual:.2f}: {row.text}"
        for row in table.head(n).itertuples()
    ]
    return "\n".join(lines) or "no surprise"


def without(table: pd.DataFrame, attn_head: AttentionHead) -> str:
    """Whether a head matters more to a text than the median head does."""
    if refused := table.attrs.get("refused", ""):
        return f"Nothing can be taken away. {refused}."
    rows = table[table["place"] == 0].set_index("head")
    of_text = rows["change"]
    own, most = of_text[str(attn_head)], of_text.idxmax()
    of_layer = of_text[rows["layer"] == attn_head.layer + 1]
    rank, rank_in_layer = (int((of > own).sum()) + 1 for of in (of_text, of_layer))
    words = table[(table["place"] > 0) & (table["head"] == str(attn_head))]
    word = words.loc[words["change"].idxmax()]
    return (
        f"Without head {attn_head} the text's vector moves by {own:.2g} (1 - cosine): rank {rank} "
        f"of {len(of_text)} heads, rank {rank_in_layer} of {len(of_layer)} in its layer; the "
        f"median head's removal moves it by {of_text.median():.2g}, that of head {most}, the "
        f"most, by {of_text.max():.2g}. Of single words head {attn_head} moves {word['unit']!r} "
        f"most, by {word['change']:.2g}."
    )
