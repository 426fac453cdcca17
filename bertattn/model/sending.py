"""A model that was built in memory, as bytes for another process of the same run."""

import io
from typing import Any

import torch

from bertattn.model.capture import AttentionModel
from bertattn.model.taps import ModelError


def as_bytes(model: AttentionModel) -> bytes:
    """The class, configuration, weights and tokenizer of a model; hooks on it stay behind."""
    module = model.module
    parts = {
        "kind": type(module),
        "config": module.config,
        "attention": module.config._attn_implementation,
        "weights": {name: value.cpu() for name, value in module.state_dict().items()},
        "tokenizer": model.encoder.tokenizer,
        "name": model.name,
        "device": model.device.type,
        "dtype": model.dtype,
        "type_ids": model.encoder.type_ids,
    }
    file = io.BytesIO()
    torch.save(parts, file)
    return file.getvalue()


def from_bytes(content: bytes) -> AttentionModel:
    """The model again. Only for bytes that this run has made: what they hold is run.

    Raises:
        ModelError: If the class cannot be made from its configuration.
    """
    parts: dict[str, Any] = torch.load(io.BytesIO(content), weights_only=False)
    config, kind = parts["config"], parts["kind"]
    config._attn_implementation = parts["attention"]
    try:
        module = kind(config)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"{kind.__name__} cannot be made again from its configuration ({error}); save it to "
            "a folder that all workers read, and load it from there"
        ) from error
    module.load_state_dict(parts["weights"])
    return AttentionModel(
        module,
        parts["tokenizer"],
        parts["name"],
        device=parts["device"],
        dtype=parts["dtype"],
        type_ids=parts["type_ids"],
    )
