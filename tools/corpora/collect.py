"""Bring the files of a corpus into the project, after the check of their sums.

They are taken from the data folder (LATPERC_DATA) where there is one, else downloaded.
"""

import gzip
import hashlib
import shutil
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterable
from pathlib import Path

from wasabi import msg

from spacy_latperc.io.atomic import whole_file, write_whole

from .build import Fetch
from .datasets import DATASETS, Dataset
from .locate import VARIABLE, data_folder

WAIT = 60  # seconds without an answer
PACKED = ".gz"


class CorpusError(Exception):
    """An error of a corpus, with the next step."""


def collect(
    name: str, into: Path, *, downloads: Path, mirror: str | None = None
) -> list[Path]:
    """Put the files of a set below a folder, each checked.

    Args:
        name: The set.
        into: The folder under which the files keep their paths, such as
            wnut17/train.conll.
        downloads: The folder for what is downloaded. What is there is not fetched
            again.
        mirror: An address that stands before the host of each address, for machines
            that reach the hosts through another one.

    Returns:
        The paths of the files.
    """
    dataset = find(name)
    msg.info(f"{name}: {dataset.description}. Licence: {dataset.licence}")
    wanted = {into / name / file: file for file in dataset.files}
    missing = {p: f for p, f in wanted.items() if not _is_right(p, dataset.files[f])}
    folder = data_folder()
    source = folder / name if folder else None
    if missing and source and source.is_dir():
        problems = list(_problems(source, dataset))
        if problems:
            raise CorpusError("\n".join(problems))
        for path, file in missing.items():
            write_whole(path, (source / file).read_bytes())
    elif missing:
        _make(name, dataset, into / name, downloads, mirror)
    for path in wanted:
        msg.good(f"{path} is right")
    return list(wanted)


def check(names: Iterable[str], folder: Path | None) -> None:
    """Check that the data folder has the files of the sets, and the right ones."""
    if folder is None:
        raise CorpusError(
            f"There is no data folder. Set {VARIABLE} to the folder that holds the "
            "corpora, or let them be downloaded: python -m tools.corpora NAME."
        )
    problems = []
    for name in names:
        dataset = find(name)
        found = list(_problems(folder / name, dataset))
        problems += found
        if not found:
            msg.good(f"{name}: the files in {folder / name} are right")
    if problems:
        raise CorpusError("\n".join(problems))


def find(name: str) -> Dataset:
    if name not in DATASETS:
        raise CorpusError(
            f"Unknown set '{name}'. Choose one of: {', '.join(DATASETS)}."
        )
    return DATASETS[name]


def _problems(folder: Path, dataset: Dataset) -> Iterable[str]:
    for file, wanted in dataset.files.items():
        path = folder / file
        if not path.is_file():
            yield f"{path} is missing. Put it there, or unset {VARIABLE} to download."
        elif not _is_right(path, wanted):
            yield (
                f"{path} is not the file that the results were measured on: the "
                f"SHA-256 of what it holds is not {wanted}. Replace it, or unset "
                f"{VARIABLE} to download it."
            )


def _is_right(path: Path, wanted: str) -> bool:
    if not path.is_file():
        return False
    digest = hashlib.sha256()
    opened = gzip.open(path) if path.suffix == PACKED else path.open("rb")
    try:
        with opened as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except (OSError, EOFError, zlib.error):
        return False
    return digest.hexdigest() == wanted


def _make(
    name: str, dataset: Dataset, into: Path, downloads: Path, mirror: str | None
) -> None:
    if dataset.make is None:
        raise CorpusError(
            f"{name} can be had nowhere in the form that is needed here. Set "
            f"{VARIABLE} to a folder that holds "
            f"{', '.join(f'{name}/{file}' for file in dataset.files)}."
        )
    packed = {file.removesuffix(PACKED): file for file in dataset.files}
    for made, content in dataset.make(_fetcher(downloads, mirror)):
        file = packed[made]
        found = hashlib.sha256(content).hexdigest()
        if found != dataset.files[file]:
            raise CorpusError(
                f"{name}/{file} as it is made from the downloads in {downloads} is not "
                f"the file that the results were measured on: its SHA-256 is {found}, "
                f"not {dataset.files[file]}. A download may be incomplete: delete them "
                "and try again."
            )
        if file != made:
            content = gzip.compress(content, mtime=0)
        write_whole(into / file, content)


def _fetcher(downloads: Path, mirror: str | None) -> Fetch:
    def fetch(url: str) -> Path:
        host_and_path = url.removeprefix("https://")
        path = downloads / host_and_path.replace("/", "_")
        if path.is_file():
            return path
        address = f"{mirror.rstrip('/')}/{host_and_path}" if mirror else url
        msg.text(f"Downloading {address}")
        try:
            with (
                urllib.request.urlopen(address, timeout=WAIT) as answer,
                whole_file(path) as fresh,
                fresh.open("wb") as file,
            ):
                shutil.copyfileobj(answer, file)
        except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
            raise CorpusError(
                f"{address} cannot be downloaded ({error}). Try again later, put the "
                f"file at {path} by hand, or set {VARIABLE} to a folder that holds the "
                "corpus."
            ) from error
        return path

    return fetch
