"""Train the shipped classifier further, from its file: no checkpoint of an earlier run is needed.

    python -m models.elements.further train --out build/elements/further1 --seed 1 --minutes 120
    python -m models.elements.further train --out build/elements/further2 --seed 2 --minutes 120
    python -m models.elements.further write --runs build/elements/further1 build/elements/further2

Each crop is changed at random whenever it is used, unless crops are to stay ``--as-they-are``: that is for
the end, and faster, since what the first blocks make of a crop is kept beside it. Several runs can go side
by side, a thread and a seed each: they begin alike, so the mean of their weights is a network too, and
mostly a better one than any of them (Wortsman et al. 2022, "Model soups"). A stopped run goes on with
``--resume``. Labels that the file lacks are added. ``write`` puts the mean into the file; calibrate after
it (``models.elements.evaluate``).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from arwarden.fast.elements.decode import OTHER
from arwarden.fast.elements.weights import DESCRIPTION
from models.cards.description import write_description
from models.elements.data import CropBatch, CropData
from models.elements.export import averaged
from models.elements.labels import trained_labels
from models.elements.train import check_classifier, crop_loss, refreshing
from models.elements.training import Run
from models.elements.trunk import (
    CLASSIFIER,
    FROZEN_TO,
    SIDE,
    FrozenPart,
    Graph,
    KeptMaps,
    TrainedPart,
    rate_groups,
)

FILE = CLASSIFIER.name
VARIED_FROZEN_TO = 4
"""As in the training before: the first blocks see edges and colours. With 7 a crop takes 9, not 11 ms."""
RELATIVE_RATE = 1e-3
"""Of the trunk: the highest step, in shares of what a parameter's numbers measure."""
HEAD = ("norm.weight", "norm.bias", "norm.running_mean", "norm.running_var",
        "label.weight", "label.bias", "direction.weight", "direction.bias")  # fmt: skip
"""What comes after the trunk, under the names that the file has too."""


class Rest(nn.Module):
    """All of the classifier that is trained: maps of the frozen blocks to logits and directions."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.part = TrainedPart(graph)
        self.norm = nn.BatchNorm1d(self.part.features)
        self.drop = nn.Dropout(0.2)
        self.label = nn.Linear(self.part.features, len(graph.numbers["label.bias"]))
        self.direction = nn.Linear(self.part.features, 2)
        own = self.state_dict()
        for name in HEAD:
            own[name].copy_(torch.from_numpy(graph.numbers[name].astype(np.float32)))

    def forward(self, maps: Tensor) -> tuple[Tensor, Tensor]:
        """(n, channels, cells, cells) to logits (n, labels) and directions (n, 2) as cosine and sine."""
        features = self.norm(self.part(maps))
        return self.label(self.drop(features)), self.direction(features)

    def put_into(self, graph: Graph) -> None:
        """Write the weights as they are now into the file's numbers."""
        self.part.put_into(graph)
        own = self.state_dict()
        for name in HEAD:
            graph.put(name, own[name])


def optimiser_of(rest: Rest, rate: float) -> torch.optim.Optimizer:
    """AdamW; ``rate`` is that of what comes after the trunk."""
    known = {id(one) for one in rest.part.parameters()}
    groups = rate_groups(rest.part, RELATIVE_RATE)
    groups.append({"params": [one for one in rest.parameters() if id(one) not in known], "full_lr": rate})
    return torch.optim.AdamW(groups, lr=rate, weight_decay=1e-4)


def train(options: argparse.Namespace) -> Run:
    """Train until the time box is full; the result is in the run's folder."""
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    path, labels = options.weights / FILE, trained_labels()
    graph = Graph(path, frozen_to=FROZEN_TO if options.as_they_are else VARIED_FROZEN_TO)
    let_answer(graph, described(options.weights)["classifier"]["labels"], labels.names)
    rest = Rest(graph)
    run = Run(options.out, rest, optimiser_of(rest, options.rate), options.minutes * 60, options.seed)
    if options.resume:
        run.resume()
    maps = KeptMaps(path) if options.as_they_are else None
    common: dict[str, Any] = {"side": SIDE, "seed": options.seed, "maps": maps}
    data = CropData(options.data, ("crops-train", "cuts-train"), labels, vary=maps is None, **common)
    held = CropData(options.data, ("crops-validation", "cuts-validation"), labels, **common)
    if not len(data) or not len(held):
        raise SystemExit(f"{options.data} lacks crops: make both splits with models.elements.generate")
    run.say(f"{len(data)} crops to train on, {len(held)} to check with, {len(labels.names)} labels")

    frozen = FrozenPart(graph) if maps is None else None

    def forward(network: nn.Module, inputs: Tensor) -> tuple[Tensor, Tensor]:
        made = inputs if frozen is None else torch.from_numpy(frozen.of_inputs(inputs.numpy()))
        found: tuple[Tensor, Tensor] = network(made)
        return found

    def loss_of(batch: CropBatch) -> tuple[Tensor, Mapping[str, float]]:
        return crop_loss(*forward(rest, batch.inputs), batch)

    def check() -> Mapping[str, Any]:
        return check_classifier(lambda inputs: forward(run.average, inputs), held, labels)

    run.log({"validation": check()})
    run.loop(refreshing(data, options.batch), loss_of, check, options.check_minutes * 60, options.batch)
    return run


def let_answer(graph: Graph, had: Sequence[str], wanted: Sequence[str]) -> None:
    """Give the last layer an output for each of ``wanted`` instead of ``had``; a new one begins as #other."""
    rows = [had.index(name if name in had else OTHER) for name in wanted]
    for part in ("label.weight", "label.bias"):
        graph.numbers[part] = graph.numbers[part][rows]
        graph.put(part, torch.from_numpy(graph.numbers[part]))
    graph.model.graph.output[0].type.tensor_type.shape.dim[1].dim_value = len(rows)


def mean_of(states: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of several runs' weights, name by name.

    Raises:
        ValueError: they are of different networks.
    """
    if any(set(one) != set(states[0]) for one in states):
        msg = "these runs are of different networks"
        raise ValueError(msg)
    return {
        name: torch.stack([one[name].float() for one in states]).mean(0).to(value.dtype)
        for name, value in states[0].items()
    }


def frozen_to(state: Mapping[str, Tensor]) -> int:
    """The last block that was not trained, by the names of those that were ("part.weights._blocks-5-...")."""
    return min(int(name.split("-")[1]) for name in state if name.startswith("part.weights.")) - 1


def write(options: argparse.Namespace) -> None:
    """Put the mean of the runs into the file; thresholds stay those of the old weights."""
    mean = mean_of([averaged(folder) for folder in options.runs])
    graph, labels = Graph(options.weights / FILE, frozen_to=frozen_to(mean)), trained_labels()
    values = described(options.weights)
    let_answer(graph, values["classifier"]["labels"], labels.names)
    values["classifier"]["labels"] = list(labels.names)
    rest = Rest(graph)
    rest.load_state_dict(mean)
    rest.put_into(graph)
    onnx.checker.check_model(graph.model)
    onnx.save(graph.model, str(options.weights / FILE))
    write_description(
        options.weights, DESCRIPTION, values, sorted(one.name for one in options.weights.glob("*.onnx"))
    )


def described(weights: Path) -> dict[str, Any]:
    """What stands beside the weights."""
    values: dict[str, Any] = json.loads((weights / DESCRIPTION).read_text(encoding="utf-8"))
    return values


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--weights", type=Path, default=CLASSIFIER.parent)
    steps = parser.add_subparsers(dest="step", required=True)
    one = steps.add_parser("train", help="one run")
    one.add_argument("--data", type=Path, default=Path("build/elements/data"))
    one.add_argument("--out", type=Path, required=True, help="folder of checkpoint and log")
    one.add_argument("--minutes", type=float, default=60, help="time box of this run")
    one.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    one.add_argument("--as-they-are", action="store_true", help="crops are not changed at random")
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--threads", type=int, default=1, help="CPU threads")
    one.add_argument("--batch", type=int, default=96)
    one.add_argument("--rate", type=float, default=5e-4)
    one.add_argument("--check-minutes", type=float, default=20)
    two = steps.add_parser("write", help="put the mean of some runs into the file")
    two.add_argument("--runs", type=Path, nargs="+", required=True)
    options = parser.parse_args(argv)
    (train if options.step == "train" else write)(options)


if __name__ == "__main__":
    main()
