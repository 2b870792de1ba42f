"""What `fit` keeps of a training corpus: in memory as far as it may, then in a file.

The file is temporary, has no name, and goes with the process. Examples are read back
one by one in the order in which they are learned from, which is that of a corpus in
memory.
"""

import tempfile
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO

import numpy as np

from ..errors import Errors
from ..errors.check import check_number
from .reading import Components, GoldForm, Stub, gold_of

_OBJECTS = 400  # bytes of what holds the numbers of an example together
_HEAD = 8  # bytes before a block in the file: how long it is


def check_memory(megabytes: float | None) -> float | None:
    """A limit of memory, or an error that names it."""
    return None if megabytes is None else check_number("max_memory", megabytes)


class KeptExamples:
    """Examples by number.

    Args:
        stubs: All of them, in order.
        components: Those that learn from them.
        megabytes: What they may take in memory; None: all of it.
    """

    def __init__(
        self,
        stubs: Iterable[Stub],
        components: Components,
        megabytes: float | None = None,
    ):
        self._learners = [component.learner for _, component in components]
        self._forms: tuple[GoldForm, ...] = ()  # of gold in the file
        self._kept: list[Stub] = []
        self._starts = array("q", [0])  # of the others in the file, and its end
        self._file: IO[bytes] | None = None
        left = float("inf") if megabytes is None else megabytes * 1e6
        try:
            for stub in stubs:
                left -= _size(stub)
                if left >= 0 and self._file is None:
                    self._kept.append(stub)
                else:
                    self._put_away(stub)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let the file go."""
        if self._file is not None:
            self._file.close()

    def __len__(self) -> int:
        return len(self._kept) + len(self._starts) - 1

    @property
    def in_memory(self) -> int:
        """How many of them are in memory: the first ones."""
        return len(self._kept)

    def __getitem__(self, number: int) -> Stub:
        place = number - len(self._kept)
        return self._kept[number] if place < 0 else self._bring_back(place)

    def _put_away(self, stub: Stub) -> None:
        parts = [b""]
        for number, block in enumerate(stub.features):
            data = block.to_bytes()
            gold = gold_of([stub], number).tobytes()
            parts += [len(data).to_bytes(_HEAD, "little"), data, gold]
        whole = np.dtype(np.int32)
        self._forms = tuple([GoldForm(whole, form.shape) for form in stub.forms])
        content = b"".join(parts)
        with _named_failures():
            if self._file is None:
                self._file = tempfile.TemporaryFile()
            self._file.write(content)
        self._starts.append(self._starts[-1] + len(content))

    def _bring_back(self, place: int) -> Stub:
        assert self._file is not None
        start, end = self._starts[place : place + 2]
        with _named_failures():
            self._file.seek(start)
            data = self._file.read(end - start)
        at = length = 0
        features, gold = [], []
        for learner, form in zip(self._learners, self._forms, strict=True):
            size = int.from_bytes(data[at : at + _HEAD], "little")
            at += _HEAD
            block = learner.features_from_bytes(data[at : at + size])
            at += size
            length = block.n_tokens
            size = 4 * length * int(np.prod(form.shape))
            features.append(block)
            gold.append(data[at : at + size])
            at += size
        return Stub(length, tuple(features), tuple(gold), self._forms)


def _size(stub: Stub) -> int:
    blocks = sum(block.nbytes for block in stub.features)
    return _OBJECTS + blocks + sum(map(len, stub.gold))


@contextmanager
def _named_failures() -> Iterator[None]:
    """What the disk refuses is an error with a code."""
    try:
        yield
    except OSError as error:
        folder = tempfile.gettempdir()
        raise OSError(Errors.LP777.format(folder=folder, error=error)) from error
