"""Loading a Qwen-VL model, putting pictures and text into its tokens, and generating until told to stop.

The tokenizer and the picture processor are used directly: their common ``AutoProcessor`` insists on a video
processor, which needs torchvision, and no video is ever shown here.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
import transformers
from PIL import Image
from transformers import (
    AutoConfig,
    AutoImageProcessor,
    AutoModelForImageTextToText,
    AutoTokenizer,
    BaseImageProcessor,
    GenerationConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    StoppingCriteriaList,
)

from arwarden.config import QwenVlJudgeConfig
from arwarden.core.errors import ModelError
from arwarden.escalate.questions import SentPicture
from arwarden.escalate.rendering import BoxUnit, Rendered

BOX_UNITS: Final = {
    "qwen2_vl": BoxUnit.THOUSANDTHS,
    "qwen2_5_vl": BoxUnit.PIXELS,
    "qwen3_vl": BoxUnit.THOUSANDTHS,
    "qwen3_vl_moe": BoxUnit.THOUSANDTHS,
}
"""The unit of boxes that each family was trained with."""
MIN_PICTURE_PX: Final = 3136


class Stopped(Exception):
    """Generation was told to stop."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What the model wrote."""

    text: str
    tokens_in: int
    tokens_out: int
    cut: bool
    """True where it ended at the limit."""
    seen_px: tuple[int, int] | None
    """Width and height of the last picture as the model saw it; None where it was shown none."""


class QwenModel:
    """A loaded model. Not safe for several threads at a time."""

    def __init__(
        self,
        name: str,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        pictures: BaseImageProcessor,
        *,
        max_picture_px: int,
    ) -> None:
        self.name = name
        self._model = model
        self._tokenizer = tokenizer
        self._pictures = pictures
        self._picture_token_id = int(model.config.image_token_id)
        self._picture_token = str(tokenizer.convert_ids_to_tokens(self._picture_token_id))
        self._size = {
            "shortest_edge": MIN_PICTURE_PX,
            "longest_edge": min(max_picture_px, int(pictures.size["longest_edge"])),
        }

    @property
    def box_unit(self) -> BoxUnit:
        """The unit of boxes that the model knows best."""
        return BOX_UNITS[self._model.config.model_type]

    @property
    def device(self) -> str:
        """Where it runs."""
        return str(self._model.device)

    @property
    def dtype(self) -> str:
        """What it calculates in."""
        return str(self._model.dtype).removeprefix("torch.")

    def generate(self, rendered: Rendered, max_tokens: int, stop: threading.Event) -> Generated:
        """The most likely answer, token by token. Raises ``Stopped`` soon after ``stop`` is set."""
        if stop.is_set():
            raise Stopped
        inputs, seen_px = self._inputs(rendered)
        length = int(inputs["input_ids"].shape[1])
        with torch.inference_mode():
            output = self._model.generate(
                **inputs,
                generation_config=self._generation(max_tokens),
                stopping_criteria=StoppingCriteriaList([_when_told(stop)]),
            )
        if stop.is_set():
            raise Stopped
        written = output[0, length:]
        ends = self._end_tokens()
        return Generated(
            text=str(self._tokenizer.decode(written, skip_special_tokens=True)),
            tokens_in=length,
            tokens_out=int(written.shape[0]),
            cut=written.shape[0] >= max_tokens and int(written[-1]) not in ends,
            seen_px=seen_px,
        )

    def _inputs(self, rendered: Rendered) -> tuple[dict[str, Any], tuple[int, int] | None]:
        pictures = [
            _opened(part) for turn in rendered.turns for part in turn.parts if isinstance(part, SentPicture)
        ]
        if not pictures:
            return self._tokens_of(self._templated(rendered)), None
        features = self._pictures(images=pictures, size=self._size, return_tensors="pt")
        grid = features["image_grid_thw"]
        merged = int(self._pictures.merge_size) ** 2
        text = self._with_picture_tokens(
            self._templated(rendered), [int(cells) // merged for cells in grid.prod(-1)]
        )
        inputs = self._tokens_of(text)
        seen = {"pixel_values": features["pixel_values"].to(self._model.dtype), "image_grid_thw": grid}
        inputs |= {name: tensor.to(self._model.device) for name, tensor in seen.items()}
        cell_px = int(self._pictures.patch_size)
        return inputs, (int(grid[-1][2]) * cell_px, int(grid[-1][1]) * cell_px)

    def _templated(self, rendered: Rendered) -> str:
        return str(
            self._tokenizer.apply_chat_template(
                _messages(rendered), tokenize=False, add_generation_prompt=True
            )
        )

    def _tokens_of(self, text: str) -> dict[str, Any]:
        encoded = self._tokenizer(text, return_tensors="pt", add_special_tokens=False)
        ids = encoded["input_ids"]
        inputs = {
            "input_ids": ids,
            "attention_mask": encoded["attention_mask"],
            "mm_token_type_ids": (ids == self._picture_token_id).int(),
        }
        return {name: tensor.to(self._model.device) for name, tensor in inputs.items()}

    def _with_picture_tokens(self, text: str, counts: list[int]) -> str:
        """One token for each cell of each picture, where the template has put one token for each picture."""
        pieces = text.split(self._picture_token)
        if len(pieces) != len(counts) + 1:
            msg = f"the chat template made {len(pieces) - 1} places for {len(counts)} pictures"
            raise ValueError(msg)
        filled = (
            self._picture_token * count + piece for count, piece in zip(counts, pieces[1:], strict=True)
        )
        return pieces[0] + "".join(filled)

    def _generation(self, max_tokens: int) -> GenerationConfig:
        pad = self._tokenizer.pad_token_id
        return GenerationConfig(
            max_new_tokens=max_tokens,
            do_sample=False,
            eos_token_id=sorted(self._end_tokens()) or None,
            pad_token_id=pad if pad is not None else self._tokenizer.eos_token_id,
        )

    def _end_tokens(self) -> set[int]:
        configured = self._model.generation_config.eos_token_id
        ends = configured if isinstance(configured, list) else [configured]
        return {int(end) for end in (*ends, self._tokenizer.eos_token_id) if end is not None}


def load_model(config: QwenVlJudgeConfig) -> QwenModel:
    """Load weights, tokenizer and picture processor from a folder, or from the hub's store on this machine.

    Raises:
        ModelError: it is not there, damaged, no Qwen-VL model, or does not fit the device; names the fix.
    """
    transformers.utils.logging.disable_progress_bar()
    source = config.model
    here = {"local_files_only": not config.download}
    try:
        kind = AutoConfig.from_pretrained(source, **here).model_type
        if kind not in BOX_UNITS:
            fix = f"name one of the kinds {', '.join(BOX_UNITS)}"
            raise ModelError(f"{source} is a model of the kind {kind}; {fix}")
        device = _device(config.device)
        model = AutoModelForImageTextToText.from_pretrained(
            source, dtype=_dtype(config.dtype, device), **here
        )
        tokenizer = AutoTokenizer.from_pretrained(source, **here)
        pictures = AutoImageProcessor.from_pretrained(source, **here)
        model = model.to(device).eval()
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, AssertionError) as error:
        fix = "check the folder" if Path(source).is_dir() else "fetch it first, or set download: true"
        raise ModelError(f"the model {source} cannot be loaded ({type(error).__name__}); {fix}") from error
    if not tokenizer.chat_template:
        raise ModelError(f"{source} has no chat template; take the Instruct variant of the model")
    name = Path(source).name if Path(source).is_dir() else source
    return QwenModel(name, model, tokenizer, pictures, max_picture_px=config.max_picture_px)


def _when_told(stop: threading.Event) -> Callable[..., torch.Tensor]:
    """A stopping criterion, asked after every token with all tokens so far."""

    def stopped(input_ids: torch.Tensor, *_: object, **__: object) -> torch.Tensor:
        return torch.full((input_ids.shape[0],), stop.is_set(), device=input_ids.device)

    return stopped


def _device(wanted: str) -> torch.device:
    if wanted != "auto":
        return torch.device(wanted)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def _dtype(wanted: str, device: torch.device) -> torch.dtype:
    if wanted != "auto":
        dtype: torch.dtype = getattr(torch, wanted)
        return dtype
    return {"cuda": torch.bfloat16, "mps": torch.float16}.get(device.type, torch.float32)


def _messages(rendered: Rendered) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    if rendered.system:
        messages.append({"role": "system", "content": [_text_part(rendered.system)]})
    for turn in rendered.turns:
        content = [
            {"type": "image"} if isinstance(part, SentPicture) else _text_part(part) for part in turn.parts
        ]
        messages.append({"role": turn.role, "content": content})
    return messages


def _text_part(text: str) -> dict[str, str]:
    """Text that cannot form the model's control tokens: one read in a picture would begin a new turn."""
    return {"type": "text", "text": text.replace("<|", "< |")}


def _opened(picture: SentPicture) -> Image.Image:
    return Image.open(io.BytesIO(picture.jpeg)).convert("RGB")
