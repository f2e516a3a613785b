"""The shipped network's weights as PyTorch has them, to train on from where they are.

The file keeps matrices as int8 with a scale per column, in the order of the graph and under names of the
exporter's own. Which matrix is which follows from the bias that is added to its product.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper

QUANTISED = "_quantized"
_INNER_NODES = {"Mul", "Cast"}
"""Between a product in whole numbers and its bias."""


def shipped_weights(path: Path) -> dict[str, torch.Tensor]:
    """Layers and head of a file that ``models.pairs.export`` wrote; word table and positions are the base's.

    Raises:
        ValueError: it is no such file; names the first bias without a matrix.
    """
    graph = onnx.load(str(path)).graph
    numbers = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    makers = {output: node for node in graph.node for output in node.output}
    norms = {name for name in numbers if name.endswith(("norm.weight", "norm.bias"))}
    biases = {name for name in numbers if name.endswith(".bias")} - norms
    found: dict[str, Any] = {name: numbers[name] for name in norms | biases}
    for node in graph.node:
        for name in biases & set(node.input):
            matrix = _matrix(node, makers, numbers)
            if matrix is not None:
                found[name.removesuffix("bias") + "weight"] = matrix.T
    for name in sorted(biases):
        if name.removesuffix("bias") + "weight" not in found:
            msg = f"{path}: no matrix for {name}; it was not written by models.pairs.export"
            raise ValueError(msg)
    return {name: torch.from_numpy(np.array(value, np.float32)) for name, value in found.items()}


def _matrix(node: onnx.NodeProto, makers: dict[str, onnx.NodeProto], numbers: dict[str, Any]) -> Any:  # noqa: ANN401
    """(inputs, outputs), back in real numbers; None where no product leads to this node."""
    waiting = list(node.input)
    while waiting:
        maker = makers.get(waiting.pop())
        if maker is None:
            continue
        if maker.op_type == "MatMulInteger":
            name = maker.input[1].removesuffix(QUANTISED)
            whole = numbers[name + QUANTISED].astype(np.float32) - numbers[f"{name}_zero_point"]
            return whole * numbers[f"{name}_scale"]
        if maker.op_type in _INNER_NODES:
            waiting += maker.input
    return None
