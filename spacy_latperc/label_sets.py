"""Sets of allowed labels on a Doc: training learns from them, prediction keeps to them.

They are in `doc.user_data["latperc_allowed", layer]`, a dict from token numbers to
lists of labels. The layer is what a component writes: "tag", "pos", "morph", "ents", or
the key of chunks in `doc.spans`.
"""

from collections.abc import Iterable, Mapping

from spacy.tokens import Doc

from .schemes import DEFAULT_LABELS_SCHEME

ALLOWED = "latperc_allowed"
SCHEME = "scheme"


def allow(
    doc: Doc,
    layer: str,
    sets: Mapping[int, Iterable[str]],
    *,
    scheme: str = DEFAULT_LABELS_SCHEME,
) -> None:
    """Put label sets on a Doc, in place of those of the layer.

    Args:
        doc: The Doc.
        layer: What the labels are of; see above.
        sets: The labels that each token may have.
        scheme: The representation of chunk and entity labels.
    """
    entry: dict[int | str, object] = {
        token: list(labels) for token, labels in sets.items()
    }
    if scheme != DEFAULT_LABELS_SCHEME:
        entry[SCHEME] = scheme
    doc.user_data[ALLOWED, layer] = entry
