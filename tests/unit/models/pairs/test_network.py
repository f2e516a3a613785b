"""The network itself: only where torch is installed."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from arwarden.fast.pairs.weights import LABELS  # noqa: E402
from models.pairs.network import PairNetwork  # noqa: E402


def network() -> PairNetwork:
    torch.manual_seed(1)
    made = PairNetwork(20)
    made.table.random_(-100, 100)
    made.scales.fill_(0.01)
    made.eval()
    return made


def test_padding_changes_nothing() -> None:
    model = network()
    numbers, segments = torch.tensor([[1, 5, 2, 6, 2]]), torch.tensor([[0, 0, 0, 1, 1]])
    longer = torch.nn.functional.pad
    with torch.no_grad():
        short, padded = model(numbers, segments), model(longer(numbers, (0, 4)), longer(segments, (0, 4)))
    assert short.shape == (1, len(LABELS))
    assert torch.allclose(short, padded, atol=1e-4)


def test_segments_matter_once_the_network_tells_them_apart() -> None:
    model = network()
    numbers = torch.tensor([[1, 5, 2, 6, 2]])
    with torch.no_grad():
        one, other = (model(numbers, torch.tensor([row])) for row in ([0, 0, 0, 1, 1], [0, 0, 0, 0, 1]))
    assert not torch.allclose(one, other)


def test_frozen_parts_do_not_learn() -> None:
    model = network()
    model.freeze(2)
    model(torch.tensor([[1, 5, 2]]), torch.tensor([[0, 0, 1]])).sum().backward()
    learning = {name for name, part in model.named_parameters() if part.grad is not None}
    assert any(name.startswith("layers.2.") for name in learning)
    assert not any(name.startswith(("layers.0.", "layers.1.", "norm.", "positions")) for name in learning)
