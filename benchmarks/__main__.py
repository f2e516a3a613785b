"""``python -m benchmarks``: the command line of the benchmarks."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping

import click

from arwarden.core.errors import ArwardenError

BENCHMARKS: Mapping[str, str] = {
    "claims": "benchmarks.claims.command",
    "latency": "benchmarks.latency.command",
}
"""Name on the command line → module whose ``command`` runs it. Only the one that is asked for is imported."""


class _Benchmarks(click.Group):
    """A group that imports a benchmark when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(BENCHMARKS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the same
        if cmd_name not in BENCHMARKS:
            return None
        found: click.Command = importlib.import_module(BENCHMARKS[cmd_name]).command
        return found


@click.group(cls=_Benchmarks)
def main() -> None:
    """Benchmarks of arwarden. What each measures and how to read it is in docs/benchmarks.md."""


if __name__ == "__main__":
    try:
        main(prog_name="python -m benchmarks")
    except ArwardenError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
