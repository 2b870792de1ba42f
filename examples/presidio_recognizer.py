"""A recogniser for Presidio whose score is the probability of the entity.

    python examples/presidio_recognizer.py MODEL "Mr. Hale sleeps in Marleford."

Requires `pip install presidio-analyzer`. MODEL is a pipeline with latperc_ner. The
engine of Presidio runs it, and the recogniser reads its entities: the recogniser for
spaCy would give all of them the same score.
"""

import sys

from presidio_analyzer import (
    AnalyzerEngine,
    EntityRecognizer,
    RecognizerRegistry,
    RecognizerResult,
)
from presidio_analyzer.nlp_engine import NlpArtifacts, SpacyNlpEngine

from spacy_latperc.pipeline.extensions import entity_score

# Presidio's names of labels; other labels keep theirs.
NAMES = {"PER": "PERSON", "LOC": "LOCATION", "ORG": "ORGANIZATION"}


class LatpercRecognizer(EntityRecognizer):
    """Finds the entities of a pipeline.

    Args:
        engine: Presidio's engine, with this pipeline.
        language: Its language.
        component: The recogniser of the pipeline.
    """

    def __init__(
        self, engine: SpacyNlpEngine, language: str = "en", component: str = "ner"
    ):
        pipe = engine.nlp[language].get_pipe(component)
        pipe.scores = "marginal"  # the exact probability of each entity
        names = sorted({NAMES.get(label, label) for label in pipe.labels})
        super().__init__(names, name="LatpercRecognizer", supported_language=language)

    def load(self) -> None:
        """Load nothing: the engine has the pipeline."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts
    ) -> list[RecognizerResult]:
        """Return the entities of the wanted types."""
        found = ((NAMES.get(x.label_, x.label_), x) for x in nlp_artifacts.tokens.ents)
        return [
            RecognizerResult(name, ent.start_char, ent.end_char, entity_score(ent))
            for name, ent in found
            if name in entities
        ]


def make_analyzer(model: str, language: str = "en") -> AnalyzerEngine:
    """Return an analyser with the pipeline in a folder."""
    engine = SpacyNlpEngine([{"lang_code": language, "model_name": model}])
    engine.load()
    registry = RecognizerRegistry(supported_languages=[language])
    registry.add_recognizer(LatpercRecognizer(engine, language))
    return AnalyzerEngine(
        registry=registry, nlp_engine=engine, supported_languages=[language]
    )


if __name__ == "__main__":
    for result in make_analyzer(sys.argv[1]).analyze(sys.argv[2], language="en"):
        print(result)
