"""The commands. Each lives in a module of its own, imported only when it is called."""

from __future__ import annotations

import importlib

import click

from arwarden import __version__
from arwarden.core.errors import ArwardenError, ConfigError

EXIT_BAD_INPUT = 2

_COMMANDS = {
    "run": "run",
    "demo": "demo",
    "headset": "headset",
    "analyse": "analyse",
    "schema": "schema",
    "check-config": "check_config",
    "doctor": "doctor",
}


class _LazyGroup(click.Group):
    """Imports a command's module when it is needed, so that ``--help`` does not load a video stack."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        module = _COMMANDS.get(cmd_name)
        if module is None:
            return None
        command: click.Command = importlib.import_module(f"arwarden.cli.{module}").command
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Show our own errors as one readable text instead of a traceback."""
        try:
            return super().invoke(ctx)
        except ConfigError as error:
            click.echo(f"{error.source}: {len(error.problems)} problem(s)", err=True)
            for problem in error.problems:
                click.echo(f"  {problem}", err=True)
            ctx.exit(EXIT_BAD_INPUT)
        except ArwardenError as error:
            click.echo(f"arwarden: {error}", err=True)
            ctx.exit(EXIT_BAD_INPUT)


@click.group(
    cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="arwarden")
def main() -> None:
    """Watch what an AR headset shows and warn its wearer of content that contradicts itself.

    \b
    First steps:
      arwarden demo                     see it work: no headset, broker or key needed
      arwarden analyse PICTURE…         judge files, without any network
      arwarden doctor                   can a headset reach this machine?
      arwarden run --embedded-broker    the daemon, with a broker of its own
    """  # noqa: D301  click marks verbatim paragraphs with a real backspace
