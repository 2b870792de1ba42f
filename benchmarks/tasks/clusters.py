"""Word clusters: from the text to the file."""

from pathlib import Path
from typing import Any

import numpy as np

from spacy_latperc.knowledge.clustering import ClusterSettings, Pass, cluster_words
from spacy_latperc.text.lines import read_text

from ..clock import seconds as clock


def cluster(*, text: str, classes: int, sides: str, tokens: int) -> dict[str, Any]:
    """Read so many words of a text and cluster them as the command does."""
    start = clock()
    sentences, _ = read_text(Path(text))
    whole = int(np.searchsorted(sentences.bounds, tokens, side="right")) - 1
    sentences = sentences.slice(0, whole)
    passes: list[Pass] = []
    settings = ClusterSettings(classes=classes, sides=sides)
    clusters = cluster_words(sentences, settings, progress=passes.append)
    content = clusters.to_bytes()
    return {
        "seconds": clock() - start,
        "tokens": clusters.tokens,
        "words": len(clusters.words),
        "file_mb": len(content) / 1e6,
        "passes": len(passes) - 1,
        "bits": passes[-1].bits,
    }
