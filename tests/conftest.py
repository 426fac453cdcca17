"""What several tests need: a tiny model, its encoder, a short corpus."""

import os

os.environ["BERTATTN_PROGRESS"] = "0"
os.environ["HF_HUB_OFFLINE"] = "1"

from pathlib import Path

import numpy as np
import pytest

from bertattn.attention import AttentionMap, Kind, Tokens
from bertattn.corpora import Article
from bertattn.model import AttentionModel, load
from bertattn.tokens import Encoder
from tests import tiny

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def tiny_model() -> AttentionModel:
    return AttentionModel(*tiny.module("Bert"), "tiny", device="cpu")


@pytest.fixture(scope="session")
def minilm() -> AttentionModel:
    return load("minilm", device="cpu")


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    return Encoder(tiny.wordpiece(), max_pieces=64)


@pytest.fixture
def articles() -> list[Article]:
    first = ("the keeper fed the octopus.", "it fed her.", "did it make that shell?")
    second = ("the animal fed it, and her.", "the keeper did that.")
    return [Article("One", (first, second)), Article("Two", (second,))]


@pytest.fixture
def toy_tokens() -> Tokens:
    """[CLS] a b. [SEP] c, [SEP]: eight tokens of every kind."""
    kinds = np.array(
        [Kind.START, 0, 0, Kind.PUNCTUATION, Kind.SEPARATOR, 0, Kind.PUNCTUATION, Kind.SEPARATOR]
    )
    return Tokens(
        pieces=("[CLS]", "a", "b", ".", "[SEP]", "c", ",", "[SEP]"),
        ids=np.arange(8),
        type_ids=np.array([0, 0, 0, 0, 0, 1, 1, 1]),
        unit_of=np.array([5, 0, 1, 2, 6, 3, 4, 7]),
        kinds=kinds,
        words=("a", "b", ".", "c", ","),
    )


@pytest.fixture
def toy_map(toy_tokens: Tokens) -> AttentionMap:
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.full(8, 0.5), size=(2, 3, 8))
    return AttentionMap(toy_tokens, weights)


@pytest.fixture(scope="session")
def gold_data() -> Path:
    """The folder of gold treebanks, where there is one."""
    folder = os.environ.get("BERTATTN_TEST_DATA")
    if not folder:
        pytest.skip("BERTATTN_TEST_DATA names no folder of gold treebanks (see CONTRIBUTING.md)")
    return Path(folder)
