"""Fetch the packages of `sources.csv` with their registries' own clients, check them, unpack what is used.

    python -m models.assets.fetch --out build/assets

Can be stopped and started again: what is there and was checked stays.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

from models.assets.sources import DEFAULT_ROOT, Source, read_sources

CLIENTS = {"npm": "npm", "pip": sys.executable, "debian": "apt-get"}
FETCH_TIMEOUT_S = 180.0
MAX_UNPACKED_BYTES = 64 * 1024 * 1024
Say = Callable[[str], None]


class FetchError(Exception):
    """A package could not be fetched or is not the one that was pinned; the text names it and the cure."""


def client_command(source: Source) -> list[str]:
    """What to run to get the package file of a source into the working folder."""
    if source.registry == "npm":
        return ["npm", "pack", "--loglevel=error", f"{source.name}@{source.version}"]
    if source.registry == "pip":
        pinned = f"{source.name}=={source.version}"
        return [sys.executable, "-m", "pip", "download", "--no-deps", pinned]
    return ["apt-get", "download", f"{source.name}={source.version}"]


def download(source: Source, folder: Path) -> Path:
    """The package file of a source, fetched into the empty `folder`.

    Raises:
        FetchError: the client is missing, fails, takes too long or leaves no single file.
    """
    client = CLIENTS[source.registry]
    if shutil.which(client) is None:
        raise FetchError(f"{source.name} comes through {client}, which is not installed here")
    try:
        done = subprocess.run(  # noqa: S603 (fixed programs; names and versions come from our own table)
            client_command(source),
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=FETCH_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        raise FetchError(
            f"{source.name} {source.version}: no answer in {FETCH_TIMEOUT_S:.0f} s; is this machine online?"
        ) from late
    files = [path for path in folder.iterdir() if path.is_file()]
    if done.returncode != 0 or len(files) != 1:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise FetchError(
            f"{source.name} {source.version}: {client} gave up ({said[-1] if said else 'without a word'}); "
            "check that this machine is online, then run the same command again, it goes on where it stopped"
        )
    return files[0]


def check(source: Source, package: Path) -> None:
    """Compare the package file with the pinned checksum.

    Raises:
        FetchError: it differs.
    """
    actual = hashlib.sha256(package.read_bytes()).hexdigest()
    if actual != source.sha256:
        raise FetchError(
            f"{source.name} {source.version}: sha256 is {actual}, pinned is {source.sha256}; "
            "the file is not used. A new version needs a new row in models/assets/sources.csv"
        )


def unpack(source: Source, package: Path, folder: Path) -> int:
    """Write the wanted files of a package flat into `folder`; returns how many.

    Raises:
        FetchError: a wanted file is missing, or the package is larger unpacked than any real one.
    """
    if package.suffix == ".deb":
        with tempfile.TemporaryDirectory() as scratch:
            tree = Path(scratch) / "tree.tar"
            with tree.open("wb") as out:
                subprocess.run(  # noqa: S603 (dpkg-deb on a file whose checksum was right)
                    ["dpkg-deb", "--fsys-tarfile", str(package)],  # noqa: S607
                    stdout=out,
                    timeout=FETCH_TIMEOUT_S,
                    check=True,
                )
            return _unpack_tar(source, tree, folder, prefix="./")
    return _unpack_tar(source, package, folder, prefix="package/")


def _unpack_tar(source: Source, archive: Path, folder: Path, *, prefix: str) -> int:
    written, size = 0, 0
    missing = set(source.take)
    with tarfile.open(archive) as tar:
        for member in tar:
            name = member.name.removeprefix(prefix)
            wanted = next((take for take in source.take if fnmatch.fnmatchcase(name, take)), None)
            content = tar.extractfile(member) if wanted is not None and member.isfile() else None
            if wanted is None or content is None:
                continue
            size += member.size
            if size > MAX_UNPACKED_BYTES:
                raise FetchError(f"{source.name}: more than {MAX_UNPACKED_BYTES >> 20} MiB unpacked; stopped")
            # Only the last component of the name: nothing can be written outside the folder.
            (folder / Path(name).name).write_bytes(content.read())
            missing.discard(wanted)
            written += 1
    if missing:
        raise FetchError(f"{source.name} {source.version} has no {', '.join(sorted(missing))}")
    return written


def stamp(source: Source) -> str:
    """What the marker of a finished folder holds: changes whenever its row in the table does."""
    return f"{source.name} {source.version} {source.sha256} {' '.join(source.take)}\n"


def is_present(source: Source, root: Path) -> bool:
    """Whether this very version lies unpacked under the asset root."""
    marker = root / source.key / "SOURCE"
    return marker.is_file() and marker.read_text(encoding="utf-8") == stamp(source)


def fetch_one(source: Source, root: Path) -> int:
    """Fetch, check and unpack one source, complete or not at all. Returns its file count."""
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root, prefix=".fetch-") as scratch:
        incoming, ready = Path(scratch) / "in", Path(scratch) / "out"
        incoming.mkdir()
        ready.mkdir()
        package = download(source, incoming)
        check(source, package)
        count = unpack(source, package, ready)
        (ready / "SOURCE").write_text(stamp(source), encoding="utf-8")
        target = root / source.key
        if target.exists():
            shutil.rmtree(target)
        ready.rename(target)
    return count


def fetch_all(sources: list[Source], root: Path, say: Say) -> list[str]:
    """Fetch what is missing; returns what went wrong with sources that are not optional."""
    failures: list[str] = []
    for index, source in enumerate(sources, start=1):
        head = f"[{index}/{len(sources)}] {source.key} {source.version}"
        if is_present(source, root):
            continue
        try:
            count = fetch_one(source, root)
        except (FetchError, OSError, tarfile.TarError, subprocess.SubprocessError) as error:
            say(f"{head}: {'left out, not needed' if source.optional else 'FAILED'}: {error}")
            if not source.optional:
                failures.append(str(error))
            continue
        say(f"{head}: {source.megabytes:.1f} MB, {count} files, {source.licence}")
    return failures


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m models.assets.fetch", description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT_ROOT, help="folder for the unpacked assets")
    parser.add_argument("--only", nargs="*", metavar="KEY", help="keys of sources.csv; all when left out")
    chosen = parser.parse_args(arguments)
    sources = read_sources()
    unknown = sorted(set(chosen.only or ()) - set(sources))
    if unknown:
        parser.error(f"no such source: {', '.join(unknown)}; the keys are in models/assets/sources.csv")
    wanted = [source for key, source in sources.items() if not chosen.only or key in chosen.only]
    failures = fetch_all(wanted, chosen.out, lambda line: print(line, flush=True))  # noqa: T201
    present = sum(is_present(source, chosen.out) for source in wanted)
    print(f"{present} of {len(wanted)} sources in {chosen.out}")  # noqa: T201
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
