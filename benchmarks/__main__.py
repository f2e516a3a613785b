"""``python -m benchmarks``: the command line of the benchmarks."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping

import click

from arwarden.core.errors import ArwardenError

BENCHMARKS: Mapping[str, str] = {
    "claims": "benchmarks.claims.command",
    "contrar": "benchmarks.contrar.command",
    "data": "benchmarks.datasets.command",
    "eval": "benchmarks.eval.command",
    "injection": "benchmarks.injection.command",
    "latency": "benchmarks.latency.command",
    "psychophysics": "benchmarks.psychophysics.command",
    "ratear": "benchmarks.ratear.command",
    "tradeoff": "benchmarks.tradeoff.command",
    "verify": "benchmarks.verify.command",
}
"""Name on the command line → module whose ``command`` runs it. Only the one that is asked for is imported."""
OUR_PACKAGES = ("arwarden", "benchmarks", "models")
"""Whose missing modules are our own fault."""


class _Benchmarks(click.Group):
    """A group that imports a benchmark when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(BENCHMARKS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the same
        if cmd_name not in BENCHMARKS:
            return None
        try:
            found: click.Command = importlib.import_module(BENCHMARKS[cmd_name]).command
        except ModuleNotFoundError as error:
            missing = error.name or ""
            if missing.partition(".")[0] in OUR_PACKAGES:
                raise
            return _unavailable(cmd_name, missing)
        return found


def _unavailable(name: str, missing: str) -> click.Command:
    """A benchmark whose packages are not installed: it stays in the list and says what to do."""
    cure = f"needs {missing}: pip install --constraint constraints.txt --group benchmarks"

    def fail() -> None:
        raise click.ClickException(f"{name} {cure}")

    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=fail, help=cure, context_settings=settings)


@click.group(cls=_Benchmarks)
def main() -> None:
    """Benchmarks of arwarden. What each measures and how to read it is in docs/benchmarks.md."""


if __name__ == "__main__":
    try:
        main(prog_name="python -m benchmarks")
    except ArwardenError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
