"""Asking by workers of a Ray cluster, on this machine or on many.

The run's process stays in charge: it hands out questions one by one, keeps the limits and writes the rows, so
both are those of all workers together. A worker gets keys of questions and returns answers; both are small
enough to travel in messages, so no answer is lost with the machine that gave it.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import secrets
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import count
from typing import Any, Final

from arwarden.core.errors import ArwardenError, ConfigError
from benchmarks.runs.asker import Asker, NotGiven
from benchmarks.runs.calls import Call, Given, Key, NoAnswer, WorkersLost
from benchmarks.runs.options import RunOptions
from benchmarks.runs.placing import Placing
from benchmarks.runs.recipe import SOURCE, Planned, asked_here, most_open, recipe_of, takes_a_gpu

TRIES: Final = 3
"""Workers that may be lost over one question, or in a row while they start."""
START_S: Final = 600.0
"""Longest wait for a worker: loading a model takes minutes."""
GATHER_S: Final = 20.0
"""After that those begin that are there: a full cluster has no room for all that are wanted."""
ANSWER_S: Final = 900.0
"""Beyond a question's deadline: those that compute wait for each other. A worker that takes longer hangs."""
CLOSE_S: Final = 5.0
STORE_BYTES: Final = 80_000_000
"""Of a cluster of our own: near the least that Ray takes, since nothing large is ever put there."""
LOST: Final = "worker_lost"
NOWHERE: Final = "http://127.0.0.1:9"
"""Some clusters report that they report nothing."""


class Cluster:
    """Workers that ask in place of this process. Use: ``start``, ask the calls of ``calls``, ``close``.

    Raises ``ConfigError`` where Ray is not installed or the run cannot be sent to other processes.
    """

    def __init__(self, options: RunOptions, made: Planned) -> None:
        if importlib.util.find_spec("ray") is None:
            raise ConfigError(SOURCE, ["not installed: ray; pip install 'arwarden[ray]'"])
        if (options.ray_address or "").startswith("ray://"):
            fix = "run on a machine of the cluster, with --ray-address auto"
            raise ConfigError("--ray-address", [f"Ray's client protocol is not supported; {fix}"])
        self._options = options
        self._recipe = recipe_of(options, made)
        self._here = {spec.label for spec in options.methods if asked_here(spec, options)}
        self._slots = {label: asyncio.Semaphore(most) for label, most in most_open(options).items()}
        self._placing = Placing(options.concurrency)
        self._handles: dict[int, Any] = {}
        self._numbers = count()
        self._changed = asyncio.Condition()
        self._last_tries = asyncio.Lock()
        self._starting: set[asyncio.Task[None]] = set()
        self._fault: ArwardenError | None = None
        self._ray: Any = None
        self._lost = 0

    @property
    def lost(self) -> int:
        """Workers that were lost while they asked, and replaced."""
        return self._lost

    async def start(self) -> None:
        """Join or start the cluster, send for workers and wait a little for all of them.

        Raises ``ConfigError`` where there is no such cluster.
        """
        self._ray = _connected(self._options.ray_address)
        nodes = [node for node in self._ray.nodes() if node["Alive"]]
        self._shared = self._ray.put(self._recipe)
        gpus = self._ray.cluster_resources().get("GPU", 0) > 0 and takes_a_gpu(self._options)
        self._worker = self._ray.remote(Asker).options(
            num_cpus=1,
            num_gpus=1 if gpus else 0,
            max_concurrency=self._options.concurrency,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy="SPREAD",
        )
        for _ in range(self._options.workers or len(nodes)):
            self._send_for()
        await asyncio.wait(self._starting, timeout=GATHER_S)

    def calls(self, calls: Sequence[Call]) -> list[Call]:
        """The same calls, asked by workers."""
        return [call if call.key.method in self._here else self._elsewhere(call) for call in calls]

    async def close(self) -> None:
        """End all workers, and the cluster where it is our own."""
        if self._ray is None:
            return
        for task in self._starting:
            task.cancel()
        closing = [asyncio.ensure_future(_quietly(one.close.remote())) for one in self._handles.values()]
        if closing:
            await asyncio.wait(closing, timeout=CLOSE_S)
        for handle in self._handles.values():
            self._ray.kill(handle)
        self._ray.shutdown()
        self._ray = None

    def _elsewhere(self, call: Call) -> Call:
        async def ask() -> Given:
            slots = self._slots.get(call.key.method)
            if slots is None:
                return await self._ask(call.key)
            async with slots:
                return await self._ask(call.key)

        return replace(call, ask=ask)

    async def _ask(self, key: Key) -> Given:
        """Ask by a worker, and by another one where it is lost. Raises what the method raises."""
        for attempt in range(TRIES):
            # Questions that are open at one worker are lost together. Their last tries come one by one, so
            # that none fails for its neighbour's sake.
            async with self._last_tries if attempt + 1 == TRIES else nullcontext():
                outcome = await self._asked(key)
            if isinstance(outcome, Given):
                return outcome
            if outcome is not None:
                outcome.throw()
        raise NoAnswer(LOST, f"{TRIES} workers were lost over {key.sample}")

    async def _asked(self, key: Key) -> Given | NotGiven | None:
        """What a worker says; None where it was lost."""
        worker, handle = await self._free(key.sample)
        try:
            async with asyncio.timeout(ANSWER_S + self._options.deadline_ms / 1000.0):
                outcome: Given | NotGiven = await handle.ask.remote(key)
        except (self._ray.exceptions.RayError, TimeoutError) as error:
            if isinstance(error, self._ray.exceptions.RayTaskError):
                raise
            self._lose(worker)
            return None
        finally:
            self._placing.give_back(worker)
        return outcome

    async def _free(self, sample: str) -> tuple[int, Any]:
        try:
            async with asyncio.timeout(START_S), self._changed:
                while True:
                    if self._fault is not None:
                        raise self._fault
                    worker = self._placing.take(sample)
                    if worker is not None:
                        return worker, self._handles[worker]
                    await self._changed.wait()
        except TimeoutError:
            raise WorkersLost(f"no worker came in {START_S:.0f} s; see `ray status`") from None

    def _lose(self, worker: int) -> None:
        """Forget a worker and send for another; more than one question may notice that it is gone."""
        self._placing.leave(worker)
        handle = self._handles.pop(worker, None)
        if handle is not None:
            self._lost += 1
            self._ray.kill(handle)
            self._send_for()

    def _send_for(self) -> None:
        task = asyncio.create_task(self._begin())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _begin(self) -> None:
        """Start a worker, wherever there is room; where there is none now it comes when there is."""
        problem: ArwardenError = WorkersLost(f"{TRIES} workers in a row ended while they started")
        for _ in range(TRIES):
            worker, handle = next(self._numbers), self._worker.remote(self._shared)
            self._handles[worker] = handle
            try:
                refused: str = await handle.open.remote()
            except self._ray.exceptions.RayTaskError as error:
                problem = WorkersLost(f"a worker failed: {error}")
                break
            except self._ray.exceptions.RayError:
                del self._handles[worker]
                continue
            if refused:
                problem = ConfigError(SOURCE, [refused])
                break
            async with self._changed:
                self._placing.join(worker)
                self._changed.notify_all()
            return
        async with self._changed:
            self._fault = problem
            self._changed.notify_all()


def _connected(address: str | None) -> Any:  # noqa: ANN401 - Ray is untyped here
    """Ray, connected to the cluster at the address, or to one of its own that only this machine can reach."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_USAGE_STATS_REPORT_URL"] = NOWHERE
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        # The name is of another purpose. It is the switch between the loopback interface and all of them.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        # Without a token of our own Ray leaves one in the user's home.
        if os.environ.setdefault("RAY_AUTH_MODE", "token") == "token":
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        ray = importlib.import_module("ray")
        try:
            ray.init(address="local", include_dashboard=False, object_store_memory=STORE_BYTES, **quiet)
        except Exception as error:  # noqa: BLE001 - what Ray raises where it takes longer than 30 s
            first = str(error).partition("\n")[0]
            raise ConfigError(SOURCE, [f"Ray does not start here, try again: {first}"]) from None
        return ray
    ray = importlib.import_module("ray")
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        first = str(error).partition("\n")[0]
        raise ConfigError(
            "--ray-address", [f"cannot join {address}: {first} (does it run, and is its token here?)"]
        ) from None
    return ray


async def _quietly(reply: Any) -> None:  # noqa: ANN401 - the same
    """Wait for a reply that nothing depends on."""
    await asyncio.gather(reply, return_exceptions=True)
