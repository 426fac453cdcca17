"""The head of a masked language model: from hidden states to scores of pieces."""

from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoModelForMaskedLM
from transformers.modeling_outputs import BaseModelOutput

from bertattn.model.capture import AttentionModel
from bertattn.model.loading import quiet, source_of
from bertattn.model.taps import ModelError

TOLERANCE = 1e-4


class NoMaskedHeadError(ModelError):
    """A checkpoint without a trained head for masked pieces."""


class MaskedHead:
    """What a masked language model puts on top of its encoder.

    Attributes:
        mask_id: The vocabulary id of the mask token.
        mask_piece: Its text.
        random: The weights that the checkpoint does not have and that are random.
    """

    def __init__(
        self, whole: nn.Module, encoder: nn.Module, tokenizer: Any, random: tuple[str, ...]
    ) -> None:
        self.mask_id: int = tokenizer.mask_token_id
        self.mask_piece: str = tokenizer.mask_token
        self.random = random
        self._given = _Given(encoder)
        self._whole = whole.requires_grad_(False)
        setattr(whole, whole.base_model_prefix, self._given)

    def scores(self, hidden: torch.Tensor) -> torch.Tensor:
        """Scores of all pieces, "position piece", for hidden states "position dimension"."""
        self._given.hidden = hidden[None]
        positions = torch.zeros((1, len(hidden)), dtype=torch.long, device=hidden.device)
        return self._whole(input_ids=positions).logits[0]


class _Given(nn.Module):
    """Stands in an encoder's place and returns what it is given, so only the head computes."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = (encoder,)  # in a tuple: its weights are none of the head's
        self.hidden: torch.Tensor | None = None

    def forward(self, *_: Any, **__: Any) -> BaseModelOutput:
        return BaseModelOutput(last_hidden_state=self.hidden)

    def __getattr__(self, name: str) -> Any:  # heads of some families look into the encoder
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.encoder[0], name)


def masked_head(
    name: str | Path, model: AttentionModel, *, allow_random: bool = False, seed: int = 0
) -> MaskedHead:
    """Load the head for masked pieces that belongs to a model's encoder.

    Args:
        name: The checkpoint that the model was loaded from.
        model: The model.
        allow_random: Take random weights where the checkpoint has none: for tests only.
        seed: Of such weights.

    Raises:
        NoMaskedHeadError: If the family has no such head, the checkpoint lacks weights of it, or
            the tokenizer has no mask token.
        ModelError: If the checkpoint's encoder is not the one that the model has.
    """
    tokenizer = model.encoder.tokenizer
    if tokenizer.mask_token_id is None:
        raise NoMaskedHeadError(f"{model.name}: the tokenizer has no mask token; {REMEDY}")
    whole, missing = _from_pretrained(name, model, seed)
    if missing and not allow_random:
        raise NoMaskedHeadError(
            f"{model.name}: the checkpoint has no head for masked pieces, these weights would be "
            f"random: {', '.join(missing)}; {REMEDY}"
        )
    _check_encoder(whole, model)
    whole = whole.to(model.device, model.module.dtype).eval()
    expected = _scores_by_itself(whole, model)
    found = MaskedHead(whole, model.module, tokenizer, missing)
    with torch.inference_mode():
        arguments = model._arguments([model.encoder.text("It is so.")])
        got = found.scores(model.module(**arguments)[0][0])
    if not (got - expected).abs().max() <= TOLERANCE * expected.abs().max():
        raise ModelError(f"{model.name}: its head for masked pieces cannot be run by itself")
    return found


REMEDY = "take another objective, or a checkpoint trained on masked pieces"


def _from_pretrained(
    name: str | Path, model: AttentionModel, seed: int
) -> tuple[nn.Module, tuple[str, ...]]:
    """The whole model, and the names of weights that are not in the checkpoint."""
    with torch.random.fork_rng(devices=[]), quiet():
        torch.manual_seed(seed)
        try:
            whole, info = AutoModelForMaskedLM.from_pretrained(
                source_of(name),
                attn_implementation="eager",
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
            )
        except (OSError, ValueError) as error:
            first_line = str(error).strip().partition("\n")[0]
            raise NoMaskedHeadError(
                f"{model.name}: no masked language model can be made of {str(name)!r} "
                f"({first_line}); {REMEDY}"
            ) from error
    return whole, tuple(sorted(info["missing_keys"]))


def _check_encoder(whole: nn.Module, model: AttentionModel) -> None:
    measured = model.module.state_dict()
    for key, value in whole.base_model.state_dict().items():
        if key not in measured or not torch.equal(
            measured[key].cpu(), value.to(measured[key].dtype)
        ):
            raise ModelError(
                f"{model.name}: the encoder under the head for masked pieces is not the one that "
                f"is measured ({key} differs); load both from the same checkpoint"
            )


def _scores_by_itself(whole: nn.Module, model: AttentionModel) -> torch.Tensor:
    with torch.inference_mode():
        return whole(**model._arguments([model.encoder.text("It is so.")])).logits[0]
