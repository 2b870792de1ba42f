"""Progress bars, which appear only on terminals."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from tqdm import tqdm

Item = TypeVar("Item")


@contextmanager
def progress_bar(
    unit: str, *, total: int = 0, quiet: bool = False
) -> Iterator[Callable[[int], None]]:
    """Show a progress bar, which disappears at the end.

    Returns:
        A function that advances the bar by a number of items.
    """
    with tqdm(
        total=total or None,
        unit=f" {unit}",
        unit_scale=True,
        disable=True if quiet else None,
        leave=False,
    ) as bar:
        yield lambda n: bar.update(n) and None


def counted(items: Iterable[Item], unit: str, *, quiet: bool = False) -> Iterator[Item]:
    """Yield the items, with a bar that counts them."""
    with progress_bar(unit, quiet=quiet) as told:
        for item in items:
            yield item
            told(1)
