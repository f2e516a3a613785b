"""Make the exported networks smaller and faster: weights and activations as bytes (int8).

    python -m models.elements.export --full --out build/elements/full ...
    python -m models.elements.quantise --weights build/elements/full --out models/elements/weights

Static quantisation in the QDQ form, weights per output channel in seven bits: with eight, processors without
VNNI add up pairs of products in 16 bits and lose the excess. The ranges of the activations come from pictures
that ``models.elements.generate`` has written. What stays in floating point is listed below.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process

from arwarden.fast.elements.crops import as_input
from models.elements.data import resized
from models.elements.export import describe, store_as_half
from models.elements.store import pictures_of, shards

METHODS = {"minmax": CalibrationMethod.MinMax, "percentile": CalibrationMethod.Percentile}
PERCENTILE = 99.99
LAST_LAYERS = {"detector": 2, "classifier": 0}
"""So many of the last convolutions stay in floating point: heat and distances of the detector."""


class Pictures(CalibrationDataReader):
    """Generated pictures, one after another, as the network takes them."""

    def __init__(self, pictures: npt.NDArray[np.uint8], batch: int) -> None:
        self._batches = iter(self._cut(pictures, batch))

    @staticmethod
    def _cut(pictures: npt.NDArray[np.uint8], batch: int) -> Iterator[dict[str, npt.NDArray[np.float32]]]:
        for start in range(0, len(pictures), batch):
            yield {"pictures": as_input(pictures[start : start + batch])}

    def get_next(self) -> dict[str, npt.NDArray[np.float32]] | None:
        """The next batch, or None after the last."""
        return next(self._batches, None)


def some_pictures(folder: Path, prefixes: tuple[str, ...], count: int) -> npt.NDArray[np.uint8]:
    """So many pictures, spread over all shards.

    Raises:
        SystemExit: there are none.
    """
    found = [shard for prefix in prefixes for shard in shards(folder, prefix)]
    if not found:
        raise SystemExit(f"{folder} has no {' or '.join(prefixes)}: run python -m models.elements.generate")
    each = -(-count // len(found))
    rng = np.random.default_rng(0)
    parts = []
    for shard in found:
        pictures = pictures_of(shard)
        parts.append(pictures[np.sort(rng.permutation(len(pictures))[:each])])
    return np.concatenate(parts)[:count]


def kept_in_float(model: onnx.ModelProto, role: str) -> list[str]:
    """Names of the nodes that are not quantised: the first convolution and the last ones."""
    convolutions = [node.name for node in model.graph.node if node.op_type == "Conv"]
    last = LAST_LAYERS[role]
    return convolutions[:1] + (convolutions[-last:] if last else [])


def quantise(source: Path, target: Path, role: str, pictures: npt.NDArray[np.uint8], method: str) -> None:
    """Write the int8 form of one network."""
    with tempfile.TemporaryDirectory() as scratch:
        prepared = Path(scratch) / "prepared.onnx"
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        options: dict[str, Any] = {"CalibMovingAverage": method == "minmax"}
        if method == "percentile":
            options = {"CalibPercentile": PERCENTILE}
        quantize_static(
            str(prepared),
            str(target),
            Pictures(pictures, 1 if role == "detector" else 16),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=["Conv", "Add"],
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=METHODS[method],
            nodes_to_exclude=kept_in_float(onnx.load(str(prepared)), role),
            extra_options=options,
        )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--weights", type=Path, required=True, help="what export --full has written")
    parser.add_argument("--data", type=Path, default=Path("build/elements/data"))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "weights")
    parser.add_argument("--method", choices=tuple(METHODS), default="minmax", help="how ranges are chosen")
    parser.add_argument("--scenes", type=int, default=200, help="0 leaves the detector in floating point")
    parser.add_argument("--crops", type=int, default=1000, help="0 leaves the classifier in floating point")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    values = json.loads((arguments.weights / "elements.json").read_text(encoding="utf-8"))
    prefixes = {"detector": ("scenes-train",), "classifier": ("crops-train", "cuts-train")}
    for role, count in (("detector", arguments.scenes), ("classifier", arguments.crops)):
        target = arguments.out / f"{role}.onnx"
        if not count:
            shutil.copyfile(arguments.weights / target.name, target)
            store_as_half(target)
            continue
        pictures = some_pictures(arguments.data, prefixes[role], count)
        if role == "classifier":
            pictures = resized(pictures, values["classifier"]["side_px"])
        quantise(arguments.weights / target.name, target, role, pictures, arguments.method)
        print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")  # noqa: T201
    describe(
        arguments.out,
        values["classifier"]["labels"],
        side=values["classifier"]["side_px"],
        temperature=values["classifier"]["temperature"],
        thresholds=values["detector"]["thresholds"],
    )


if __name__ == "__main__":
    main()
