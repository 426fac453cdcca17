"""Every view on one page, which needs no network: ``python -m bertattn.views.gallery``."""

import argparse
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from bertattn import (
    cards,
    clusters,
    coref,
    corpora,
    measure,
    plots,
    search,
    surface,
    syntax,
    tables,
)
from bertattn.heads import all_heads
from bertattn.model import AttentionModel, ModelError, load
from bertattn.segments import Trees
from bertattn.views.attention import HeadView, ModelView
from bertattn.views.clusters import ClusterView
from bertattn.views.documents import CorefView
from bertattn.views.maps import HeadMap
from bertattn.views.page import View, write_page
from bertattn.views.trees import guessed_tree

FIRST = "The violinmaker's daughter mistrusted the varnish, so she scraped it off."
SECOND = "It had never dried."
N_SENTENCES, N_DOCUMENTS = 300, 12
MEASURES = ("to_previous", "to_next", "to_self", "to_start", "to_separator", "entropy")


class Shown(NamedTuple):
    """A view with a heading and a sentence on what it is for."""

    heading: str
    text: str
    view: View


def gallery(path: Path, model_name: str = "minilm", n_sentences: int = N_SENTENCES) -> Path:
    """Write a page with every view on the sample.

    Args:
        path: The page.
        model_name: A model, as ``load`` takes it.
        n_sentences: Sentences of the sample that scores are counted on.
    """
    plots.set_theme()
    model = load(model_name)
    shown = [*_of_a_text(model), *_of_the_sample(model, n_sentences)]
    parts = [f"<p>{escape(_about(model))}</p>"]
    for heading, text, view in shown:
        parts += [f"<h2>{escape(heading)}</h2><p>{escape(text)}</p>", view.html]
    return write_page(path, "What does BERT look at? A gallery of views", "".join(parts))


def _about(model: AttentionModel) -> str:
    return (
        f"Made with {model.name}, {model.n_layers} layers of {model.n_heads} heads, on the sample "
        "that comes with bertattn (trees made by a parser). "
        "Everything on this page is in this page: it can be sent by mail and opened without a "
        "network. Tab goes from one part to the next, arrow keys within one."
    )


def _of_a_text(model: AttentionModel) -> Iterator[Shown]:
    attention = model.attention(FIRST, SECOND)
    yield Shown(
        "Heads",
        "Who looks at whom, and how much: point at a token, or move to it with the arrow keys.",
        HeadView(attention, surface.by_breadth(attention)[:1]),
    )
    yield Shown(
        "All heads",
        "Every head of the model on the same text; choose one to open it.",
        ModelView(attention, opened=surface.by_breadth(attention)[1]),
    )


def _of_the_sample(model: AttentionModel, n_sentences: int) -> Iterator[Shown]:
    treebank = corpora.treebank("sample")
    parsed = Trees(treebank, model.encoder, n=n_sentences)
    sums = surface.SurfaceSums.empty(*model.shape)
    arcs = syntax.SyntaxCounts.empty(*model.shape, treebank.relations, keep=100)
    far = clusters.DistanceSums.empty(*model.shape)
    inputs = list(parsed)
    measure.measure(inputs, model, sums, arcs, far)
    made = tables.manifest(model, treebank, parsed)
    table = tables.surface(sums.result(), made)
    distances = far.result()
    near = tables.nearest_heads(distances, made)
    found = cards.finds(arcs)
    asked = cards.topics(table, found)
    examples = search.Examples.empty(*model.shape, asked)
    measure.measure(inputs, model, examples)
    of_heads = cards.cards(table, found, examples.result(), asked, near)
    yield Shown(
        "Scores of heads",
        f"Where each head's attention goes on average over {arcs.n_sentences} sentences; choose a "
        "head to see its card.",
        HeadMap(table, tables.present(table, MEASURES), of_heads),
    )
    heads = all_heads(*model.shape)
    scored = list(syntax.scores(arcs))
    best = scored[0]  # over all relations
    yield Shown(
        "Trees",
        f"The treebank's tree above, below what heads guess; {best.attn_head}, which is right "
        "most often over all relations of these sentences, comes first.",
        guessed_tree(
            list(dict.fromkeys([best.attn_head, *heads])),
            syntax.examples(arcs.guesses)[0],
            best.direction,
        ),
    )
    coreference, text = _of_documents(model)
    yield text
    behaviour = tables.behaviours(table)
    roles = tables.roles(tables.table_1(scored, made, arcs.n_sentences), coreference)
    layout, tree = clusters.layout(distances.matrix), clusters.Tree.of(distances.matrix)
    placed = tables.head_map(distances, layout, tree, behaviour, roles, made)
    yield Shown(
        "The map of heads",
        "Heads that attend alike lie together; directions mean nothing.",
        ClusterView(placed, near, of_heads),
    )


def _of_documents(model: AttentionModel) -> tuple[pd.DataFrame, Shown]:
    """How often heads find an antecedent, and a text with what the best one chooses."""
    documents = corpora.coreference("sample")
    windows = coref.Windows(documents, model.encoder, n=N_DOCUMENTS)
    counts = coref.CorefCounts.empty(*model.shape, keep=N_DOCUMENTS)
    measure.measure(windows, model, counts)
    score = coref.score(counts)
    attn_head, direction = score.head(score.best)
    heads = list(dict.fromkeys([attn_head, *all_heads(*model.shape)]))
    richest = max(counts.guesses, key=lambda guesses: len(guesses.head_words))
    text = (
        f"Who is meant? What a head chooses for each mention; {attn_head} is right most often in "
        f"the {counts.n_windows} texts looked at."
    )
    view = CorefView(richest, heads, direction)
    made = tables.manifest(model, documents, windows, counts.left_out)
    return tables.table_2(counts, made), Shown("Mentions", text, view)


def main(arguments: list[str] | None = None) -> None:
    """Write the page and say where it is."""
    parser = argparse.ArgumentParser(description="Every view of bertattn on one offline page.")
    parser.add_argument("--to", type=Path, default=Path("build/gallery.html"), help="the page")
    parser.add_argument("--model", default="minilm", help="a model's name or folder")
    parser.add_argument("--sentences", type=int, default=N_SENTENCES, help="of the sample")
    asked = parser.parse_args(arguments)
    try:
        path = gallery(asked.to, asked.model, asked.sentences)
    except (ModelError, ValueError) as error:
        sys.exit(str(error))
    print(f"{path}, {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
