"""``arwarden schema``: the contract as documents."""

from __future__ import annotations

from pathlib import Path

import click

from arwarden import __version__
from arwarden.contract.documents import write_documents


@click.command("schema")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write to; made when missing.",
)
def command(out: Path) -> None:
    """Write the JSON Schemas and the AsyncAPI document of the contract.

    The files describe every MQTT message and every message of the clock channel, and are generated from
    the models that the daemon itself uses.
    """
    try:
        written = write_documents(out, __version__)
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror or error}") from error
    for path in written:
        click.echo(path)
