"""A model that shows its attention: inputs go in, each layer's maps go to observers.

Maps are caught by forward hooks inside the pass and dropped at once, so that one layer's
maps are alive at a time. Which module of which family makes them is found by a trial run
(``taps``) and checked against the library's own ``output_attentions``.
"""

import hashlib
import inspect
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from bertattn.attention import AttentionMap, Tokens
from bertattn.machine import keep_freed_memory, peak_bytes
from bertattn.model.taps import ModelError, find_taps
from bertattn.reducer import Batch, KeepMaps, Observer, padded
from bertattn.tokens import Encoder, TypeIds

Device = Literal["cuda", "mps", "cpu"]
Dtype = Literal["float32", "bfloat16"]


class AttentionModel:
    """A model that shows its attention.

    Attributes:
        name: What tables call it.
        module: The transformers model, in ``eval()``.
        encoder: Cuts text as the model was trained to read it.
        n_layers: How many layers.
        n_heads: How many heads a layer has.
        causal: Whether no token attends to a later one, as in decoders.
        recipe: Loads the same model again in another process; None if it was built in memory.

    Raises:
        ModelError: If the model returns no attention maps, if catching them changes them,
            or if padding does.
    """

    def __init__(
        self,
        module: nn.Module,
        tokenizer: Any,
        name: str,
        *,
        device: Device | None = None,
        dtype: Dtype = "float32",
        type_ids: TypeIds = "tokenizer",
    ) -> None:
        keep_freed_memory()
        self.name = name
        self.recipe: Callable[[], AttentionModel] | None = None
        self.device = torch.device(device or _best_device())
        self.module = module.to(self.device, getattr(torch, dtype)).eval()
        self.encoder = Encoder(tokenizer, _max_pieces(module, tokenizer), type_ids)
        self._accepts = set(inspect.signature(module.forward).parameters)
        try:
            trial = self.encoder.text("It is so.")
        except ValueError as error:
            raise ModelError(
                f"{name}: its tokenizer cannot cut a plain sentence ({error}); "
                "is a tokenizer.json there that belongs to the model?"
            ) from error
        with torch.inference_mode():
            self._taps, maps = find_taps(self.module, self._arguments([trial]))
        self.n_layers, self.n_heads = len(maps), maps[0].shape[1]
        self.causal = not any(m.triu(1).any() for m in maps)
        self._check(trial, maps)

    def __repr__(self) -> str:
        return f"AttentionModel({self.name!r}, {self.n_layers} layers x {self.n_heads} heads)"

    @property
    def shape(self) -> tuple[int, int]:
        """How many layers, and how many heads a layer has."""
        return self.n_layers, self.n_heads

    @property
    def dtype(self) -> str:
        """The weights' type, such as "float32"."""
        return str(self.module.dtype).removeprefix("torch.")

    @property
    def n_threads(self) -> int:
        """How many threads the model computes with on a CPU."""
        return torch.get_num_threads()

    @property
    def max_pieces(self) -> int:
        """The most pieces that the model takes, special tokens included."""
        return self.encoder.max_pieces

    def run(self, inputs: Sequence[Tokens], observers: Sequence[Observer]) -> None:
        """One forward pass over inputs of similar length; each layer's maps go to observers.

        Raises:
            ModelError: If fewer or more maps came by than the model has layers.
        """
        batch = Batch.of(inputs, self.shown, self.max_pieces, self.causal)
        n_maps = 0

        def take(weights: torch.Tensor) -> None:
            nonlocal n_maps
            shown = self.shown(in_full(weights))
            for observer in observers:
                observer.update(n_maps, shown, batch)
            n_maps += 1

        with torch.inference_mode(), self._taps.caught(take):
            self.module(**self._arguments(inputs), **self._taps.flag)
        if n_maps != self.n_layers:
            raise ModelError(
                f"{self.name}: {n_maps} attention maps came by, wanted {self.n_layers}"
            )

    def attention(self, first: str | Tokens, second: str = "") -> AttentionMap:
        """The whole attention map of one text, pair of texts or ready-made input."""
        tokens = first if isinstance(first, Tokens) else self.encoder.text(first, second)
        keep = KeepMaps()
        self.run([tokens], [keep])
        return keep.result()[0]

    def twin(self) -> "AttentionModel":
        """The same weights with modules of their own, for a pass at the same time in a thread.

        Hooks stand on modules, so two passes through one model would hear one another.
        """
        shared = [*self.module.parameters(), *self.module.buffers(), self.encoder]
        return deepcopy(self, {id(part): part for part in shared})

    @property
    def peak_bytes(self) -> int:
        """The most memory taken so far: of the GPU if the model is there, else of this process."""
        if self.device.type == "cuda":
            return torch.cuda.max_memory_allocated(self.device)
        return peak_bytes()

    @cached_property
    def sha256(self) -> str:
        """The hash of all weights, by name."""
        digest = hashlib.sha256()
        for key, value in sorted(self.module.state_dict().items()):
            digest.update(key.encode())
            digest.update(value.detach().cpu().contiguous().view(torch.uint8).numpy())
        return digest.hexdigest()

    def _check(self, trial: Tokens, maps: list[torch.Tensor]) -> None:
        """Refuse a model whose maps come out changed, alone or beside a longer input."""
        tolerance = 1e-5 if self.module.dtype == torch.float32 else 1e-2
        longer = self.encoder.text("It is so, and so it is.")
        alone, beside, leak = KeepMaps(), KeepMaps(), _PaddingLeak()
        self.run([trial], [alone])
        self.run([trial, longer], [beside, leak])
        if leak.most > 0:
            raise ModelError(f"{self.name}: up to {leak.most:.2g} of attention goes to padding")
        expected = torch.cat(maps).float().cpu().numpy()
        for what, got in (("caught", alone), ("padded", beside)):
            try:
                weights = got.result()[0].weights
            except ValueError as error:
                raise ModelError(f"{self.name}: {error}") from error
            if (difference := float(abs(weights - expected).max())) > tolerance:
                raise ModelError(
                    f"{self.name}: {what} attention differs by {difference:.2g} from what "
                    "the model returns by itself; this family cannot be measured"
                )

    def _arguments(self, inputs: Sequence[Tokens]) -> dict[str, torch.Tensor]:
        pad = self.encoder.tokenizer.pad_token_id or 0
        arguments = {
            "input_ids": padded([t.ids for t in inputs], pad, self.max_pieces),
            "attention_mask": padded([np.ones_like(t.ids) for t in inputs], 0, self.max_pieces),
        }
        if "token_type_ids" in self._accepts and self._n_types > 1:
            types = [t.type_ids for t in inputs]
            arguments["token_type_ids"] = padded(types, 0, self.max_pieces)
        return {key: self._tensor(value) for key, value in arguments.items()}

    @property
    def _n_types(self) -> int:
        return getattr(self.module.config, "type_vocab_size", 0) or 0

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    def shown(self, array: Any) -> Any:
        """An array as observers see it: numpy on a CPU, whose kernels are faster there."""
        if self.device.type == "cpu":
            return np.asarray(array)
        return torch.as_tensor(array, device=self.device)


def in_full(weights: torch.Tensor) -> torch.Tensor:
    """Weights as float32; what rounding to fewer bits took from a row is given back."""
    if weights.dtype == torch.float32:
        return weights
    weights = weights.float()
    return weights / weights.sum(-1, keepdim=True)


class _PaddingLeak:
    """The most attention that goes from a token to padding."""

    most = 0.0

    def update(self, layer: int, weights: Any, batch: Batch) -> None:
        valid = batch.kinds >= 0
        leaked = weights * (valid[:, None, :, None] & ~valid[:, None, None, :])
        self.most = max(self.most, float(leaked.max()))


def _best_device() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _max_pieces(module: nn.Module, tokenizer: Any) -> int:
    """The shorter of the tokenizer's limit and the number of positions the model has."""
    limits = [512]
    positions = getattr(module.config, "max_position_embeddings", None)
    if positions is not None:
        limits = [positions - _first_position(module)]
    if 0 < tokenizer.model_max_length < 1_000_000:
        limits.append(tokenizer.model_max_length)
    return min(limits)


def _first_position(module: nn.Module) -> int:
    """RoBERTa and its kin count positions from the padding id + 1."""
    for name, part in module.named_modules():
        if name.endswith("position_embeddings") and getattr(part, "padding_idx", None) is not None:
            return part.padding_idx + 1
    return 0
