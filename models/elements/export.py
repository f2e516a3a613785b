"""Write trained networks as ONNX, check that they answer as before, and say what they are.

    python -m models.elements.export --detector build/elements/detector --classifier build/elements/classifier

Written into ``--out``: ``detector.onnx``, ``classifier.onnx`` (both take any size that 32 divides),
``elements.json`` (labels, input sizes, thresholds, temperature, sha256 of both) and ``SHA256SUMS``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import torch
from torch import nn

from arwarden.fast.elements.decode import TYPES
from models.assets.library import read_classes
from models.cards.description import write_description
from models.elements.labels import read_labels
from models.elements.networks import Classifier, Detector, DetectorForExport

OPSET = 17
FLOAT_TOLERANCE = 1e-3
"""fp32: rounding alone. The networks' outputs are of the order of 1 (scores, logits) to 100 (pixels)."""
HALF_TOLERANCE = 1e-2
"""Weights kept as fp16."""
LEAST_IN_COMMON = 0.5
DETECTOR_PX = (640, 384)
THRESHOLDS = dict.fromkeys(TYPES, 0.35)


def averaged(folder: Path) -> dict[str, Any]:
    """The averaged weights of a run.

    Raises:
        SystemExit: the folder holds no checkpoint.
    """
    path = folder / "checkpoint.pt"
    if not path.exists():
        raise SystemExit(f"{path} is not there: train first (python -m models.elements.train)")
    stored: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)["average"]
    return stored


def export(
    model: nn.Module,
    path: Path,
    example: torch.Tensor,
    outputs: Sequence[str],
    *,
    input_name: str,
    half: bool,
) -> float:
    """Write one network; returns the relative difference to PyTorch on a random picture.

    Raises:
        SystemExit: the difference is too large: the file is wrong.
    """
    model.eval()
    axes = {input_name: {0: "n", 2: "height", 3: "width"}} | {name: {0: "n"} for name in outputs}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the exporter's own parts; the comparison below is what counts
        torch.onnx.export(
            model,
            (example,),
            str(path),
            input_names=[input_name],
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    with torch.no_grad():
        wanted = [part.numpy() for part in model(example)]
    off = difference(path, wanted, input_name, example.numpy())
    if off > FLOAT_TOLERANCE:
        raise SystemExit(
            f"{path} differs from PyTorch by {off:.2g}, more than {FLOAT_TOLERANCE}: do not use it"
        )
    if half:
        store_as_half(path)
        off = difference(path, wanted, input_name, example.numpy())
        if off > HALF_TOLERANCE:
            raise SystemExit(f"{path} changes by {off:.2g} as fp16, more than {HALF_TOLERANCE}: use --full")
    return off


def difference(
    path: Path, wanted: Sequence[npt.NDArray[Any]], input_name: str, example: npt.NDArray[Any]
) -> float:
    """The relative difference of a file's outputs to the wanted ones; infinite where little is in common.

    Only what neither calls zero is compared: where two neighbours score alike, the peak may move from
    one to the other.
    """
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    offs = []
    for a, b in zip(wanted, session.run(None, {input_name: example}), strict=True):
        both = (a != 0) & (b != 0)
        if both.sum() < LEAST_IN_COMMON * (a != 0).sum():
            return float("inf")
        offs.append(float(np.quantile(np.abs(a - b)[both], 0.999)) / max(1.0, float(np.abs(a).max())))
    return max(offs)


def store_as_half(path: Path) -> None:
    """Keep the weights of a file as fp16 and compute in fp32: half the size, the same speed once loaded."""
    model = onnx.load(str(path))
    casts = []
    for tensor in list(model.graph.initializer):
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < 256:
            continue
        model.graph.initializer.remove(tensor)
        name = f"{tensor.name}.half"
        model.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float16), name))
        casts.append(onnx.helper.make_node("Cast", [name], [tensor.name], to=onnx.TensorProto.FLOAT))
    for node in reversed(casts):
        model.graph.node.insert(0, node)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def same_labels(labels: Sequence[str]) -> dict[str, str]:
    """The labels that count as another one of them."""
    classes = read_classes()
    pairs = {name: classes[name].same_as for name in labels if name in classes and classes[name].same_as}
    return {name: other for name, other in pairs.items() if other in labels}


def describe(
    out: Path, labels: Sequence[str], *, side: int, temperature: float, thresholds: dict[str, float]
) -> None:
    """Write ``elements.json`` and ``SHA256SUMS``."""
    values = {
        "format": 1,
        "detector": {
            "file": "detector.onnx",
            "input_px": list(DETECTOR_PX),
            "types": list(TYPES),
            "thresholds": thresholds,
        },
        "classifier": {
            "file": "classifier.onnx",
            "side_px": side,
            "temperature": temperature,
            "same": same_labels(labels),
            "labels": list(labels),
        },
    }
    write_description(out, "elements.json", values, sorted(path.name for path in out.glob("*.onnx")))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--detector", type=Path, required=True, help="folder of the training run")
    parser.add_argument("--classifier", type=Path, required=True, help="folder of the training run")
    parser.add_argument("--out", type=Path, default=Path("models/elements/weights"))
    parser.add_argument("--side", type=int, default=96, help="pixels of the classifier's crops")
    parser.add_argument("--full", action="store_true", help="weights as fp32 instead of fp16: twice the size")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    detector = Detector()
    detector.load_state_dict(averaged(arguments.detector))
    labels = read_labels(arguments.classifier / "labels.json").names
    classifier = Classifier(len(labels))
    classifier.load_state_dict(averaged(arguments.classifier))
    width, height = DETECTOR_PX
    half = not arguments.full
    networks: tuple[tuple[nn.Module, str, torch.Tensor, tuple[str, ...]], ...] = (
        (DetectorForExport(detector), "detector", torch.rand(1, 3, height, width) * 2 - 1, ("peaks", "ltrb")),
        (
            classifier,
            "classifier",
            torch.rand(2, 3, arguments.side, arguments.side) * 2 - 1,
            ("logits", "directions"),
        ),
    )
    for model, name, example, outputs in networks:
        path = arguments.out / f"{name}.onnx"
        off = export(model, path, example, outputs, input_name="pictures", half=half)
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, differs from PyTorch by {off:.1e}")  # noqa: T201
    describe(arguments.out, labels, side=arguments.side, temperature=1.0, thresholds=THRESHOLDS)


if __name__ == "__main__":
    main()
