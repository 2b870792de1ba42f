"""A parser as a thinc Model, for spaCy to build, save and load it from a config."""

from collections.abc import Callable

from thinc.api import Model

from ..errors.check import check_block
from ..features.sets import FeatureSet
from ..learners.base import Batch
from ..learners.learner_settings import LearnerSettings, SearchSettings
from ..model import ChainModel, LearnerShim, learner_of
from .parser_inference import Trees
from .parser_learner import ParserLearner


def build_parser_model(
    features: FeatureSet,
    search: SearchSettings,
    learner: LearnerSettings,
    seed: int = 0,
) -> Model:
    """Build an incremental dependency parser.

    Args:
        features: The templates over states (a @misc block such as
            spacy_latperc.ParserFeatures.v1).
        search: spacy_latperc.Beam.v1; with a width of 1 it is greedy, which is several
            times as fast and less accurate. Train with the search of prediction.
        learner: spacy_latperc.ViolationFixing.v1. Its method "max" is the best; with
            "standard" a parser learns nothing. For a greedy parser also
            spacy_latperc.DynamicOracle.v1.
        seed: The seed of shuffling.
    """
    check_block("features", features, FeatureSet, "ParserFeatures")
    check_block("search", search, SearchSettings, "Beam")
    check_block("learner", learner, LearnerSettings, "ViolationFixing")
    parser = ParserLearner(features, learner, search, seed)
    return ChainModel("latperc_parser", _parse, shims=[LearnerShim(parser)])


def get_parser(model: Model) -> ParserLearner:
    """Return the learner of a model that build_parser_model made."""
    learner = learner_of(model)
    assert isinstance(learner, ParserLearner)
    return learner


def _parse(model: Model, batch: Batch, is_train: bool) -> tuple[Trees, Callable]:
    parser = get_parser(model)
    return parser.best(parser.read(batch), batch.values[:, 1]), lambda gradient: batch
