"""The pair network: a six-layer BERT encoder that reads both statements at once, and a head over them.

The encoder is Devlin et al. 2019 (section 3, post-layer-norm, learned positions) in the size of MiniLM
(Wang et al. 2020): 384 wide, 12 heads, six layers. Weights of the word table are kept as int8 with one
scale per word: they are never trained, and are three quarters of the file otherwise.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional

WIDTH = 384
HEADS = 12
INNER = 1536
LAYERS = 6
POSITIONS = 512
_EPSILON = 1e-12
_HEAD_WIDTH = 256
_NO_ATTENTION = -1e4


class Layer(nn.Module):
    """One encoder layer: self-attention, then two dense steps, each added and normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.attended_norm = nn.LayerNorm(WIDTH, _EPSILON)
        self.inner = nn.Linear(WIDTH, INNER)
        self.outer = nn.Linear(INNER, WIDTH)
        self.outer_norm = nn.LayerNorm(WIDTH, _EPSILON)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """``x`` (n, length, width); ``bias`` (n, 1, 1, length), very negative at padding."""
        n, length, _ = x.shape
        query, key, value = (
            part(x).view(n, length, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        weights = query @ key.transpose(2, 3) * (WIDTH // HEADS) ** -0.5 + bias
        context = (weights.softmax(-1) @ value).transpose(1, 2).reshape(n, length, WIDTH)
        x = self.attended_norm(x + self.attended(context))
        return self.outer_norm(x + self.outer(functional.gelu(self.inner(x))))


class PairNetwork(nn.Module):
    """Numbers of "[CLS] a [SEP] b [SEP]" in, three logits out, in the order of the daemon's ``LABELS``."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.register_buffer("table", torch.zeros(words, WIDTH, dtype=torch.int8))
        self.register_buffer("scales", torch.zeros(words, 1))
        self.positions = nn.Parameter(torch.zeros(POSITIONS, WIDTH))
        self.segments = nn.Parameter(torch.zeros(2, WIDTH))
        self.norm = nn.LayerNorm(WIDTH, _EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        # No dropout anywhere: every pair is seen once or twice, there is nothing to overfit.
        self.head = nn.Sequential(nn.Linear(5 * WIDTH, _HEAD_WIDTH), nn.GELU(), nn.Linear(_HEAD_WIDTH, 3))

    def forward(self, tokens: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        """``tokens`` (n, length), 0 is padding; ``segments`` 0 for the first statement, 1 for the second."""
        there = (tokens != 0).float()
        words = self.table[tokens].float() * self.scales[tokens]
        second = segments.float() * there
        first = there - second
        kind = self.segments[0] + segments.float().unsqueeze(-1) * (self.segments[1] - self.segments[0])
        x = self.norm(words + self.positions[: tokens.shape[1]] + kind)
        bias = ((1.0 - there) * _NO_ATTENTION)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias)
        a, b = _mean(x, first), _mean(x, second)
        return self.head(torch.cat((x[:, 0], a, b, (a - b).abs(), a * b), dim=1))

    def freeze(self, layers: int) -> None:
        """Keep the word table, positions and the lowest layers as they are."""
        for part in (self.norm, *self.layers[:layers]):
            part.requires_grad_(requires_grad=False)
        self.positions.requires_grad_(requires_grad=False)
        self.segments.requires_grad_(requires_grad=False)


def _mean(x: torch.Tensor, of: torch.Tensor) -> torch.Tensor:
    return (x * of.unsqueeze(-1)).sum(1) / of.sum(1, keepdim=True).clamp(min=1.0)


def pretrained(path: Path, kept: np.ndarray) -> PairNetwork:
    """The network with the encoder of a BERT file (``model.safetensors``) of this size; the head is new.

    ``kept``: the rows of the file's word table that make the new one, in order.
    """
    stored = load_file(str(path))
    network = PairNetwork(len(kept))
    table = stored["embeddings.word_embeddings.weight"][torch.from_numpy(kept)]
    scales = table.abs().amax(1, keepdim=True) / 127.0
    own = {
        "table": (table / scales.clamp(min=1e-9)).round().to(torch.int8),
        "scales": scales,
        "positions": stored["embeddings.position_embeddings.weight"],
        "segments": stored["embeddings.token_type_embeddings.weight"],
        "norm.weight": stored["embeddings.LayerNorm.weight"],
        "norm.bias": stored["embeddings.LayerNorm.bias"],
    }
    names = {
        "attention.self.query": "query",
        "attention.self.key": "key",
        "attention.self.value": "value",
        "attention.output.dense": "attended",
        "attention.output.LayerNorm": "attended_norm",
        "intermediate.dense": "inner",
        "output.dense": "outer",
        "output.LayerNorm": "outer_norm",
    }
    for layer in range(LAYERS):
        for theirs, ours in names.items():
            for part in ("weight", "bias"):
                own[f"layers.{layer}.{ours}.{part}"] = stored[f"encoder.layer.{layer}.{theirs}.{part}"]
    missing, unexpected = network.load_state_dict(own, strict=False)
    if unexpected or any(not name.startswith("head.") for name in missing):
        msg = f"{path} is no MiniLM encoder: missing {missing}, unexpected {unexpected}"
        raise ValueError(msg)
    return network
