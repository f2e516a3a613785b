"""What the networks are trained to make small."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from arwarden.fast.elements.decode import STRIDE

BOX_WEIGHT = 5.0
DIRECTION_WEIGHT = 1.0


def heat_loss(logits: Tensor, heat: Tensor, counts: Tensor) -> Tensor:
    """Focal loss, softer around centres, per element (Law & Deng 2018, "CornerNet", section 3.2).

    All of shape (n, types, rows, columns).
    """
    logits = logits.float()
    shares = torch.sigmoid(logits)
    centre = (heat > 0.999).float()
    found = functional.logsigmoid(logits) * (1 - shares) ** 2 * centre
    quiet = functional.logsigmoid(-logits) * shares**2 * (1 - heat) ** 4 * (1 - centre)
    return -((found + quiet) * counts).sum() / centre.sum().clamp(min=1)


def box_loss(reach: Tensor, boxes: Tensor, weights: Tensor) -> Tensor:
    """Generalised IoU (Rezatofighi et al. 2019), weighted over the cells of each element.

    Args:
        reach: (n, types, 4, rows, columns), distances in network pixels.
        boxes: (n, types, 4, rows, columns), x0, y0, x1, y1 in network pixels.
        weights: (n, types, rows, columns).
    """
    used = weights > 0
    if not bool(used.any()):
        return reach.sum() * 0
    x, y = cell_centres(reach)
    left, top, right, bottom = (part[used] for part in reach.float().unbind(2))
    x, y = x.expand_as(weights)[used], y.expand_as(weights)[used]
    x0, y0, x1, y1 = (part[used] for part in boxes.unbind(2))
    found = (x - left, y - top, x + right, y + bottom)
    width = (torch.minimum(found[2], x1) - torch.maximum(found[0], x0)).clamp(min=0)
    height = (torch.minimum(found[3], y1) - torch.maximum(found[1], y0)).clamp(min=0)
    inside = width * height
    union = (left + right) * (top + bottom) + (x1 - x0) * (y1 - y0) - inside
    around = (torch.maximum(found[2], x1) - torch.minimum(found[0], x0)) * (
        torch.maximum(found[3], y1) - torch.minimum(found[1], y0)
    )
    giou = inside / union.clamp(min=1) - (around - union) / around.clamp(min=1)
    weight = weights[used]
    return ((1 - giou) * weight).sum() / weight.sum()


def cell_centres(reach: Tensor) -> tuple[Tensor, Tensor]:
    """X as (1, columns) and y as (rows, 1) of the middles of the cells, in network pixels."""
    rows, columns = reach.shape[-2:]
    x = (torch.arange(columns, device=reach.device, dtype=torch.float32) + 0.5) * STRIDE
    y = (torch.arange(rows, device=reach.device, dtype=torch.float32) + 0.5) * STRIDE
    return x[None, :], y[:, None]


def label_loss(logits: Tensor, labels: Tensor, smoothing: float = 0.05) -> Tensor:
    """Cross-entropy with softened labels."""
    return functional.cross_entropy(logits.float(), labels, label_smoothing=smoothing)


def direction_loss(found: Tensor, degrees: Tensor) -> Tensor:
    """Squared distance to the unit vector, over the crops whose direction is known (``degrees`` not NaN)."""
    known = ~torch.isnan(degrees)
    if not bool(known.any()):
        return found.sum() * 0
    angle = torch.deg2rad(degrees[known])
    wanted = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)
    return ((found[known].float() - wanted) ** 2).sum(dim=1).mean()
