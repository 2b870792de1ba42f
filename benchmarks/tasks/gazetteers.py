"""Sources of attributes: the table of a long list, pipelines that look into it."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import spacy

from spacy_latperc.features.sources import Givens
from spacy_latperc.knowledge.gazetteer import gazetteer
from spacy_latperc.training.fit import fit

from ..clock import seconds as clock
from ..corpora import BenchCorpus, read_sentences
from .pipelines import pipeline_config

# Words of phrases, as in lists of titles and names.
LENGTHS, SHARES = range(1, 6), (0.2, 0.4, 0.25, 0.1, 0.05)
INVENTED = 300_000  # words that the corpus does not have
EPOCHS = 2  # speed does not depend on them

# Clusters as they are in use: of 100,000 words, with paths of ten bits.
CLUSTERED, BITS = 100_000, 10
FEATURES = {
    "ner": "NERFeatures.v2",
    "chunker": "RichChunkingFeatures.v1",
    "tagger": "TaggingFeatures.v1",
}

_PATTERNS = [r"[\x24€£]?\d+([.,]\d+)*%?", r"[A-Z]+(-[A-Z0-9]+)+", r"(19|20)\d\d"]
SOURCES: dict[str, dict[str, Any]] = {
    "": {},
    "clusters": {"@misc": "spacy_latperc.ClusterFile.v1"},
    "gazetteer": {"@misc": "spacy_latperc.Gazetteer.v1"},
    "patterns of tokens": {
        "@misc": "spacy_latperc.Patterns.v1",
        "patterns": _PATTERNS,
    },
    "patterns of the text": {
        "@misc": "spacy_latperc.Patterns.v1",
        "patterns": _PATTERNS,
        "match": "text",
    },
}


def table(*, corpus: BenchCorpus, phrases: int) -> dict[str, Any]:
    """Read a list of so many phrases, as when training begins."""
    nlp = spacy.blank("en")

    def tokenize(text: str) -> list[str]:
        return [token.text for token in nlp.make_doc(text)]

    with TemporaryDirectory() as scratch:
        path = _write_list(Path(scratch), corpus, phrases)
        source = gazetteer(paths=[str(path)])
        start = clock()
        source.fit(Givens("list", vocab=nlp.vocab, tokenize=tokenize))
        seconds = clock() - start
    data = source.to_bytes()
    start = clock()
    source.from_bytes(data)
    return {
        "seconds": seconds,
        "loading_seconds": clock() - start,
        "table_mb": source.nbytes / 1e6,
        "saved_mb": len(data) / 1e6,
    }


def train(
    *,
    corpus: BenchCorpus,
    kind: str,
    source: str,
    phrases: int,
    output: str,
    limit: int,
) -> dict[str, Any]:
    """Train and save a pipeline with one source, of SOURCES, or with none."""
    with TemporaryDirectory() as scratch:
        block = dict(SOURCES[source])
        if source == "gazetteer":
            block["paths"] = [str(_write_list(Path(scratch), corpus, phrases))]
        if source == "clusters":
            block["path"] = str(_write_clusters(Path(scratch), corpus))
        sources = {"list": block} if block else {}
        features = FEATURES[kind]
        model = {
            "@architectures": "spacy_latperc.ChainModel.v1",
            "features": {"@misc": f"spacy_latperc.{features}", "sources": sources},
            "search": {"@misc": "spacy_latperc.Viterbi.v1"},
            "learner": {"@misc": "spacy_latperc.PassiveAggressive.v1"},
        }
        config = pipeline_config(kind, corpus, epochs=EPOCHS, limit=limit, model=model)
        fit(config).to_disk(output)
    return {}


def _write_list(folder: Path, corpus: BenchCorpus, n: int) -> Path:
    path = folder / "phrases.txt"
    lines = "\n".join(islice(_phrases(corpus), n))
    path.write_text(lines + "\n", encoding="utf-8")
    return path


def _write_clusters(folder: Path, corpus: BenchCorpus) -> Path:
    """Nine of ten words of the corpus have a cluster, whichever it is."""
    random = np.random.default_rng(0)
    sentences = read_sentences(corpus.train)
    words = sorted({word.lower() for sentence in sentences for word in sentence[0]})
    words = [word for word in words if random.random() < 0.9]
    words += [f"word{n}" for n in range(max(0, CLUSTERED - len(words)))]
    paths = random.integers(1 << BITS, size=len(words))
    path = folder / "clusters.tsv"
    lines = (
        f"{found:0{BITS}b}\t{word}\t1\n"
        for word, found in zip(words, paths.tolist(), strict=True)
    )
    path.write_text("".join(lines), encoding="utf-8")
    return path


def _phrases(corpus: BenchCorpus) -> Iterator[str]:
    """Different phrases without end: half of their words are words of the corpus, the
    common ones more often, so that most tokens begin some phrase."""
    random = np.random.default_rng(0)
    words = [word for sentence in read_sentences(corpus.train) for word in sentence[0]]
    seen: set[str] = set()
    while True:
        lengths = random.choice(LENGTHS, 10_000, p=SHARES)
        for length in lengths.tolist():
            known = random.integers(len(words), size=length)
            other = random.integers(INVENTED, size=length)
            phrase = " ".join(
                words[k] if o % 2 else f"word{o}"
                for k, o in zip(known.tolist(), other.tolist(), strict=True)
            )
            if phrase not in seen:
                seen.add(phrase)
                yield phrase
