"""A Ray cluster on this machine: every node has processes, a store and a CPU of its own."""

from __future__ import annotations

import os

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_USAGE_STATS_REPORT_URL"] = "http://127.0.0.1:9"
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # all of it on the loopback interface
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
os.environ["RAY_AUTH_MODE"] = "token"
os.environ["RAY_AUTH_TOKEN"] = (
    "0123456789abcdef" * 4
)  # one in the home of whoever runs the tests is left alone

from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from ray.cluster_utils import Cluster

SETTINGS: Final[dict[str, Any]] = {
    "num_cpus": 1,
    "object_store_memory": 80_000_000,
    "include_dashboard": False,
}
NOTICED_S: Final = 60.0
"""Within this a killed node is missed; Ray takes about 15 s."""


class Nodes:
    """So many nodes, for as long as it is entered."""

    def __init__(self, count: int) -> None:
        self._cluster: Any = Cluster(initialize_head=True, head_node_args=SETTINGS)
        self._others = [self._cluster.add_node(**SETTINGS) for _ in range(count - 1)]

    @property
    def address(self) -> str:
        """For ``--ray-address``."""
        address: str = self._cluster.address
        return address

    @property
    def session(self) -> Path:
        """Where Ray keeps logs and sockets of all nodes."""
        return Path(self._cluster.head_node.get_session_dir_path())

    def remove_one(self) -> None:
        """Kill everything on the node that joined last."""
        self._cluster.remove_node(self._others.pop(), allow_graceful=False)

    def add_one(self) -> None:
        """One more; returns when the cluster knows who is there, also that one that was killed is not."""
        self._others.append(self._cluster.add_node(**SETTINGS))
        self._cluster.wait_for_nodes(timeout=NOTICED_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cluster.shutdown()
