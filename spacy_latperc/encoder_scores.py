"""A chain on top of a neural encoder: a linear layer over token vectors scores the
states of the chain, and the encoder is trained through the chain.

The scores of the layer are the external scores of the chain. The gradient of the loss
with respect to them comes from the rule of the chain, so that all rules that have one
can train an encoder. Transitions, and sparse features if there are some, are weights of
the chain, with its own steps and averages.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Linear, Model, Optimizer, chain, set_dropout_rate, with_array
from thinc.initializers import zero_init

from .errors import Errors
from .features.sets import FeatureSet, make_set
from .kernels.chains import FeatureBlock
from .learners.chain import ChainLearner
from .learners.crf import crf
from .learners.learner_settings import LearnerSettings, SearchSettings, viterbi
from .model import ChainModel, build_chain_model

Scores = NDArray[np.float32]
_ENCODER, NETWORK, _LAYER = "tok2vec", "network", "scores"
SAMPLE = 10  # Docs from which the sizes of layers are inferred
_TRANSITIONS = {0: ["bias"], 1: ["edge:bias"], 2: ["edge:bias", "tri:bias"]}


def build_encoder_model(
    tok2vec: Model,
    search: SearchSettings | None = None,
    learner: LearnerSettings | None = None,
    latent: int = 1,
    order: int = 1,
    features: FeatureSet | None = None,
    seed: int = 0,
    keep_state: bool = False,
    boundaries: bool = True,
) -> Model:
    """Score labels with a linear layer over the vectors of an encoder, which is trained
    together with the chain.

    Args:
        tok2vec: A layer from Docs to token vectors, such as spacy.Tok2VecListener.v1.
        search: How the best path is found; Viterbi.v1 by default.
        learner: How the weights change; CRF.v1 by default. It must have a gradient with
            respect to scores: a perceptron, a probabilistic perceptron or a CRF.
        latent: Latent states per label; 1 is the plain chain.
        order: Label history: 0 (tokens apart), 1 or 2.
        features: Templates of sparse features besides; by default transitions only.
        seed: Of the initial noise and of shuffling.
        keep_state: Also save what learning needs to continue exactly.
        boundaries: Learn weights for the first and the last label of a sentence.
    """
    learner = learner or crf()
    if learner.epoch_trainer is not None:
        raise ValueError(Errors.LP643.format(name=learner.name))
    if not learner.make_rule().has_slope:
        raise ValueError(Errors.LP642.format(name=learner.name))
    plain = build_chain_model(
        features or make_set(_TRANSITIONS.get(order, ["edge:bias"])),
        search or viterbi(),
        learner,
        latent,
        order,
        seed,
        keep_state,
        boundaries,
    )
    layer = Linear(init_W=zero_init)
    network = chain(tok2vec, with_array(layer))
    return ChainModel(
        "latperc_encoder_chain",
        plain._func,
        layers=[network],
        shims=plain.shims,
        refs={_ENCODER: tok2vec, NETWORK: network, _LAYER: layer},
    )


class EncoderScores:
    """The encoder of a model, and its layer of scores.

    Args:
        model: A model that `build_encoder_model` made.
    """

    def __init__(self, model: Model):
        self.model = model
        self.network: Model = model.get_ref(NETWORK)

    def initialize(
        self, get_examples: Callable[[], Iterable[Example]], learner: ChainLearner
    ) -> None:
        """Start with fresh weights, and with scores of 0."""
        self._replace_layer(Linear(_n_states(learner), init_W=zero_init))
        sample = [example.predicted for example in islice(get_examples(), SAMPLE)]
        self.network.initialize(X=sample)

    def grow(self, learner: ChainLearner) -> None:
        """Add the new states of a chain, whose scores are 0 until they are trained."""
        old = self.model.get_ref(_LAYER)
        if not old.has_param("W"):
            return
        width = old.get_dim("nI")
        new = Linear(_n_states(learner), width, init_W=zero_init).initialize()
        for name in ("W", "b"):
            new.get_param(name)[: old.get_dim("nO")] = old.get_param(name)
        self._replace_layer(new)

    def _replace_layer(self, layer: Model) -> None:
        self.model.replace_node(self.model.get_ref(_LAYER), layer)

    def predict(self, docs: Sequence[Doc]) -> Scores:
        """Return the scores of Docs, [tokens, states]."""
        return self._joined(docs, self.network.predict(list(docs)))

    def learn(
        self,
        learner: ChainLearner,
        docs: Sequence[Doc],
        features: list[FeatureBlock],
        gold: NDArray[np.int32],
        *,
        drop: float,
    ) -> tuple[float, list[int]]:
        """Let a chain learn from a batch, and the encoder from its slope."""
        set_dropout_rate(self.network, drop)
        found, backprop = self.network.begin_update(list(docs))
        scores = self._joined(docs, found)
        slope = np.zeros_like(scores)
        result = learner.update(features, gold, external_scores=scores, slope=slope)
        ends = np.cumsum([0, *map(len, docs)]).tolist()
        asarray = self.network.ops.asarray2f
        backprop([asarray(slope[i:j]) for i, j in pairwise(ends)])
        return result

    @staticmethod
    def refuse(name: str, what: str) -> NoReturn:
        """Refuse what a component with an encoder does not support."""
        raise ValueError(Errors.LP646.format(name=name, what=what))

    def _joined(self, docs: Sequence[Doc], found: Sequence[Any]) -> Scores:
        to_numpy = self.network.ops.to_numpy
        scores = np.concatenate([to_numpy(part) for part in found])
        finite = np.isfinite(scores).all(axis=1)
        if not finite.all():
            ends = np.cumsum([len(doc) for doc in docs])
            number = int(np.searchsorted(ends, finite.argmin(), side="right"))
            raise ValueError(Errors.LP644.format(doc=repr(docs[number].text[:50])))
        return np.ascontiguousarray(scores, dtype=np.float32)


def _n_states(learner: ChainLearner) -> int:
    return len(learner.labels) * learner.latent


def check_optimizer(name: str, optimizer: Optimizer) -> None:
    """Refuse an optimizer that does not change the weights of an encoder."""
    if not float(getattr(optimizer, "learn_rate", 1.0)):
        raise ValueError(Errors.LP645.format(name=name))
