"""The networks themselves: only where torch is installed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from arwarden.fast.elements.decode import TYPES, decode, iou, letterbox  # noqa: E402
from models.elements.backbone import CHANNELS, LAST_BLOCK, STRIDE_16_BLOCK, Backbone, load_pretrained  # noqa: E402
from models.elements.losses import box_loss, direction_loss, heat_loss, label_loss  # noqa: E402
from models.elements.networks import Classifier, Detector  # noqa: E402
from models.elements.targets import Wanted, targets  # noqa: E402

NET = (128, 96)


def test_detector_answers_on_its_grid_for_any_size() -> None:
    detector = Detector().eval()
    for height, width in ((96, 128), (64, 160)):
        heat, reach = detector(torch.zeros(1, 3, height, width))
        assert heat.shape == (1, len(TYPES), height // 8, width // 8)
        assert reach.shape == (1, len(TYPES), 4, height // 8, width // 8)
        assert float(reach.detach().min()) > 0


def test_untrained_detector_is_quiet() -> None:
    heat, _ = Detector().eval()(torch.rand(1, 3, 96, 128))
    assert float(torch.sigmoid(heat.detach()).max()) < 0.1


def test_maps_and_the_rest_are_the_whole() -> None:
    torch.manual_seed(1)
    detector, classifier = Detector().eval(), Classifier(7).eval()
    pictures = torch.rand(2, 3, 64, 64)
    for one, two in zip(detector(pictures), detector.from_maps(*detector.maps(pictures)), strict=True):
        assert torch.equal(one, two)
    for block in (4, 10):
        cut = classifier.from_maps(classifier.maps(pictures, block), block)
        for one, two in zip(classifier(pictures), cut, strict=True):
            assert torch.allclose(one, two, atol=1e-5)


def test_frozen_blocks_neither_learn_nor_count() -> None:
    backbone = Backbone(STRIDE_16_BLOCK).train()
    before = backbone.fingerprint()
    out = backbone.run(backbone.stem(torch.rand(2, 3, 64, 64)), 0, LAST_BLOCK)
    assert out.shape[1] == CHANNELS[LAST_BLOCK]
    out.sum().backward()
    learning = [name for name, value in backbone.named_parameters() if value.grad is not None]
    assert learning
    assert all(int(name.split(".")[1]) > STRIDE_16_BLOCK for name in learning)
    assert backbone.fingerprint() == before


def test_unfrozen_trunk_learns_from_the_stem_on() -> None:
    backbone = Backbone(STRIDE_16_BLOCK)
    backbone.freeze(-1)
    assert all(value.requires_grad for value in backbone.parameters())


def test_missing_weights_are_named(tmp_path: Path) -> None:
    torch.save({}, tmp_path / "empty.pth")
    with pytest.raises(ValueError, match="lacks"):
        load_pretrained(Backbone(), tmp_path / "empty.pth")


def _grids(elements: list[Wanted]) -> tuple[Any, ...]:
    made = targets(elements, NET)
    return tuple(torch.from_numpy(part)[None] for part in (made.heat, made.counts, made.boxes, made.weights))


def test_right_answer_costs_least() -> None:
    heat, counts, boxes, weights = _grids([Wanted(1, (32, 32, 96, 64))])
    right = torch.where(heat > 0.999, 8.0, -8.0)
    assert float(heat_loss(right, heat, counts)) < 0.01
    assert float(heat_loss(-right, heat, counts)) > 1
    reach = torch.ones(1, len(TYPES), 4, 12, 16) * 5
    assert float(box_loss(reach, boxes, weights)) > 0.5
    x = (torch.arange(16) + 0.5) * 8
    y = ((torch.arange(12) + 0.5) * 8)[:, None]
    exact = torch.stack(
        [(x - 32).expand(12, 16), (y - 32).expand(12, 16), (96 - x).expand(12, 16), (64 - y).expand(12, 16)]
    )
    assert float(box_loss(exact[None, None].expand_as(reach).clone(), boxes, weights)) == pytest.approx(
        0, abs=1e-5
    )


def test_heat_does_not_count_where_ignored() -> None:
    heat, counts, _, _ = _grids([Wanted(0, (0, 0, 128, 96), ignored=True)])
    loud = torch.full_like(heat, -9.0)
    loud[0, 0] = 9.0
    assert float(heat_loss(loud, heat, counts)) < 0.01


def test_picture_without_elements_trains_too() -> None:
    heat, counts, boxes, weights = _grids([])
    reach = torch.ones(1, len(TYPES), 4, 12, 16, requires_grad=True)
    loss = heat_loss(torch.zeros_like(heat), heat, counts) + box_loss(reach, boxes, weights)
    loss.backward()
    assert float(loss.detach()) > 0


def test_direction_is_learnt_where_known() -> None:
    found = torch.tensor([[0.0, 1.0], [5.0, 5.0]])
    assert float(direction_loss(found, torch.tensor([90.0, float("nan")]))) == pytest.approx(0, abs=1e-9)
    assert float(direction_loss(found, torch.full((2,), float("nan")))) == 0


def test_label_loss_prefers_the_label() -> None:
    logits = torch.tensor([[5.0, 0.0]])
    assert float(label_loss(logits, torch.tensor([0]))) < float(label_loss(logits, torch.tensor([1])))


def test_rectangles_are_learnt() -> None:
    """The whole chain from targets to decoded boxes, on made-up maps of the trunk."""
    torch.manual_seed(3)
    rng = np.random.default_rng(3)
    detector = Detector(frozen_to=LAST_BLOCK)
    optimiser = torch.optim.AdamW([p for p in detector.parameters() if p.requires_grad], lr=4e-3)
    for _ in range(120):
        maps, grids = zip(*(_rectangle(rng) for _ in range(4)), strict=True)
        heat, reach = detector.from_maps(torch.stack(maps), torch.zeros(4, 112, 6, 8))
        wanted = [torch.cat(parts) for parts in zip(*grids, strict=True)]
        loss = heat_loss(heat, wanted[0], wanted[1]) + 5 * box_loss(reach, wanted[2], wanted[3])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    box = (40.0, 24.0, 80.0, 64.0)
    shown, _ = _rectangle(rng, box)
    with torch.no_grad():
        heat, reach = detector.eval().from_maps(shown[None], torch.zeros(1, 112, 6, 8))
    found = decode(
        torch.sigmoid(heat)[0].numpy(),
        reach[0].numpy(),
        place=letterbox(NET, NET),
        frame_size=NET,
        thresholds=(0.15,) * len(TYPES),
    )
    assert found.types[0] == 0
    assert iou(found.boxes_px[:1], np.array([box], np.float32))[0, 0] > 0.5


def _rectangle(
    rng: np.random.Generator, box: tuple[float, float, float, float] | None = None
) -> tuple[Any, tuple[Any, ...]]:
    if box is None:
        x, y = (float(value) for value in rng.integers(1, 6, 2) * 8)
        width, height = (float(value) for value in rng.integers(3, 6, 2) * 8)
        box = (x, y, x + width, y + height)
    at8 = torch.from_numpy(rng.normal(0, 0.05, (40, 12, 16)).astype(np.float32))
    at8[:8, int(box[1]) // 8 : int(box[3]) // 8, int(box[0]) // 8 : int(box[2]) // 8] += 2
    return at8, _grids([Wanted(0, box)])
