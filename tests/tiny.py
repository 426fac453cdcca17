"""Tokenizers and models small enough to build in a test; nothing is fetched."""

from functools import cache

import torch
import transformers
from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizerFast

TEXT = [
    "The keeper fed the octopus, and it squirted her.",
    "Did the animal make that shell, or did it steal it?",
    "A river's mouth is where it ends; its source lies in the hills.",
]
WORDS = (
    "the", "keeper", "fed", "octopus", "and", "it", "her",
    "did", "animal", "make", "that", "shell", "or", "##s",
)  # fmt: skip
CHARACTERS = "abcdefghijklmnopqrstuvwxyz.,;?![]'"


EVERYTHING = Regex(".")


def wordpiece(
    start: str | None = "[CLS]", separator: str | None = "[SEP]"
) -> PreTrainedTokenizerFast:
    """BERT's kind, lower-cased, with a vocabulary of letters and a few words."""
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [*CHARACTERS, *(f"##{c}" for c in CHARACTERS)]
    vocabulary = list(dict.fromkeys([*specials, *letters, *WORDS]))
    backend = Tokenizer(
        models.WordPiece({piece: i for i, piece in enumerate(vocabulary)}, unk_token="[UNK]")
    )
    backend.normalizer = normalizers.BertNormalizer(lowercase=True)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    before = f"{start}:0 " if start else ""
    after, second = (f" {separator}:0", f" {separator}:1") if separator else ("", "")
    backend.post_processor = processors.TemplateProcessing(
        single=f"{before}$A:0{after}",
        pair=f"{before}$A:0{after} $B:1{second}",
        special_tokens=[(token, vocabulary.index(token)) for token in ("[CLS]", "[SEP]")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token=start,
        sep_token=separator,
        mask_token="[MASK]",
        model_max_length=64,
    )


@cache
def _byte_level_backend() -> str:
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<s>", "<pad>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    backend.train_from_iterator(TEXT, trainer)
    return backend.to_str()


def byte_level(*, special: bool = True) -> PreTrainedTokenizerFast:
    """RoBERTa's kind; without special tokens GPT-2's."""
    backend = Tokenizer.from_str(_byte_level_backend())
    if not special:
        return PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=64)
    backend.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="<pad>",
        cls_token="<s>",
        sep_token="</s>",
        bos_token="<s>",
        eos_token="</s>",
        model_max_length=64,
    )


@cache
def _unigram_backend() -> str:
    backend = Tokenizer(models.Unigram())
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=90, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], unk_token="<unk>"
    )
    backend.train_from_iterator(TEXT, trainer)
    return backend.to_str()


def unigram() -> PreTrainedTokenizerFast:
    """XLM-R's, ALBERT's and DeBERTa-v2's kind."""
    backend = Tokenizer.from_str(_unigram_backend())
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="<pad>",
        cls_token="<s>",
        sep_token="</s>",
        unk_token="<unk>",
        model_max_length=64,
    )


SIZES = {
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 32,
    "max_position_embeddings": 70,
}
FAMILIES = {
    "Bert": (wordpiece, SIZES),
    "Roberta": (byte_level, SIZES),
    "DistilBert": (
        wordpiece,
        {"dim": 24, "n_layers": 2, "n_heads": 3, "hidden_dim": 32, "max_position_embeddings": 70},
    ),
    "Electra": (wordpiece, {**SIZES, "embedding_size": 24}),
    "Albert": (unigram, {**SIZES, "embedding_size": 16}),
    "XLMRoberta": (unigram, SIZES),
    "ModernBert": (
        byte_level,
        {**SIZES, "local_attention": 8, "global_attn_every_n_layers": 2, "pad_token_id": 1},
    ),
    "MPNet": (byte_level, SIZES),
    "DebertaV2": (
        unigram,
        {
            **SIZES,
            "relative_attention": True,
            "pos_att_type": ["p2c", "c2p"],
            "position_buckets": 8,
        },
    ),
    "GPT2": (
        lambda: byte_level(special=False),
        {"n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 70},
    ),
}


def module(family: str, **changes: object) -> tuple[torch.nn.Module, PreTrainedTokenizerFast]:
    """A model of a family with random weights, drawn wide so that heads differ."""
    make_tokenizer, sizes = FAMILIES[family]
    tokenizer = make_tokenizer()
    config = getattr(transformers, f"{family}Config")(vocab_size=len(tokenizer), **sizes)
    config.initializer_range = 0.5
    config._attn_implementation = "eager"
    for name, value in changes.items():
        setattr(config, name, value)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return getattr(transformers, f"{family}Model")(config), tokenizer
