"""What a component warns of, once for each thing."""

import warnings

from ..errors import Warnings
from ..features.attributes import ANNOTATED
from ..model import Batch
from .docs import DocReader


class Warns:
    """A component with a name and columns that it reads."""

    name: str
    reader: DocReader
    _warned: set[str]

    def _empty_columns(self, batch: Batch) -> list[str]:
        """Columns that a component before us should have written, and did not."""
        if not len(batch.values):
            return []
        return [
            name
            for c, name in enumerate(self.reader.columns)
            if name in ANNOTATED and not batch.values[:, c].any()
        ]

    def _warn_of_empty_columns(self, batch: Batch) -> None:
        for name in self._empty_columns(batch):
            self._warn_once(
                name,
                Warnings.LP911.format(
                    name=self.name, column=name, component=ANNOTATED[name]
                ),
            )

    def _warn_once(self, key: str, message: str) -> None:
        if key not in self._warned:
            self._warned.add(key)
            warnings.warn(message, stacklevel=3)
