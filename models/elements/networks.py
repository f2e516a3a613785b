"""The two networks: a detector without anchors, and a classifier of crops, on the same kind of trunk."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from arwarden.fast.elements.decode import STRIDE, TYPES
from models.elements.backbone import CHANNELS, LAST_BLOCK, STRIDE_8_BLOCK, STRIDE_16_BLOCK, Backbone

WIDTH = 64
"""Channels of the detector's neck and head."""
PRIOR = 0.02
"""Share of cells that the untrained detector calls an element (Lin et al. 2017, focal loss, section 4.1)."""
REACH_PX = 32.0
"""What the untrained detector takes for the distance from a centre to each edge."""


class Detector(nn.Module):
    """Heat and box per type on a grid of stride 8: CenterNet's idea with TTFNet's wide targets.

    Pictures of any size that 32 divides. ``forward`` gives heat logits ``(n, types, rows, columns)`` and
    distances to left, top, right, bottom ``(n, types, 4, rows, columns)`` in network pixels.
    """

    def __init__(self, frozen_to: int = STRIDE_16_BLOCK) -> None:
        super().__init__()
        self.backbone = Backbone(frozen_to)
        self.lateral = nn.ModuleList(
            nn.Conv2d(CHANNELS[block], WIDTH, 1) for block in (STRIDE_8_BLOCK, STRIDE_16_BLOCK, LAST_BLOCK)
        )
        self.mix16 = _mixed()
        self.mix8 = _mixed()
        self.head = _mixed()
        self.heat = nn.Conv2d(WIDTH, len(TYPES), 1)
        self.reach = nn.Conv2d(WIDTH, 4 * len(TYPES), 1)
        nn.init.constant_(_bias(self.heat), float(torch.logit(torch.tensor(PRIOR))))
        nn.init.normal_(self.heat.weight, std=0.01)
        nn.init.normal_(self.reach.weight, std=0.01)
        nn.init.constant_(_bias(self.reach), float(torch.log(torch.tensor(REACH_PX / STRIDE))))

    def maps(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """What the trunk sees at strides 8 and 16: the part that can be computed once and kept."""
        at8 = self.backbone.run(self.backbone.stem(pictures), 0, STRIDE_8_BLOCK)
        return at8, self.backbone.run(at8, STRIDE_8_BLOCK + 1, STRIDE_16_BLOCK)

    def kept(self, pictures: Tensor) -> tuple[Tensor, ...]:
        """The maps that stay the same while the frozen blocks do: at strides 8 and 16, at 8, or none."""
        if self.backbone.frozen_to >= STRIDE_16_BLOCK:
            return self.maps(pictures)
        if self.backbone.frozen_to >= STRIDE_8_BLOCK:
            return (self.backbone.run(self.backbone.stem(pictures), 0, STRIDE_8_BLOCK),)
        return ()

    def from_kept(self, *maps: Tensor) -> tuple[Tensor, Tensor]:
        """The rest of the network, from the outputs of ``kept``."""
        if len(maps) == 1:
            return self.from_maps(maps[0], self.backbone.run(maps[0], STRIDE_8_BLOCK + 1, STRIDE_16_BLOCK))
        return self.from_maps(*maps)

    def from_maps(self, at8: Tensor, at16: Tensor) -> tuple[Tensor, Tensor]:
        """The rest of the network, from the outputs of ``maps``."""
        at32 = self.backbone.run(at16, STRIDE_16_BLOCK + 1, LAST_BLOCK)
        neck = self.mix16(self.lateral[1](at16) + _doubled(self.lateral[2](at32)))
        neck = self.mix8(self.lateral[0](at8) + _doubled(neck))
        neck = self.head(neck)
        reach = torch.exp(self.reach(neck).clamp(-4.0, 6.0)) * STRIDE
        n, _, rows, columns = reach.shape
        return self.heat(neck), reach.reshape(n, len(TYPES), 4, rows, columns)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Pictures (n, 3, height, width) to heat logits and distances."""
        return self.from_maps(*self.maps(pictures))


class Classifier(nn.Module):
    """A label and a direction for each crop. Crops of any size that 32 divides."""

    def __init__(self, labels: int, frozen_to: int = STRIDE_16_BLOCK) -> None:
        super().__init__()
        self.backbone = Backbone(frozen_to)
        features = 2 * CHANNELS[LAST_BLOCK]
        # The trunk's features have very different spreads; without this norm a linear head diverges.
        self.norm = nn.BatchNorm1d(features)
        self.drop = nn.Dropout(0.2)
        self.label = nn.Linear(features, labels)
        self.direction = nn.Linear(features, 2)

    def maps(self, crops: Tensor, block: int) -> Tensor:
        """The output of a block: what can be computed once and kept while the blocks up to it are frozen."""
        return self.backbone.run(self.backbone.stem(crops), 0, block)

    def from_maps(self, maps: Tensor, block: int) -> tuple[Tensor, Tensor]:
        """The rest of the network, from the output of a block."""
        last = self.backbone.run(maps, block + 1, LAST_BLOCK)
        features = self.norm(torch.cat([last.mean(dim=(2, 3)), last.amax(dim=(2, 3))], dim=1))
        return self.label(self.drop(features)), self.direction(features)

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        """Crops (n, 3, side, side) to logits (n, labels) and directions (n, 2) as cosine and sine."""
        return self.from_maps(self.maps(crops, STRIDE_16_BLOCK), STRIDE_16_BLOCK)


class DetectorForExport(nn.Module):
    """The detector with scores instead of logits, and only local maxima left of them."""

    def __init__(self, detector: Detector) -> None:
        super().__init__()
        self.detector = detector

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Pictures to ``peaks`` and ``ltrb`` as ``arwarden.fast.elements.decode`` takes them."""
        heat, reach = self.detector(pictures)
        scores = torch.sigmoid(heat)
        highest = functional.max_pool2d(scores, 3, stride=1, padding=1)
        return scores * (scores == highest).to(scores.dtype), reach


def _mixed() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=False), nn.BatchNorm2d(WIDTH), nn.ReLU(inplace=True)
    )


def _doubled(x: Tensor) -> Tensor:
    return functional.interpolate(x, scale_factor=2.0, mode="nearest")


def _bias(layer: nn.Conv2d) -> Tensor:
    if layer.bias is None:
        msg = "the outputs need a bias"
        raise ValueError(msg)
    return layer.bias
