"""A text with its mentions, and whom a head takes each one for."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from bertattn import plots
from bertattn.coref import DIRECTIONS, Guesses
from bertattn.heads import AttentionHead
from bertattn.views.page import View


class CorefView(View):
    """A text, its mentions in brackets with the number of their entity, and a head's choices.

    Choosing a mention draws an arrow to the word that the head chooses for it, and underlines its
    antecedents; all arrows can be shown at once. Entities that are mentioned once have no brackets.

    Args:
        guesses: Kept guesses (``CorefCounts.guesses``).
        heads: Which heads can be chosen, the first one shown first.
        direction: Who attends to whom.

    Raises:
        ValueError: If there is no head, or no mention was asked.
    """

    def __init__(
        self,
        guesses: Guesses,
        heads: Sequence[AttentionHead],
        direction: str = DIRECTIONS[0],
    ) -> None:
        if not heads or not len(guesses.head_words):
            raise ValueError("wanted at least one head, and a text with a mention to ask about")
        window = guesses.window
        items = _items(guesses)
        choices = [_choices(guesses, items, h, direction) for h in heads]
        data = {
            "title": f"mentions in {window.document}",
            "words": list(window.words),
            "mentions": _mentions(guesses),
            "items": items,
            "heads": choices,
        }
        rows = [
            [
                window.words[item["word"]],
                window.words[chosen],
                "yes" if chosen in item["right"] else "no",
                ", ".join(window.words[i] for i in item["right"]),
            ]
            for item, chosen in zip(items, choices[0]["chosen"], strict=True)
        ]
        columns = ("mention", f"chosen by head {heads[0]}", "right", "antecedents")
        super().__init__(
            "coref", data, lambda: plots.antecedent(guesses, heads[0], direction), columns, rows
        )


def guessed_antecedents(
    heads: Sequence[AttentionHead], guesses: Guesses, direction: str = DIRECTIONS[0]
) -> CorefView:
    """What some heads choose for the mentions of a text, the heads first: for a menu of texts."""
    return CorefView(guesses, heads, direction)


def _mentions(guesses: Guesses) -> list[dict[str, Any]]:
    """Mentions of entities that are mentioned again, numbered in the order they come up."""
    mentions = sorted(guesses.window.mentions, key=lambda m: (m.start, -m.stop))
    times = Counter(mention.entity for mention in mentions)
    again = dict.fromkeys(m.entity for m in mentions if times[m.entity] > 1)
    numbers = {entity: number for number, entity in enumerate(again)}
    return [
        {"start": m.start, "stop": m.stop, "entity": numbers[m.entity]}
        for m in mentions
        if m.entity in numbers
    ]


def _items(guesses: Guesses) -> list[dict[str, Any]]:
    """The words that are asked, and their antecedents; two mentions with one head word are one."""
    right: dict[int, dict[int, None]] = {}
    for word, answers in zip(guesses.head_words.tolist(), guesses.right, strict=True):
        right.setdefault(word, {}).update(dict.fromkeys(answers))
    return [{"word": word, "right": list(answers)} for word, answers in right.items()]


def _choices(
    guesses: Guesses, items: Sequence[dict[str, Any]], attn_head: AttentionHead, direction: str
) -> dict[str, Any]:
    words = guesses.window.words
    place = (DIRECTIONS.index(direction), attn_head.layer, attn_head.index)
    by_word = dict(zip(guesses.head_words.tolist(), guesses.chosen[place].tolist(), strict=True))
    chosen = [by_word[item["word"]] for item in items]
    said, n_right = [], 0
    for item, choice in zip(items, chosen, strict=True):
        own, right = item["word"], item["right"]
        n_right += choice in right
        verdict = "an antecedent" if choice in right else "no antecedent"
        answers = ", ".join(f"“{words[i]}”" for i in right)
        said.append(
            f"“{words[own]}”: head {attn_head} chooses “{words[choice]}”, {verdict}; "
            f"right: {answers}."
        )
    return {
        "name": f"{attn_head}, {direction}",
        "chosen": chosen,
        "said": said,
        "summary": f"Head {attn_head}: {n_right} of {len(chosen)} mentions right.",
    }
