"""Teach the classifier's last blocks what makers of icons call their pictures.

    python -m models.words.train --data build/words/data --out build/words/run --steps 2600

Each name has a vector, and a picture's vector is to be nearest to that of its name (a cosine softmax over
all names; Wang et al. 2017, NormFace). Starts from the shipped classifier, with the directions in which its
features tell names apart best (Fisher 1936) and each name's mean in them; from random ones nothing is
learnt in an hour. A stopped run goes on where it was, also with another number of steps: the learning rate
descends towards that.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from torch import Tensor, nn
from torch.nn import functional

from models.elements.trunk import Graph, TrainedPart, rate_groups
from models.words.data import Drawn, chances, drawn

DIMENSIONS = 128
BATCH = 256
PARTS = 512
"""Pictures that are looked at together without training."""
RELATIVE_RATE, RATE = 2e-3, 1e-3
"""Highest learning rates: of the classifier's blocks, in shares of what a parameter's numbers measure, and
of what is new."""
SMOOTHING = 0.05
"""Of the labels: makers call one thing by several names."""
SHARPNESS = 2.8
"""Logarithm of what cosines are multiplied by, at first."""
WARM = 0.08
"""Share of the steps in which the learning rate rises."""
CHECK_EVERY = 100
RIDGE = 0.1
"""Share of the mean spread that every direction has at least."""


class WordNetwork(nn.Module):
    """Maps of the frozen part to vectors of length 1, and those of the names."""

    def __init__(self, part: TrainedPart, names: int) -> None:
        super().__init__()
        self.part = part
        self.norm = nn.BatchNorm1d(part.features)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(part.features, DIMENSIONS)
        self.names = nn.Parameter(torch.randn(names, DIMENSIONS))
        self.sharpness = nn.Parameter(torch.tensor(SHARPNESS))

    def forward(self, maps: Tensor) -> Tensor:
        """(n, channels, cells, cells) to (n, DIMENSIONS)."""
        return functional.normalize(self.head(self.drop(self.norm(self.part(maps)))))

    def logits(self, looks: Tensor) -> Tensor:
        """(n, DIMENSIONS) to (n, names)."""
        return looks @ functional.normalize(self.names).T * self.sharpness.exp()


def begin(network: WordNetwork, data: Drawn, wanted: Tensor) -> None:
    """Set norm, head and names to what the features say before any training."""
    with torch.no_grad():
        features = _in_parts(network.part, data)
        network.norm.running_mean = features.mean(0)
        network.norm.running_var = features.var(0)
        centred = (features - features.mean(0)) / torch.sqrt(features.var(0) + network.norm.eps)
        counts = torch.bincount(wanted).float()
        means = _means(centred, wanted, counts)
        within = (centred - means[wanted])[counts[wanted] > 1]
        spread = within.T @ within / len(within)
        spread += RIDGE * spread.diagonal().mean() * torch.eye(len(spread))
        sizes, directions = torch.linalg.eigh(spread)
        whitened = directions @ torch.diag(sizes**-0.5) @ directions.T
        between = means @ whitened
        _, ways = torch.linalg.eigh((between * counts[:, None]).T @ between)
        network.head.weight.copy_((whitened @ ways[:, -DIMENSIONS:]).T)
        network.head.bias.zero_()
        looks = functional.normalize(centred @ network.head.weight.T)
        network.names.copy_(functional.normalize(_means(looks, wanted, counts)))


def _means(values: Tensor, groups: Tensor, counts: Tensor) -> Tensor:
    return torch.zeros(len(counts), values.shape[1]).index_add_(0, groups, values) / counts[:, None]


def _in_parts(part: nn.Module, data: Drawn) -> Tensor:
    starts = range(0, len(data), PARTS)
    return torch.cat([part(data.batch(np.arange(start, min(start + PARTS, len(data))))) for start in starts])


def rate(done: float) -> float:
    """Share of the highest learning rate after this share of the steps: up in a line, down in a wave."""
    if done < WARM:
        return done / WARM
    return 0.5 * (1 + math.cos(math.pi * (done - WARM) / (1 - WARM)))


def looks_of(network: WordNetwork, pictures: Drawn) -> Tensor:
    """(n, DIMENSIONS), as the network sees them when it is used."""
    network.eval()
    with torch.no_grad():
        looks = _in_parts(network, pictures)
    network.train()
    return looks


def right(network: WordNetwork, names: Sequence[str], pictures: Drawn) -> float:
    """Share of pictures whose nearest name is their own."""
    best = network.logits(looks_of(network, pictures)).argmax(1).tolist()
    return float(np.mean([names[index] == own for index, own in zip(best, pictures.words, strict=True)]))


def train(folder: Path, data: Drawn, check: Drawn, steps: int, *, seed: int) -> None:
    """Up to ``steps`` steps, with a checkpoint every hundred."""
    console = Console()
    torch.manual_seed(seed)
    names = sorted(set(data.words))
    wanted = torch.tensor([{name: index for index, name in enumerate(names)}[one] for one in data.words])
    network = WordNetwork(TrainedPart(Graph()), len(names))
    new = [value for name, value in network.named_parameters() if not name.startswith("part.")]
    groups = [*rate_groups(network.part, RELATIVE_RATE), {"params": new, "full_lr": RATE}]
    optimiser = torch.optim.AdamW(groups, weight_decay=1e-4)
    path, done = folder / "checkpoint.pt", 0
    if path.exists():
        kept = stored(path)
        if kept["names"] != names:
            raise SystemExit(f"{path} is of a run with other drawings: choose another --out")
        network.load_state_dict(kept["network"])
        optimiser.load_state_dict(kept["optimiser"])
        done = kept["step"]
    else:
        begin(network, data, wanted)
        console.print(f"before: validation {right(network, names, check):.3f}")
    often = chances(data.words)
    for step in range(done + 1, steps + 1):
        torch.manual_seed(seed * 100_003 + step)  # also for what is dropped: a stopped run goes on alike
        picked = torch.multinomial(often, BATCH)
        looks = network(data.batch(picked.numpy()))
        loss = functional.cross_entropy(network.logits(looks), wanted[picked], label_smoothing=SMOOTHING)
        for group in optimiser.param_groups:
            group["lr"] = group["full_lr"] * rate(step / steps)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % CHECK_EVERY == 0 or step == steps:
            score = right(network, names, check)
            console.print(f"step {step}: loss {loss.item():.2f}, validation {score:.3f}")
            state = {"network": network.state_dict(), "optimiser": optimiser.state_dict()}
            _store(path, {**state, "step": step, "names": names})


def _store(path: Path, state: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    torch.save(state, partial)
    partial.replace(path)


def stored(path: Path) -> dict[str, Any]:
    """A checkpoint.

    Raises:
        SystemExit: there is none.
    """
    if not path.exists():
        raise SystemExit(f"{path} is not there: train first (python -m models.words.train)")
    kept: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return kept


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("build/words/data"))
    parser.add_argument("--out", type=Path, default=Path("build/words/run"))
    parser.add_argument("--steps", type=int, default=2600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    arguments = parser.parse_args(argv)
    torch.set_num_threads(arguments.threads)
    data = drawn(arguments.data, "train")
    check = drawn(arguments.data, "validation").only(set(data.words))
    train(arguments.out, data, check, arguments.steps, seed=arguments.seed)


if __name__ == "__main__":
    main()
