"""The shipped file read back into the network that it was made of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytest.importorskip("safetensors")

from onnx import numpy_helper  # noqa: E402

from arwarden.fast.pairs.weights import IN_CHECKOUT, shipped_folder  # noqa: E402
from arwarden.fast.pairs.wordpieces import WordPieces  # noqa: E402
from models.pairs.data import encoded, padded  # noqa: E402
from models.pairs.description import NETWORK, VOCABULARY  # noqa: E402
from models.pairs.export import run  # noqa: E402
from models.pairs.network import PairNetwork  # noqa: E402
from models.pairs.shipped import shipped_weights  # noqa: E402
from models.pairs.vocabulary import read_vocabulary  # noqa: E402
from models.pairs.written import written_pairs  # noqa: E402

pytestmark = pytest.mark.skipif(shipped_folder() is None, reason="this checkout carries no pair network")


def test_it_answers_as_the_file_does() -> None:
    path, vocabulary = IN_CHECKOUT / NETWORK, read_vocabulary(IN_CHECKOUT / VOCABULARY)
    own = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(str(path)).graph.initializer}
    network = PairNetwork(len(vocabulary))
    network.load_state_dict(shipped_weights(path), strict=False)
    network.table.copy_(torch.from_numpy(own["table"].copy()))
    network.scales.copy_(torch.from_numpy(own["scales"].copy()))
    network.positions.data[: len(own["positions"])] = torch.from_numpy(own["positions"].copy())
    # The two segments are folded: their difference is multiplied, the first is added.
    first, step = (
        next(value for name, value in own.items() if name.startswith(start) and value.shape == (384,))
        for start in ("onnx::Add_", "onnx::Mul_")
    )
    network.segments.data = torch.from_numpy(np.stack([first, first + step]))
    pairs = written_pairs(1, kept=True)
    rows = encoded([next(pairs) for _ in range(64)], WordPieces(vocabulary))
    numbers, segments, _ = padded(rows)
    with torch.no_grad():
        ours = network(torch.from_numpy(numbers), torch.from_numpy(segments)).numpy()
    theirs = run(path, [numbers, segments])
    assert (ours.argmax(1) == theirs.argmax(1)).mean() > 0.9, "int8 inputs alone differ"
    assert np.abs(ours - theirs).mean() < 0.2


def test_a_file_of_something_else_is_named(tmp_path: Path) -> None:
    bias = numpy_helper.from_array(np.zeros(3, np.float32), "head.2.bias")
    node = onnx.helper.make_node("Add", ["x", "head.2.bias"], ["y"])
    shape = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [3]) for name in "xy"]
    graph = onnx.helper.make_graph([node], "g", shape[:1], shape[1:], [bias])
    onnx.save(onnx.helper.make_model(graph), str(tmp_path / "other.onnx"))
    with pytest.raises(ValueError, match=r"other\.onnx: no matrix for head\.2\.bias"):
        shipped_weights(tmp_path / "other.onnx")
