"""A learner as a thinc Model, for spaCy to build, save and load it from a config."""

import warnings
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from thinc.api import Model, Optimizer, Shim

from .errors import Errors, Warnings
from .errors.check import check_block, check_strings
from .features.sets import FeatureSet, unite_sets
from .grammaticality.classifier import (
    ClassifierSettings,
    LatentClassifier,
    SentenceScores,
)
from .grammaticality.classifier.views import CHUNK_TYPES
from .learners.base import Batch, Learner
from .learners.chain import ChainLearner
from .learners.learner_settings import LearnerSettings, SearchSettings
from .learners.members import JoinedChain, Member
from .learners.serialization.cutting import EXACT, cut_weights, tightened


class LearnerShim(Shim):
    """Saves and loads a learner where thinc keeps foreign models. There is no gradient:
    the learner changes its weights in its own update and averages them itself."""

    _model: Learner

    learner: Any  # a plain attribute, since every prediction asks for it
    # The form of the weights in files: the bits of each, and the share to leave out.
    bits, cut = EXACT, 0.0

    def __init__(self, learner: Learner):
        super().__init__(learner)
        self.learner = learner
        self.generation = object()

    def to_bytes(self) -> bytes:
        """The file of the learner."""
        data = self.learner.to_bytes(bits=self.bits)
        if self.bits == EXACT:
            return data
        return tightened(cut_weights(data, self.cut))

    def from_bytes(self, bytes_data: bytes) -> "LearnerShim":
        """Load into a fresh learner: a file that is refused changes nothing."""
        fresh = self.learner.blank()
        fresh.from_bytes(bytes_data)
        self.replace(fresh)
        return self

    def replace(self, learner: Learner) -> None:
        """Put another learner in the place of this one."""
        self._model = self.learner = learner
        self.generation = object()

    def finish_update(self, optimizer: Optimizer) -> None:
        """Nothing is left to do: learning happens sentence by sentence."""

    @contextmanager
    def use_params(self, params: Any) -> Any:
        """Predictions always use the averaged weights; there is nothing to swap."""
        yield

    def to_device(self, device_type: str, device_id: int) -> None:
        """The kernels run on the CPU."""


class ChainModel(Model):
    """A thinc Model that says which file is wrong when it cannot be read."""

    def from_bytes(self, bytes_data: bytes) -> "ChainModel":
        """Load what `to_bytes` gave."""
        try:
            return super().from_bytes(bytes_data)
        except Exception as error:
            if str(error).startswith("[LP"):
                raise
            reason = str(error).rstrip(".")
            message = Errors.LP027.format(size=len(bytes_data), error=reason)
            raise ValueError(message) from error

    def read_learner(self, bytes_data: bytes) -> Learner:
        """The learner that a file holds. The model is not changed: `set_learner` puts
        the learner in its place."""
        shim = _get_shim(self)
        twin = ChainModel(
            self.name,
            self._func,
            layers=[layer.copy() for layer in self.layers],
            shims=[LearnerShim(shim.learner)],
        )
        twin.from_bytes(bytes_data)
        return _get_shim(twin).learner


def build_chain_model(
    features: FeatureSet,
    search: SearchSettings,
    learner: LearnerSettings,
    latent: int = 1,
    order: int = 1,
    seed: int = 0,
    keep_state: bool = False,
    boundaries: bool = True,
    members: dict[str, Any] = {},  # noqa: B006
) -> Model:
    """A linear chain with optional latent states.

    Args:
        features: The templates (a @misc block such as spacy_latperc.Templates.v1).
        search: How the best path is found.
        learner: How the weights change.
        latent: Latent states per label; 1 is the plain chain.
        order: Label history: 0 (tokens apart), 1 or 2.
        seed: Of the initial noise and of shuffling.
        keep_state: Also save all that learning needs to go on after loading as if
            nothing had been saved. Without it, learning goes on from the averaged
            weights.
        boundaries: Learn weights for the label (or latent state) that begins a
            sentence, and for the one that ends it. A model that was trained without
            them loads and answers as before.
        members: Further chains, each under a name of your own
            (spacy_latperc.Member.v1), with templates and learners of their own. The
            scores of all chains are added up.
    """
    check_block("features", features, FeatureSet, "Templates")
    check_block("search", search, SearchSettings, "Viterbi")
    check_block("learner", learner, LearnerSettings, "PassiveAggressive")
    settings: dict[str, Any] = {
        "learner": learner,
        "search": search,
        "latent": latent,
        "order": order,
        "seed": seed,
        "keep_state": keep_state,
        "boundaries": boundaries,
    }
    for name, block in members.items():
        check_block(f"members.{name}", block, Member, "Member")
    if members:
        every = {"": Member(features, learner), **members}
        union = unite_sets([each.features for each in every.values()])
        chain: ChainLearner = JoinedChain(every, union, **settings)
    else:
        chain = ChainLearner(features, **settings)
    if latent > 1 and features.latent_form == "full" and learner.splits_counts:
        warnings.warn(Warnings.LP921.format(latent=latent), stacklevel=2)
    return ChainModel("latperc_chain", _forward, shims=[LearnerShim(chain)])


def build_latent_classifier(
    features: FeatureSet,
    learner: ClassifierSettings,
    views: list[str] = ["IOB2"],  # noqa: B006
    combine: str = "add",
    types: list[str] | None = None,
    hash_bits: int | None = 18,
    seed: int = 0,
) -> Model:
    """A classifier of sentences over latent chunkings.

    Args:
        features: The templates, each paired with the latent chunk label.
        learner: How the weights change.
        views: The representations, one classifier each (IOB1, IOB2, IOE1, IOE2, O+C).
        combine: "add": the scores of the views add up, the best by far in our
            measurements. "vote": all views take the chunking that most of them voted
            for. "cotrain": each takes the chunking that the others voted for.
        types: Of latent chunks; those of CoNLL-2000 by default, and none for no latent
            structure at all.
        hash_bits: Features share at most 2 ** hash_bits rows; null: each has its own.
        seed: Of the initial noise and of shuffling.
    """
    check_block("features", features, FeatureSet, "GrammaticalityFeatures")
    check_block("learner", learner, ClassifierSettings, "LatentPA")
    check_strings("views", views)
    check_strings("types", types or ())
    classifier = LatentClassifier(
        features,
        learner,
        schemes=views,
        types=CHUNK_TYPES if types is None else types,
        combine=combine,
        hash_bits=hash_bits,
        seed=seed,
    )
    shim = LearnerShim(classifier)
    return ChainModel("latperc_classifier", _classify, shims=[shim])


def learner_of(model: Model) -> Learner:
    """The learner inside a model of any kind."""
    return _get_shim(model).learner


def get_learner(model: Model) -> ChainLearner:
    """The learner inside a model that build_chain_model made."""
    learner = _get_shim(model).learner
    assert isinstance(learner, ChainLearner)
    return learner


def get_classifier(model: Model) -> LatentClassifier:
    """The learner inside a model that build_latent_classifier made."""
    learner = _get_shim(model).learner
    assert isinstance(learner, LatentClassifier)
    return learner


def set_learner(model: Model, learner: Learner) -> None:
    """Give a model another learner of the same kind."""
    _get_shim(model).replace(learner)


def set_precision(model: Model, bits: int, cut: float) -> None:
    """Choose the form of the weights in files; the model itself stays exact.

    Args:
        model: The model.
        bits: The bits of each weight.
        cut: The share of the weights to leave out, those nearest to 0.
    """
    shim = _get_shim(model)
    shim.bits, shim.cut = bits, cut


def get_generation(model: Model) -> object:
    """Another object whenever weights were loaded: feature ids from before mean nothing
    then."""
    return _get_shim(model).generation


def _get_shim(model: Model) -> LearnerShim:
    shim = model.shims[0] if isinstance(model, Model) and model.shims else model
    if not isinstance(shim, LearnerShim):
        raise ValueError(Errors.LP592.format(found=type(model).__name__))
    return shim


def _forward(
    model: Model, batch: Batch, is_train: bool
) -> tuple[NDArray[np.int32], Callable]:
    return get_learner(model).predict(batch), lambda gradient: batch


def _classify(
    model: Model, batch: Batch, is_train: bool
) -> tuple[SentenceScores, Callable]:
    return get_classifier(model).predict(batch), lambda gradient: batch


def no_optimizer() -> Optimizer:
    """An optimizer that does nothing, for pipelines without gradients.

    spaCy's config wants one; this one says plainly that nothing uses it.
    """
    return Optimizer(
        0.0, L2=0.0, grad_clip=0.0, L2_is_weight_decay=False, use_averages=False
    )
