"""Everything of this package that programs import; other modules may move.

Most work needs no import at all: components, learners, templates, readers and scorers
are registered with spaCy and named in configs. This is for the rest.

A small chunker, trained on one sentence, says how sure it is:

>>> import spacy
>>> from spacy.tokens import Span
>>> from spacy.training import Example
>>> from spacy_latperc.api import allow
>>> nlp = spacy.blank("en")
>>> features = {"@misc": "spacy_latperc.Templates.v1", "templates": ["w[0]", "w[1]"]}
>>> learner = {"@misc": "spacy_latperc.Perceptron.v1"}
>>> config = {"model": {"features": features, "learner": learner}, "scores": "marginal"}
>>> chunker = nlp.add_pipe("latperc_chunker", config=config)
>>> gold = nlp.make_doc("They sold the red car")
>>> gold.spans["chunks"] = [Span(gold, 0, 1, "NP"), Span(gold, 2, 5, "NP")]
>>> example = Example(nlp.make_doc(gold.text), gold)
>>> _ = nlp.initialize(lambda: [example])
>>> for _ in range(5):
...     _ = nlp.update([example])
>>> doc = nlp("They sold the red car")
>>> [(span.text, span.label_) for span in doc.spans["chunks"]]
[('They', 'NP'), ('the red car', 'NP')]
>>> bool((doc.spans["chunks"].attrs["scores"] > 0.5).all())
True

The best analyses of a Doc, among those with "They" and "sold" outside of chunks:

>>> doc = nlp.make_doc("They sold the red car")
>>> allow(doc, "chunks", {0: ["O"], 1: ["O"]})
>>> chunker.n_best(doc, 3)[0].annotation
[(2, 5, 'NP')]
"""

import importlib
import typing

from .calibration import Calibration
from .compact import Compacted, CompactReport, compact
from .data.conllu import conllu_lines, write_conllu
from .data.conversion import Converted, convert
from .data.corpus import column_corpus, conllu_corpus
from .data.docbin_corpus import docbin_corpus
from .data.jsonl_corpus import jsonl_corpus
from .features.sets import FeatureSet
from .features.sources import Givens, Reading, Source, Tokens
from .grammaticality.classifier import LatentClassifier
from .grammaticality.grammaticality_component import LatpercGrammaticality
from .grammaticality.ngrams.ngram_model import NgramModel
from .io.pipelines import load_pipeline, pipeline_to_bytes, save_pipeline
from .knowledge.clustering import ClusterSettings, WordClusters, cluster_words
from .label_sets import allow
from .learners.base import Batch, Prepared
from .learners.chain import ChainLearner
from .model import build_chain_model, build_latent_classifier
from .pipeline.calibrator import Report, calibrate
from .pipeline.chain_pipe import ChainPipe
from .pipeline.chunker import LatpercChunker
from .pipeline.extensions import Analysis, register_extensions
from .pipeline.learner_pipe import LearnerPipe
from .pipeline.ner import LatpercNER
from .pipeline.prediction import Prediction
from .pipeline.tagger import LatpercTagger
from .schemes import LabelInventory, Scheme, detect_scheme, get_scheme, repair
from .text.sentence_files import read_sentences
from .training.fit import fit, fit_and_save
from .training.jackknife import jackknife, jackknifed_corpus

if typing.TYPE_CHECKING:
    from .distributed.annotators import ArrowAnnotator, SparkAnnotator
    from .judge.door import filter_texts, score_texts, train_judge
    from .parser.parser_component import LatpercParser
    from .parser.parser_scores import parser_score
    from .parser.projective import deprojectivize, is_projective, projectivize

__all__ = [
    "Analysis",
    "ArrowAnnotator",
    "Batch",
    "Calibration",
    "ChainLearner",
    "ChainPipe",
    "ClusterSettings",
    "CompactReport",
    "Compacted",
    "Converted",
    "FeatureSet",
    "Givens",
    "LabelInventory",
    "LatentClassifier",
    "LatpercChunker",
    "LatpercGrammaticality",
    "LatpercNER",
    "LatpercParser",
    "LatpercTagger",
    "LearnerPipe",
    "NgramModel",
    "Prediction",
    "Prepared",
    "Reading",
    "Report",
    "Scheme",
    "Source",
    "SparkAnnotator",
    "Tokens",
    "WordClusters",
    "allow",
    "build_chain_model",
    "build_latent_classifier",
    "calibrate",
    "cluster_words",
    "column_corpus",
    "compact",
    "conllu_corpus",
    "conllu_lines",
    "convert",
    "deprojectivize",
    "detect_scheme",
    "docbin_corpus",
    "filter_texts",
    "fit",
    "fit_and_save",
    "get_scheme",
    "is_projective",
    "jackknife",
    "jackknifed_corpus",
    "jsonl_corpus",
    "load_pipeline",
    "parser_score",
    "pipeline_to_bytes",
    "projectivize",
    "read_sentences",
    "register_extensions",
    "repair",
    "save_pipeline",
    "score_texts",
    "train_judge",
    "write_conllu",
]

# Modules that are imported when one of their names is asked for.
_LAZY = {
    "distributed.annotators": ("ArrowAnnotator", "SparkAnnotator"),
    "judge.door": ("filter_texts", "score_texts", "train_judge"),
    "parser.parser_component": ("LatpercParser",),
    "parser.projective": ("deprojectivize", "is_projective", "projectivize"),
    "parser.parser_scores": ("parser_score",),
}


def __getattr__(name: str) -> typing.Any:
    for module, names in _LAZY.items():
        if name in names:
            found = importlib.import_module(f".{module}", __package__)
            return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
