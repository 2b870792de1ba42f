"""The pipelines of the bench, as configs for `spacy latperc fit`."""

from typing import Any

from thinc.api import Config

from ..corpora import BenchCorpus

BATCH_SIZE = 32  # sentences
SMALL_TAGGING_SET = ["w[-1]", "w[0]", "w[1]", "suf2[0]", "suf3[0]", "shape[0]"]

_VITERBI = {"@misc": "spacy_latperc.Viterbi.v1"}
_PERCEPTRON = {"@misc": "spacy_latperc.Perceptron.v1"}
_BASE = {"@misc": "spacy_latperc.PaperFeatures.v1", "name": "base_chunking"}
_SMALL = {"@misc": "spacy_latperc.Templates.v1", "templates": SMALL_TAGGING_SET}


def _chain(features: dict[str, Any]) -> dict[str, Any]:
    return {
        "@architectures": "spacy_latperc.ChainModel.v1",
        "features": features,
        "search": _VITERBI,
        "learner": _PERCEPTRON,
    }


# The base chunker is what CRFsuite is compared with: the same templates and labels, an
# averaged perceptron on both sides. The others have the defaults of their components.
COMPONENTS: dict[str, dict[str, Any]] = {
    "base chunker": {
        "factory": "latperc_chunker",
        "scheme": "IOB2",
        "model": _chain(_BASE),
    },
    "chunker": {"factory": "latperc_chunker"},
    "small tagger": {"factory": "latperc_tagger", "model": _chain(_SMALL)},
    "tagger": {"factory": "latperc_tagger"},
    "ner": {"factory": "latperc_ner"},
}


def pipeline_config(
    kind: str,
    corpus: BenchCorpus,
    *,
    epochs: int,
    limit: int = 0,
) -> Config:
    """The config of a pipeline with one component.

    kind: of COMPONENTS.
    limit: sentences to train on; all when 0.
    """
    component = COMPONENTS[kind]
    tags = component["factory"] != "latperc_tagger" and "tag" in corpus.columns
    reader = {
        "@readers": "spacy_latperc.ColumnCorpus.v1",
        "columns": list(corpus.columns),
        "inputs": ["tag"] if tags else [],
        "repair": True,  # CoNLL-2002 has one invalid label
    }
    return Config(
        {
            "nlp": {"lang": "en", "pipeline": ["component"]},
            "components": {"component": component},
            "corpora": {
                "train": {**reader, "path": corpus.train, "limit": limit},
                "dev": {**reader, "path": corpus.test, "limit": limit},
            },
            "training": {
                "seed": 0,
                "gpu_allocator": None,
                "max_epochs": epochs,
                "max_steps": 0,
                "patience": 0,
                "batcher": {
                    "@batchers": "spacy.batch_by_sequence.v1",
                    "size": BATCH_SIZE,
                },
                "optimizer": {"@optimizers": "spacy_latperc.NoOptimizer.v1"},
            },
        }
    )
