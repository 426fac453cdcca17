"""A probe asked of the maps that are left when heads are taken away."""

import numpy as np
import pytest
import torch

from bertattn import importance, probes
from bertattn.heads import AttentionHead
from bertattn.importance import Pick
from bertattn.model import AttentionModel
from bertattn.model.outlets import Outlets
from bertattn.probes import Parts, ProbeData
from bertattn.probes.predictions import count, predict
from tests.probing import toy_vectors
from tests.test_importance import model_of
from tests.test_removals import parsed, slow_model


@pytest.fixture(scope="module")
def model():
    return model_of()


@pytest.fixture(scope="module")
def outlets(model):
    return Outlets(model)


@pytest.fixture(scope="module")
def texts(model):
    return parsed(model)


def data_of(model, texts, folder):
    everything = list(range(len(texts)))
    maps = probes.word_maps(model, texts, folder=folder)
    return ProbeData.of(texts, maps, toy_vectors(), Parts([], [], everything))


@pytest.fixture(scope="module", params=["AttentionOnly", "AttentionAndWords"])
def probe(request, model, texts, tmp_path_factory):
    """A probe of weights large enough that maps decide."""
    torch.manual_seed(3)
    made = getattr(probes, request.param)(data_of(model, texts, tmp_path_factory.mktemp("maps")))
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.normal_(std=30)
    return made.eval()


@pytest.mark.parametrize("heads", [[(0, 1)], [(1, 0)], [(0, 0), (0, 2), (1, 1)]])
def test_the_probe_reads_the_maps_of_a_model_without_the_heads(
    model, outlets, texts, probe, heads, tmp_path
):
    heads = [AttentionHead(*h) for h in heads]
    asked = importance.Probe(probe, toy_vectors())
    found = importance.remove_heads(texts, outlets, [Pick("some", tuple(heads))], [asked])
    lacking = slow_model(model, heads).module
    without = AttentionModel(lacking, model.encoder.tokenizer, "without", device="cpu")
    for sums, of_model in ((found.plain, model), (found.sums[0], without)):
        data = data_of(of_model, texts, tmp_path / of_model.name)
        slow = count(data, predict(probe, data, data.parts.test))
        right, total = np.zeros(4), np.zeros(4, dtype=int)
        for tokens, own, of in zip(texts, slow.right, slow.total, strict=True):
            right[tokens.document] += own
            total[tokens.document] += of
        assert sums[:4, 0].tolist() == right.tolist()
        assert found.counts[:4, 0].tolist() == total.tolist()
    assert 0 < found.plain.sum() < found.counts.sum()


def test_some_removal_changes_what_the_probe_finds(outlets, texts, probe):
    """Else the test above would compare what never moves."""
    asked = importance.Probe(probe, toy_vectors())
    picks = importance.each_head(2, 3)
    found = importance.remove_heads(texts, outlets, picks, [asked])
    moved = [bool((sums != found.plain).any()) for sums in found.sums]
    assert any(moved[:3])
    assert not any(moved[3:])  # above the last layer no map is made
