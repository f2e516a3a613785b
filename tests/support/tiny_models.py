"""Tiny vision-language models with random weights, made here: the real classes, saying nothing of sense."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

Kind = Literal["qwen2_5_vl", "qwen3_vl"]
END, START, STOP = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
PICTURE = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] in ('image', 'image_url') %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SIZE: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 8192,
}
ROPE: dict[str, Any] = {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [1, 1, 2]}
VISION: dict[str, Any] = {
    "depth": 2,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_heads": 4,
    "out_hidden_size": 32,
}


def save_tiny_qwen(folder: Path, kind: Kind) -> Path:
    """Write model, tokenizer and picture processor as a release of the real ones would."""
    tokenizer = _tokenizer()
    named = {name: tokenizer.convert_tokens_to_ids(name) for name in (END, STOP, *PICTURE)}
    text = SIZE | {
        "vocab_size": len(tokenizer),
        "pad_token_id": named[END],
        "bos_token_id": named[END],
        "eos_token_id": named[STOP],
    }
    tokens = {
        "image_token_id": named["<|image_pad|>"],
        "video_token_id": named["<|video_pad|>"],
        "vision_start_token_id": named["<|vision_start|>"],
        "vision_end_token_id": named["<|vision_end|>"],
    }
    torch.manual_seed(1)
    model, patch_px = _qwen2_5(text, tokens) if kind == "qwen2_5_vl" else _qwen3(text, tokens)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    size = {"shortest_edge": 3136, "longest_edge": 602_112}
    Qwen2VLImageProcessorPil(patch_size=patch_px, size=size).save_pretrained(folder)
    return folder


def _tokenizer() -> Any:
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=[END, START, STOP, *PICTURE],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    trained.train_from_iterator(["yes no verdict contradiction"], trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained, eos_token=STOP, pad_token=END, additional_special_tokens=[START, *PICTURE]
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def _qwen2_5(text: dict[str, Any], tokens: dict[str, int]) -> tuple[Any, int]:
    config = transformers.Qwen2_5_VLConfig(
        text_config=text | {"rope_parameters": ROPE},
        vision_config=VISION | {"fullatt_block_indexes": [1]},
        **tokens,
    )
    return transformers.Qwen2_5_VLForConditionalGeneration(config), 14


def _qwen3(text: dict[str, Any], tokens: dict[str, int]) -> tuple[Any, int]:
    rope = {
        "rope_type": "default",
        "rope_theta": 10_000.0,
        "mrope_section": [1, 1, 2],
        "mrope_interleaved": True,
    }
    config = transformers.Qwen3VLConfig(
        text_config=text | {"rope_parameters": rope, "head_dim": 8},
        vision_config=VISION | {"num_position_embeddings": 64, "deepstack_visual_indexes": [0, 1]},
        **tokens,
    )
    return transformers.Qwen3VLForConditionalGeneration(config), 16


def save_tiny_llava(folder: Path) -> Path:
    """A LLaVA, for a server: those that serve Qwen-VL load a video processor, and that needs torchvision."""
    tokenizer = _tokenizer()
    tokenizer.add_special_tokens({"additional_special_tokens": ["<image>"]})
    tokenizer.chat_template = TEMPLATE.replace("<|vision_start|><|image_pad|><|vision_end|>", "<image>")
    vision = transformers.CLIPVisionConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        image_size=56,
        patch_size=14,
        projection_dim=32,
    )
    text = transformers.LlamaConfig(
        **SIZE,
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    config = transformers.LlavaConfig(
        vision_config=vision,
        text_config=text,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_seq_length=16,
    )
    torch.manual_seed(1)
    transformers.LlavaForConditionalGeneration(config).save_pretrained(folder)
    transformers.LlavaProcessor(
        image_processor=CLIPImageProcessorPil(
            size={"shortest_edge": 56}, crop_size={"height": 56, "width": 56}
        ),
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        image_token="<image>",
        num_additional_image_tokens=1,
        chat_template=tokenizer.chat_template,
    ).save_pretrained(folder)
    return folder
