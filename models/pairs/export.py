"""Write the trained network as ONNX with int8 weights, check that it answers as before, and say what it is.

    python -m models.pairs.export --run build/pairs/run --data build/pairs

Written into ``--out``: ``pairs.onnx``, ``vocabulary.txt``, ``pairs.json`` (labels, temperature, offset,
sha256) and ``SHA256SUMS``. Temperature and offset are chosen by ``models.pairs.evaluate --calibrate``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process

from arwarden.fast.pairs.wordpieces import MAX_PIECES, WordPieces
from models.pairs.compose import Pair
from models.pairs.data import encoded, padded, read_pairs
from models.pairs.description import NETWORK, VOCABULARY, describe
from models.pairs.network import PairNetwork
from models.pairs.train import CHECKPOINT

OPSET = 17
LONGEST = 2 * MAX_PIECES + 3
FLOAT_TOLERANCE = 1e-3
"""fp32 against PyTorch: rounding alone."""
LEAST_AGREEMENT = 0.94
"""Share of pairs to which int8 and fp32 give the same relation; less is a fault of the file."""


def trained(folders: Sequence[Path]) -> tuple[PairNetwork, list[str]]:
    """The averaged network of a run and its vocabulary; of several runs from one start, the mean.

    Runs that began alike and saw other pairs end so near each other that their mean is better than each
    (Wortsman et al. 2022, "Model soups").

    Raises:
        SystemExit: a folder holds no checkpoint, or one with another vocabulary.
    """
    runs = []
    for folder in folders:
        path = folder / CHECKPOINT
        if not path.exists():
            raise SystemExit(f"{path} is not there: train first (python -m models.pairs.train)")
        runs.append(torch.load(path, map_location="cpu", weights_only=True))
    vocabulary: list[str] = runs[0]["vocabulary"]
    for folder, one in zip(folders, runs, strict=True):
        if one["vocabulary"] != vocabulary:
            raise SystemExit(f"{folder} has another vocabulary than {folders[0]}: train both on one --data")
    network = PairNetwork(len(vocabulary))
    network.load_state_dict(
        {
            # What is stored in integers, the word table, is never trained: it is the same in all.
            name: torch.stack([one["average"][name] for one in runs]).mean(0)
            if part.is_floating_point()
            else part
            for name, part in runs[0]["average"].items()
        }
    )
    # No pair is longer: the other positions would only make the file larger.
    network.positions = torch.nn.Parameter(network.positions[:LONGEST].clone())
    return network.eval(), vocabulary


def write_float(network: PairNetwork, path: Path, example: tuple[torch.Tensor, torch.Tensor]) -> float:
    """Write fp32; returns the largest difference of a logit to PyTorch's."""
    axes = {"numbers": {0: "n", 1: "length"}, "segments": {0: "n", 1: "length"}, "logits": {0: "n"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the exporter's own parts; the comparison below is what counts
        torch.onnx.export(
            network,
            example,
            str(path),
            input_names=["numbers", "segments"],
            output_names=["logits"],
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    with torch.no_grad():
        wanted = network(*example).numpy()
    return float(np.abs(run(path, [part.numpy() for part in example]) - wanted).max())


def run(path: Path, inputs: Sequence[np.ndarray]) -> np.ndarray:
    """The logits of a file for numbers and segments."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    feeds = dict(zip(("numbers", "segments"), inputs, strict=True))
    return np.asarray(session.run(None, feeds)[0])


def write_int8(source: Path, path: Path) -> None:
    """Matrices as int8 per column; 7 bits are used, as CPUs without VNNI overflow with 8."""
    with TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        quantize_dynamic(
            str(prepared),
            str(path),
            op_types_to_quantize=["MatMul", "Gemm"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )


def agreement(source: Path, path: Path, pairs: Sequence[Pair], pieces: WordPieces) -> float:
    """Share of pairs to which both files give the same relation."""
    rows = sorted(encoded(pairs, pieces), key=lambda row: len(row.numbers))
    same = 0
    for start in range(0, len(rows), 32):
        batch = padded(rows[start : start + 32])[:2]
        same += int((run(source, batch).argmax(1) == run(path, batch).argmax(1)).sum())
    return same / len(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--run", type=Path, nargs="+", default=[Path("build/pairs/run")],
        help="folder of the training run, or of several from one start: their mean",
    )  # fmt: skip
    parser.add_argument("--data", type=Path, default=Path("build/pairs"))
    parser.add_argument("--out", type=Path, default=Path("models/pairs/weights"))
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    network, vocabulary = trained(options.run)
    pieces = WordPieces(vocabulary)
    pairs = read_pairs(options.data / "validation.tsv")[:640]
    example = tuple(torch.from_numpy(part) for part in padded(encoded(pairs[:4], pieces))[:2])
    full = options.run[0] / "pairs.fp32.onnx"
    off = write_float(network, full, (example[0], example[1]))
    if off > FLOAT_TOLERANCE:
        raise SystemExit(
            f"{full} differs from PyTorch by {off:.2g}, more than {FLOAT_TOLERANCE}: do not use it"
        )
    path = options.out / NETWORK
    write_int8(full, path)
    alike = agreement(full, path, pairs, pieces)
    if alike < LEAST_AGREEMENT:
        raise SystemExit(f"{path} agrees with fp32 on {alike:.1%} of the pairs only: do not use it")
    (options.out / VOCABULARY).write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    describe(options.out, temperature=1.0, offset=0.0)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, as fp32 on {alike:.1%}")  # noqa: T201


if __name__ == "__main__":
    main()
