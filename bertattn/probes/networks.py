"""The probes of Clark et al. 2019, section 5: scores of every candidate governor of every word.

With a[i, j] the attention of word i to word j in head k, and v the words' frozen vectors:

===================== ==================================================================
attention only        sum over k of  w_k a[i, j] + u_k a[j, i]
attention and words   sum over k of  W_k . (v_i ++ v_j) a[i, j] + U_k . (v_i ++ v_j) a[j, i]
words and distances   no attention: v_i ++ v_j and 8 features of j - i, 256 tanh units, one output
===================== ==================================================================

The governor's probability is the softmax of the scores over candidates. ROOT is one of them: its
attention is that to (and from) the start token and the separator, each times a trained number, and
its vector is trained.
"""

import torch
from jaxtyping import Float
from torch import nn

from bertattn.probes.batches import ProbeBatch
from bertattn.probes.data import ProbeData

Scores = Float[torch.Tensor, "batch word candidate"]
N_HIDDEN = 256
N_FEATURES = 8


class AttentionOnly(nn.Module):
    """A number for each head and direction.

    Attributes:
        weights: w and u: of a word's attention to the candidate, of the candidate's to the word.
        marks: What the start token's and the separator's attention counts, in both directions.
        root: What speaks for ROOT whatever the attention, where a model has no such tokens.
    """

    def __init__(self, data: ProbeData) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(2, data.n_heads))
        self.marks = nn.Parameter(torch.ones(2, 2))
        self.root = nn.Parameter(torch.zeros(()))

    def forward(self, batch: ProbeBatch) -> Scores:
        """Scores of all candidates."""
        to_root, from_root = _root_attention(batch, self.marks)
        words = batch.maps @ self.weights[0] + batch.turned @ self.weights[1]
        root = to_root @ self.weights[0] + from_root @ self.weights[1] + self.root
        return torch.cat([root[..., None], words], dim=-1)


class AttentionAndWords(nn.Module):
    """For each head and direction a weight that depends on the two words.

    Attributes:
        of_word: The part of W and U that meets the word's own vector.
        of_candidate: The part that meets the candidate's.
        vector: ROOT's vector.
        marks: As in ``AttentionOnly``.
        root: As in ``AttentionOnly``.
    """

    def __init__(self, data: ProbeData) -> None:
        super().__init__()
        n_dimensions = data.vectors.n_dimensions
        self.of_word = nn.Parameter(torch.zeros(2, n_dimensions, data.n_heads))
        self.of_candidate = nn.Parameter(torch.zeros(2, n_dimensions, data.n_heads))
        self.vector = nn.Parameter(torch.zeros(n_dimensions))
        self.marks = nn.Parameter(torch.ones(2, 2))
        self.root = nn.Parameter(torch.zeros(()))

    def forward(self, batch: ProbeBatch) -> Scores:
        """Scores of all candidates.

        A head's weight is a sum of a word's part and a candidate's part, so a batch takes two
        matrix products: of the parts that belong to rows with the maps, and of the others with the
        turned maps. Two rows by a wide matrix is several times as fast as that by two columns.
        """
        word_to, word_from = batch.vectors @ self.of_word[:, None]
        candidate_to, candidate_from = batch.vectors @ self.of_candidate[:, None]
        by_row = torch.stack([word_to, candidate_from], dim=-2) @ batch.maps.mT
        by_column = torch.stack([candidate_to, word_from], dim=-2) @ batch.turned.mT
        to_candidate = by_row[:, :, 0] + by_column[:, :, 0].mT
        from_candidate = by_row[:, :, 1].mT + by_column[:, :, 1]
        to_root, from_root = _root_attention(batch, self.marks)
        root_to, root_from = self.vector @ self.of_candidate
        root = ((word_to + root_to) * to_root + (word_from + root_from) * from_root).sum(dim=-1)
        return torch.cat([(root + self.root)[..., None], to_candidate + from_candidate], dim=-1)


class WordsAndDistances(nn.Module):
    """The baseline that sees no attention: vectors of the two words, and how far apart they stand.

    The features are those of ``features``. The first layer's product is taken word by word, and for
    distances once for sentences of one length, and added up pair by pair: the same, and cheaper.
    Pairs are taken sentence by sentence, so that their hidden units stay in a processor's cache.
    """

    def __init__(self, data: ProbeData, n_hidden: int = N_HIDDEN) -> None:
        super().__init__()
        n_dimensions = data.vectors.n_dimensions
        self.of_word = nn.Linear(n_dimensions, n_hidden)
        self.of_candidate = nn.Linear(n_dimensions, n_hidden, bias=False)
        self.of_distance = nn.Linear(N_FEATURES, n_hidden, bias=False)
        self.output = nn.Linear(n_hidden, 1)
        self.vector = nn.Parameter(torch.zeros(n_dimensions))

    def forward(self, batch: ProbeBatch) -> Scores:
        """Scores of all candidates."""
        n_inputs, n_words, _ = batch.vectors.shape
        words, lengths = self.of_word(batch.vectors), batch.lengths.tolist()
        root = self.vector.expand(n_inputs, 1, -1)
        candidates = self.of_candidate(torch.cat([root, batch.vectors], dim=1))
        of_pairs = features(n_words, batch.vectors.device)
        far, near = of_pairs.split([2, N_FEATURES - 2], dim=-1)
        of_far, of_near = self.of_distance.weight.T.split([2, N_FEATURES - 2])
        far, near = far @ of_far, near @ of_near
        apart = {length: near + far / length for length in set(lengths)}
        hidden = (
            (word[:, None] + candidate + apart[length]).tanh_()
            for word, candidate, length in zip(words, candidates, lengths, strict=True)
        )
        return torch.stack([self.output(of_one)[..., 0] for of_one in hidden])


def features(
    n_words: int, device: torch.device | str = "cpu"
) -> Float[torch.Tensor, "word candidate feature"]:
    """The eight features of each word i and candidate j (Clark et al. 2019, section 5).

    j - i if j comes after i; i - j if it comes before; whether j - i is 0, -1, +1, -2, +2; whether
    the candidate is ROOT, which has no other feature. The first two are still to be divided by the
    number of words.
    """
    position = torch.arange(n_words, device=device)
    ahead = (position[None, :] - position[:, None]).float()
    far = [ahead.clamp(min=0), (-ahead).clamp(min=0)]
    near = [(ahead == offset).float() for offset in (0, -1, 1, -2, 2)]
    of_words = torch.stack([*far, *near, torch.zeros_like(ahead)], dim=-1)
    of_root = torch.zeros(n_words, 1, N_FEATURES, device=device)
    of_root[..., -1] = 1
    return torch.cat([of_root, of_words], dim=1)


def _root_attention(
    batch: ProbeBatch, marks: torch.Tensor
) -> tuple[Float[torch.Tensor, "batch word head"], Float[torch.Tensor, "batch word head"]]:
    """Attention to ROOT and from it."""
    to_root = (batch.to_marks * marks[0, :, None]).sum(dim=2)
    return to_root, (batch.from_marks * marks[1, :, None]).sum(dim=2)
