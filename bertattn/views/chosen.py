"""Cards of heads as the script shows them."""

from collections.abc import Sequence
from typing import Any

from bertattn.cards import Card, Example


def in_order(cards: Sequence[Card], names: Sequence[str]) -> list[dict[str, Any]]:
    """Cards as the script shows them, in the order of the heads."""
    by_name = {str(card.attn_head): card for card in cards}
    if by_name and set(by_name) != set(names):
        raise ValueError(
            f"wanted cards of the {len(names)} heads up to {names[-1]}, got {len(by_name)}"
        )
    return [_card(by_name[name]) for name in names] if by_name else []


def _card(card: Card) -> dict[str, Any]:
    return {
        "name": str(card.attn_head),
        "about": card.about,
        "shares": [list(row) for row in card.shares],
        "relations": [list(row) for row in card.relations],
        "best": [_example(one) for one in card.best],
        "worst": [_example(one) for one in card.worst],
        "nearest": [[str(other), f"{distance:.3f}"] for other, distance in card.nearest],
    }


def _example(one: Example) -> dict[str, Any]:
    said = [f"{one.weight:.2f}", one.note, f"({one.source})" if one.source else ""]
    return {
        "words": list(one.words),
        "from": one.from_word,
        "to": one.to_word,
        "note": " ".join(part for part in said if part),
    }
