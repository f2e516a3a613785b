"""Write the trained word network and its bank as the daemon reads them, and measure them.

    python -m models.words.export --data build/words/data --run build/words/run

Written into ``--out``: ``words.onnx`` (crops to vectors), ``words.npz`` (icons' names and vectors as
bytes), ``words.json``, ``SHA256SUMS``. How sure a name is is fitted on one half of the validation packages'
icons and measured on the other half; both go into ``words.json``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from rich.console import Console

from arwarden.fast.words.bank import Bank, alike
from arwarden.fast.words.weights import bank_bytes, read_bank
from models.calibration.logistic import calibration_error, logistic_fit
from models.cards.description import write_description
from models.cards.marks import fill_card
from models.elements.trunk import SIDE, Graph, TrainedPart
from models.words.data import Drawn, drawn
from models.words.train import WordNetwork, looks_of, stored

SHARPNESS = 15.0
"""What cosines are multiplied by before they become shares of a vote; 20 and 30 are right less often."""
MOST_DRAWINGS = 16
"""Of one name in the bank: "star" is drawn 200 times, and would be the nearest of everything round."""
RIGHT = 0.5
"""Words in common with the package's own name, as Dice's share, from which words count as right."""
TENTHS = 10
"""Parts of 0..1 over which the calibration error is taken."""
SURE = 0.5
"""Share from which the daemon says a word."""


def joined(graph: Graph, network: WordNetwork) -> onnx.ModelProto:
    """The classifier's file with the trained blocks, ending in vectors instead of labels."""
    network.part.put_into(graph)
    nodes = graph.model.graph.node
    features = next(node.output[0] for node in nodes if node.name == "/Concat")
    kept = needed(nodes, features)
    scale, shift = folded(network)
    numbers = [numpy_helper.from_array(scale, "looks.weight"), numpy_helper.from_array(shift, "looks.bias")]
    ends = [
        onnx.helper.make_node(
            "Gemm", [features, "looks.weight", "looks.bias"], ["looks.long"], name="/looks/Gemm"
        ),
        onnx.helper.make_node("LpNormalization", ["looks.long"], ["looks"], name="/looks/Norm", axis=1, p=2),
    ]
    inputs = {name for node in [*kept, *ends] for name in node.input}
    tensors = [one for one in [*graph.model.graph.initializer, *numbers] if one.name in inputs]
    made = onnx.helper.make_graph(
        [*kept, *ends],
        "words",
        list(graph.model.graph.input),
        [onnx.helper.make_tensor_value_info("looks", onnx.TensorProto.FLOAT, ["n", scale.shape[1]])],
        tensors,
    )
    model = onnx.helper.make_model(made, opset_imports=list(graph.model.opset_import))
    model.ir_version = graph.model.ir_version
    onnx.checker.check_model(model)
    return model


def needed(nodes: Sequence[onnx.NodeProto], value: str) -> list[onnx.NodeProto]:
    """Those of the nodes, in their order, that a value depends on."""
    wanted, found = {value}, []
    for node in reversed(nodes):
        if wanted & set(node.output):
            wanted |= set(node.input)
            found.append(node)
    return found[::-1]


def folded(network: WordNetwork) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Norm and head as one product: (features, dimensions) and (dimensions,)."""
    norm, head = network.norm, network.head
    if norm.running_mean is None or norm.running_var is None:
        raise ValueError("a norm without means")
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    shift = norm.bias - norm.running_mean * scale
    weight = (head.weight * scale).T
    return (
        weight.detach().numpy().astype(np.float32),
        (head.weight @ shift + head.bias).detach().numpy().astype(np.float32),
    )


def bank_of(network: WordNetwork, pictures: Drawn) -> bytes:
    """The file of the bank: some drawings of each name."""
    rng = np.random.default_rng(0)
    by_name: dict[str, list[int]] = {}
    for index, words in enumerate(pictures.words):
        by_name.setdefault(words, []).append(index)
    picked = sorted(
        int(index) for indices in by_name.values() for index in rng.permutation(indices)[:MOST_DRAWINGS]
    )
    chosen = pictures.at(picked)
    return bank_bytes(chosen.words, looks_of(network, chosen).numpy())


def answers(
    bank: Bank, looks: npt.NDArray[np.float32], pictures: Drawn
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """For each picture how much the names agree, and whether the words are right."""
    agreement, right = [], []
    for look, own in zip(looks, pictures.words, strict=True):
        words, agreed = bank.votes(look).agreed()
        agreement.append(agreed)
        right.append(is_right(words, own))
    return np.array(agreement), np.array(right)


def is_right(words: str, own: str) -> bool:
    """Whether words are those of the icon's own package, or near enough."""
    return alike(set(words.split()), set(own.split())) >= RIGHT


def measured(bank: Bank, looks: npt.NDArray[np.float32], pictures: Drawn) -> dict[str, float]:
    """Shares of pictures that get words, and of words that are right."""
    words = [bank.word(look) for look in looks]
    right = np.array([is_right(one.words, own) for one, own in zip(words, pictures.words, strict=True)])
    exact = np.array([one.words == own for one, own in zip(words, pictures.words, strict=True)])
    shares = np.array([one.share for one in words])
    said = shares >= SURE
    return {
        "pictures": len(words),
        "right": round(float(right.mean()), 3),
        "exact": round(float(exact.mean()), 3),
        "said": round(float(said.mean()), 3),
        "right_where_said": round(float(right[said].mean()) if said.any() else 0.0, 3),
        "calibration_error": round(calibration_error(shares, right, TENTHS), 3),
    }


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("build/words/data"))
    parser.add_argument("--run", type=Path, default=Path("build/words/run"))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "weights")
    arguments = parser.parse_args(argv)
    kept = stored(arguments.run / "checkpoint.pt")
    names: list[str] = kept["names"]
    graph = Graph()
    network = WordNetwork(TrainedPart(graph), len(names))
    network.load_state_dict(kept["network"])
    check = drawn(arguments.data, "validation").only(set(names))
    looks = looks_of(network, check).numpy()
    content = bank_of(network, drawn(arguments.data, "train"))
    bank = read_bank(content, sharpness=SHARPNESS, fit=(1.0, 0.0))
    half = np.random.default_rng(0).random(len(check)) < 0.5
    agreement, right = answers(bank, looks[half], check.at(np.flatnonzero(half)))
    fit = logistic_fit(agreement, right)
    rest = check.at(np.flatnonzero(~half))
    numbers = measured(read_bank(content, sharpness=SHARPNESS, fit=fit), looks[~half], rest)
    write(arguments.out, joined(graph, network), content, fit=fit, numbers=numbers)
    Console().print(numbers)


def write(
    out: Path, model: onnx.ModelProto, bank: bytes, *, fit: tuple[float, float], numbers: dict[str, float]
) -> None:
    """The four files."""
    out.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(out / "words.onnx"))
    (out / "words.npz").write_bytes(bank)
    values: dict[str, Any] = {
        "format": 1, "network": "words.onnx", "bank": "words.npz", "side_px": SIDE,
        "sharpness": SHARPNESS, "fit": list(fit), "validation": numbers,
    }  # fmt: skip
    write_description(out, "words.json", values, ("words.npz", "words.onnx"))
    fill_card(out / "MODEL_CARD.md", table(numbers))


def table(numbers: dict[str, float]) -> str:
    """The table of the model card."""
    rows = {
        "validation icons": f"{numbers['pictures']:.0f}",
        "best words right": f"{numbers['right']:.3f}",
        "best words exactly those of the package": f"{numbers['exact']:.3f}",
        f"said (share of at least {SURE})": f"{numbers['said']:.3f}",
        "right where said": f"{numbers['right_where_said']:.3f}",
        "calibration error": f"{numbers['calibration_error']:.3f}",
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items()), ""])


if __name__ == "__main__":
    main()
