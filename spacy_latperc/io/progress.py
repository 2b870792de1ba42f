"""One style of progress: a bar on a terminal, nothing elsewhere."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from tqdm import tqdm

Item = TypeVar("Item")


@contextmanager
def progress_bar(
    unit: str, *, total: int = 0, quiet: bool = False
) -> Iterator[Callable[[int], None]]:
    """Show how far something is. The bar is gone before anything else is printed.

    Args:
        unit: What is counted, such as "sentences made".
        total: How many there will be; 0 if that is not known.
        quiet: No bar at all.

    Returns:
        A function to tell of how many more.
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
    """The same items, with a bar that counts them."""
    with progress_bar(unit, quiet=quiet) as told:
        for item in items:
            yield item
            told(1)
