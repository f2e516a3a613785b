"""The commands. Each lives in a module of its own, imported only when it is called."""

from __future__ import annotations

import importlib

import click

from arwarden import __version__
from arwarden.config import LoggingConfig
from arwarden.core.errors import ArwardenError, ConfigError
from arwarden.observe.logs import configure_logging

EXIT_BAD_INPUT = 2

_COMMANDS = {
    "run": "Run the daemon until it is told to stop.",
    "demo": "Broker, daemon and a simulated headset at once, to see it work.",
    "headset": "The simulated headset alone, for a daemon that runs already.",
    "analyse": "Judge pictures, videos and folders of them, without any network.",
    "explain": "Show why: what was seen, what it claims, what was compared with what.",
    "schema": "Write the contract as JSON Schemas and an AsyncAPI document.",
    "check-config": "Name every problem of a configuration file, with the fix.",
    "doctor": "Check ports, addresses, broker, models, codecs, cores and clock.",
}


class _LazyGroup(click.Group):
    """Imports a command's module when it is called, so that ``--help`` does not load a video stack."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"arwarden.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands with what they do, in full and without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

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
      arwarden run                      the daemon, with a broker of its own unless you name one
    """  # noqa: D301  click marks verbatim paragraphs with a real backspace
    # Standard output belongs to what a command prints: JSON Lines must stay JSON Lines.
    configure_logging(LoggingConfig(level="warning"))
