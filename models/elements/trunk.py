"""The shipped classifier as a PyTorch module whose last blocks can be trained further.

The first blocks stay as they are: onnxruntime computes their output. The rest works on maps of twelve by
twelve, six by six and three by three cells. There a convolution of one channel is a product with a small
dense matrix, and with tensors of shape (channels, crops, cells) a block is three matrix products: on a CPU
twice as fast as PyTorch's own convolutions (from block 8 on 0.75 instead of 1.6 s for 256 crops on two cores;
from block 5 on, with batch norms folded in, 11 instead of 26 ms a crop on one).
"""

from __future__ import annotations

import math
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from arwarden.fast.elements.crops import as_input
from models.cards.description import sha256_of
from models.elements.store import pictures_of, write_whole

CLASSIFIER: Final = Path(__file__).with_name("weights") / "classifier.onnx"
FROZEN_TO: Final = 7
"""Blocks 0 to 7 of 15 are not trained: from there on maps have six by six cells at most."""
SIDE: Final = 96
"""Pixels of a crop."""
AT_ONCE: Final = 8
"""Crops that the frozen blocks see together: their maps stay in the caches."""
LEAST_SIZE: Final = 1e-2
"""What a parameter measures at least, for its learning rate: one that is all zeros is to move as well."""
HALF: Final = ".half"
"""Ends the names of weights that are kept as fp16."""


class Graph:
    """The classifier's file, its numbers by name, and where the frozen part ends.

    Args:
        path: the file.
        frozen_to: the last block of 0..14 that is not trained.
    """

    def __init__(self, path: Path = CLASSIFIER, *, frozen_to: int = FROZEN_TO) -> None:
        self.model = onnx.load(str(path))
        self.numbers: dict[str, npt.NDArray[Any]] = {
            tensor.name: numpy_helper.to_array(tensor) for tensor in self.model.graph.initializer
        }
        self._stored = {tensor.name: tensor for tensor in self.model.graph.initializer}
        self._halves = {
            node.output[0]: node.input[0]
            for node in self.model.graph.node
            if node.op_type == "Cast" and node.input[0] in self.numbers
        }
        for name, half in self._halves.items():
            self.numbers[name] = self.numbers[half].astype(np.float32)
        self.frozen = [
            n.output[0] for n in self.model.graph.node if n.name.startswith(f"/_blocks.{frozen_to}/")
        ][-1]
        self.cells = self._look_around()

    def _look_around(self) -> int:
        """How much each padding adds is computed in the file: run it once for a crop of ``SIDE``.

        Returns:
            Cells of a map of the last frozen block, in each direction.
        """
        wanted = [node.input[1] for node in self.model.graph.node if node.op_type == "Pad"]
        session = self.session([*wanted, self.frozen])
        blank = np.zeros((1, 3, SIDE, SIDE), np.float32)
        *paddings, maps = session.run([*wanted, self.frozen], {"pictures": blank})
        self.numbers |= dict(zip(wanted, paddings, strict=True))
        return int(maps.shape[-1])

    def put(self, name: str, values: Tensor) -> None:
        """Write new values of an initializer into the file, as fp16 where it was."""
        tensor = self._stored[self._halves.get(name, name)]
        kind = numpy_helper.to_array(tensor).dtype
        tensor.CopyFrom(numpy_helper.from_array(values.detach().numpy().astype(kind), tensor.name))

    def session(self, outputs: list[str], threads: int = 1) -> Any:  # noqa: ANN401 - onnxruntime has no types
        """The classifier as far as these inner values, which are its outputs."""
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        del model.graph.output[:]
        for name in outputs:
            kind = onnx.TensorProto.INT64 if "Cast" in name else onnx.TensorProto.FLOAT
            model.graph.output.append(onnx.helper.make_tensor_value_info(name, kind, None))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        return onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )


class FrozenPart:
    """Crops to the maps of the last block that is not trained."""

    def __init__(self, graph: Graph) -> None:
        self._name = graph.frozen
        self._session = graph.session([graph.frozen])

    def maps(self, crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float16]:
        """(n, SIDE, SIDE, 3) to (n, channels, cells, cells)."""
        return self.of_inputs(as_input(crops)).astype(np.float16)

    def of_inputs(self, inputs: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The same from what the network takes, (n, 3, SIDE, SIDE)."""
        return np.concatenate(
            [
                self._session.run([self._name], {"pictures": inputs[start : start + AT_ONCE]})[0]
                for start in range(0, len(inputs), AT_ONCE)
            ]
        )


class KeptMaps:
    """The maps of the frozen part beside the shards that they are of: it sees each picture just once."""

    def __init__(self, path: Path = CLASSIFIER) -> None:
        self._path = path
        self._ending = f".map{FROZEN_TO}-{sha256_of(path)[:8]}.npy"

    def __call__(self, shard: Path) -> npt.NDArray[np.float16]:
        """Those of a shard (n, channels, cells, cells), made where they are not there yet."""
        kept = shard.with_suffix(self._ending)
        if not kept.exists():
            write_whole(kept, partial(np.save, arr=self._frozen.maps(np.asarray(pictures_of(shard)))))
        maps: npt.NDArray[np.float16] = np.load(kept)
        return maps

    @cached_property
    def _frozen(self) -> FrozenPart:
        return FrozenPart(Graph(self._path))


class TrainedPart(nn.Module):
    """The blocks after the frozen ones: maps (n, channels, cells, cells) to (n, 2 x last channels)."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.weights = nn.ParameterDict()
        self._first = graph.frozen
        self._steps: list[tuple[str, tuple[str, ...], str]] = []
        self._taps: dict[str, tuple[int, int]] = {}
        self._last = ""
        self._read(graph)

    @property
    def features(self) -> int:
        """How many there are."""
        projections = [key for key in self.weights if key.endswith(":weight")]
        return 2 * int(self.weights[projections[-1]].shape[0])

    def forward(self, maps: Tensor) -> Tensor:
        """Mean and maximum over the cells of the last block's maps."""
        values = {self._first: maps.flatten(2).transpose(0, 1).contiguous()}
        for operation, inputs, output in self._steps:
            given = values[inputs[0]]
            if operation == "Clip":
                values[output] = functional.relu6(given)
            elif operation == "Add":
                values[output] = given + values[inputs[1]]
            else:
                values[output] = self._convolved(given, output)
        last = values[self._last]
        return torch.cat([last.mean(2), last.amax(2)], 0).T

    def _convolved(self, given: Tensor, name: str) -> Tensor:
        weight, bias = self.weights[f"{_key(name)}:weight"], self.weights[f"{_key(name)}:bias"]
        if name not in self._taps:
            flat = torch.addmm(bias[:, None], weight[:, :, 0, 0], given.reshape(given.shape[0], -1))
            return flat.reshape(len(flat), given.shape[1], -1)
        dense = (weight.flatten(1) @ self.get_buffer(f"taps_{_key(name)}")).reshape(-1, *self._taps[name])
        return torch.baddbmm(bias[:, None, None], given, dense)

    def _read(self, graph: Graph) -> None:
        sides = {self._first: graph.cells}
        padded: dict[str, tuple[str, tuple[int, int]]] = {}
        for node in graph.model.graph.node:
            if node.op_type == "ReduceMean":
                self._last = node.input[0]
                return
            if node.op_type == "Constant" or not set(node.input) & (set(sides) | set(padded)):
                continue
            source, output = node.input[0], node.output[0]
            if node.op_type == "Pad":
                pads = graph.numbers[node.input[1]]
                padded[output] = (source, (int(pads[2]), int(pads[6])))
                continue
            if node.op_type == "Conv":
                source, pads = padded.get(source, (source, _pads(node)))
                sides[output] = self._add_convolution(graph, node, sides[source], pads)
            else:
                sides[output] = sides[source]
            inputs = (source, node.input[1]) if node.op_type == "Add" else (source,)
            self._steps.append((node.op_type, inputs, output))

    def _add_convolution(self, graph: Graph, node: onnx.NodeProto, side: int, pads: tuple[int, int]) -> int:
        """Returns the side of its output."""
        weight, bias = (torch.from_numpy(graph.numbers[name].astype(np.float32)) for name in node.input[1:3])
        key = _key(node.output[0])
        self.weights[f"{key}:weight"] = nn.Parameter(weight)
        self.weights[f"{key}:bias"] = nn.Parameter(bias)
        if weight.shape[1] > 1 or weight.shape[2] == 1:
            return side
        stride = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}.get("strides", [1, 1])[
            0
        ]
        taps = taps_of(int(weight.shape[2]), side, stride, pads)
        self.register_buffer(f"taps_{key}", taps.flatten(1), persistent=False)
        self._taps[node.output[0]] = (int(taps.shape[1]), int(taps.shape[2]))
        return math.isqrt(self._taps[node.output[0]][1])

    def put_into(self, graph: Graph) -> None:
        """Write the weights as they are now into the file's numbers."""
        own = {_key(node.output[0]): node for node in graph.model.graph.node if node.op_type == "Conv"}
        for name, parameter in self.weights.items():
            key, _, part = name.partition(":")
            graph.put(own[key].input[1 if part == "weight" else 2], parameter)


def rate_groups(part: TrainedPart, share: float) -> list[dict[str, Any]]:
    """For an optimiser: each parameter with the highest step that it takes, ``full_lr``.

    ``share`` is that of what the parameter's numbers measure (root mean square). With batch norms folded
    in, layers differ sixtyfold in size, and no one rate fits all: 3e-4 is 2 % of some.
    """
    return [
        {"params": [one], "full_lr": share * max(LEAST_SIZE, float(one.detach().pow(2).mean().sqrt()))}
        for one in part.parameters()
    ]


def taps_of(kernel: int, side: int, stride: int, pads: tuple[int, int]) -> Tensor:
    """(kernel * kernel, cells, cells of the output): 1 where a tap carries a cell to one of the output."""
    out = (side + sum(pads) - kernel) // stride + 1
    taps = torch.zeros(kernel * kernel, side * side, out * out)
    for place in range(out * out):
        for tap in range(kernel * kernel):
            row = place // out * stride + tap // kernel - pads[0]
            column = place % out * stride + tap % kernel - pads[0]
            if 0 <= row < side and 0 <= column < side:
                taps[tap, row * side + column, place] = 1
    return taps


def _pads(node: onnx.NodeProto) -> tuple[int, int]:
    pads = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}.get("pads", [0, 0, 0, 0])
    return int(pads[0]), int(pads[2])


def _key(output: str) -> str:
    """A name that PyTorch takes."""
    return output.removeprefix("/").replace("/", "-").replace(".", "-")
