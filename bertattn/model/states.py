"""Hidden states of words, for probes that read vectors and not attention."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float16

from bertattn.attention import Tokens
from bertattn.model.capture import AttentionModel
from bertattn.model.taps import ModelError
from bertattn.reducer import Batch
from bertattn.words import Members


def word_states(
    model: AttentionModel, inputs: Sequence[Tokens]
) -> list[Float16[np.ndarray, "state word dim"]]:
    """The hidden states of each input's words: the embeddings', then every layer's.

    A split word has the mean of its pieces' states; a word without pieces has zeros.

    Args:
        model: The model.
        inputs: Inputs of similar length, for one forward pass.

    Raises:
        ModelError: If the model does not return hidden states.
    """
    with torch.inference_mode():
        output = model.module(**model._arguments(inputs), output_hidden_states=True)
    states = getattr(output, "hidden_states", None)
    if not states:
        raise ModelError(f"{model.name} returns no hidden states; it has no vectors to probe")
    share = Members.of(Batch.of(inputs, widest=model.max_pieces)).share
    together = np.stack([s.float().cpu().numpy() for s in states])
    of_words = (share[None] @ together).astype(np.float16)
    return [of_words[:, i, : len(tokens.words)] for i, tokens in enumerate(inputs)]
