"""A chain as an estimator of scikit-learn."""

import inspect
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_choice, check_count
from ..explain.top_features import top_features
from ..explain.weight_tables import read_tables
from ..io import model_file
from ..io.atomic import write_whole
from ..learners.base import Prepared
from ..learners.chain import ChainLearner
from ..learners.serialization.pieces import suspicion
from .fitted import DEFAULTS, LEARNERS, Fitted, Labels, Settings, check_lengths
from .inputs import TEMPLATE

Self = TypeVar("Self", bound="ChainClassifier")


class NotFittedError(ValueError, AttributeError):
    """An error of an estimator that was not fitted, as scikit-learn's of this name."""


class ChainClassifier:
    """A linear chain over features that are given token by token.

    A sentence is a list of tokens. A token is a dict of features as for
    python-crfsuite, a list of strings, or a row of numbers; with `templates` it is a
    word, or a tuple of columns.

    Args:
        learner: "perceptron", "passive_aggressive", "mira", "crf" or "crf_batch", which
            is L-BFGS. For probabilities use a CRF.
        learner_params: The settings of the learner. None is for AdaGrad steps with the
            perceptron and the CRF, and for the defaults of the other learners.
        epochs: The number of passes over the examples; "crf_batch" has iterations.
        order: The label history: 0, 1 or 2.
        latent: Latent states per label; 1 is the plain chain.
        min_count: Features seen less often in `fit` get no weights.
        templates: Templates over the columns of tokens, such as those of
            `read_templates`. They need spaCy.
        columns: The names of these columns. "word", "tag" and "lemma" have the
            attributes of spaCy; a template reads a column x of your own as _.x[0].
        boundaries: Learn weights for the first and the last label of a sentence.
        random_state: The seed of shuffling and of latent states.
    """

    def __init__(
        self,
        learner: str = "perceptron",
        learner_params: Mapping[str, Any] | None = None,
        *,
        epochs: int = 10,
        order: int = 1,
        latent: int = 1,
        min_count: int = 1,
        templates: Sequence[str] | None = None,
        columns: str = "word,tag",
        boundaries: bool = True,
        random_state: int = 0,
    ):
        self._set(locals())

    _fitted: Fitted | None = None

    # Parameters -----------------------------------------------------------------------

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        parameters = inspect.signature(cls).parameters
        return {name: parameter.default for name, parameter in parameters.items()}

    def _set(self, given: Mapping[str, Any]) -> None:
        for name in self._defaults():
            setattr(self, name, given[name])

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments of the constructor."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self: Self, **params: Any) -> Self:
        """Change arguments of the constructor, for the next `fit`."""
        for name, value in params.items():
            check_choice("a parameter", name, self._defaults())
            setattr(self, name, value)
        return self

    def _plain_params(self) -> dict[str, Any]:
        """Return the parameters without the types of numpy, which searches give."""
        given = self.get_params().items()
        return {k: v.item() if isinstance(v, np.generic) else v for k, v in given}

    def __repr__(self) -> str:
        defaults, given = self._defaults(), self.get_params()
        shown = [f"{k}={v!r}" for k, v in given.items() if v != defaults[k]]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        inputs = InputTags(two_d_array=False, string=True, dict=True)
        return Tags(None, TargetTags(required=True), input_tags=inputs)

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted is not None

    def _settings(self) -> Settings:
        """Check the parameters."""
        given = self._plain_params()
        name = check_choice("learner", given["learner"], LEARNERS)
        settings = given["learner_params"]
        if settings is None:
            settings = DEFAULTS.get(name, {})
        chain = {key: given[key] for key in ("order", "latent", "boundaries")}
        return Settings(
            LEARNERS[name](**settings),
            check_count("epochs", given["epochs"]),
            check_count("min_count", given["min_count"]),
            {**chain, "seed": given["random_state"]},
            given["templates"],
            tuple(given["columns"].split(",")),
        )

    # Learning -------------------------------------------------------------------------

    def fit(self: Self, X: Sequence, y: Labels) -> Self:
        """Learn from sentences and their labels.

        Args:
            X: The sentences.
            y: A list of strings for each.
        """
        fitted = Fitted.start(self._settings())
        fitted.learn(X, y, fitted.settings.epochs, ())
        self._fitted = fitted
        return self

    def partial_fit(
        self: Self, X: Sequence, y: Labels, classes: Iterable[str] = ()
    ) -> Self:
        """Learn from more sentences in one pass.

        Args:
            X: The sentences.
            y: Their labels, which may be new.
            classes: Labels that come later.
        """
        fitted = self._fitted or Fitted.start(self._settings())
        if (learner := fitted.settings.learner).needs_all:
            raise ValueError(Errors.LP887.format(learner=learner.name))
        fitted.learn(X, y, 1, classes)
        self._fitted = fitted
        return self

    # Predicting -----------------------------------------------------------------------

    @property
    def _model(self) -> Fitted:
        if self._fitted is None:
            raise NotFittedError(Errors.LP880.format(name=type(self).__name__))
        return self._fitted

    def _read(self, X: Sequence) -> tuple[ChainLearner, Prepared]:
        model = self._model
        return model.chain, model.chain.read(model.read(X))

    def predict(self, X: Sequence) -> NDArray[np.object_]:
        """Predict a list of labels for each sentence."""
        chain, batch = self._read(X)
        labels = np.array(chain.labels, dtype=object)[chain.best(batch)]
        return _per_sentence(labels.tolist(), batch)

    def predict_marginals(self, X: Sequence) -> NDArray[np.object_]:
        """Predict the probability of each label: a list of dicts per sentence. Only
        a CRF learns probabilities; those of other learners are not calibrated."""
        chain, batch = self._read(X)
        table, _ = chain.marginals(batch)
        rows = [dict(zip(chain.labels, row, strict=True)) for row in table.tolist()]
        return _per_sentence(rows, batch)

    def predict_n_best(
        self, X: Sequence, n: int = 5
    ) -> list[list[tuple[list[str], float]]]:
        """Predict the n best label sequences of each sentence with their scores, the
        best first."""
        chain, batch = self._read(X)
        flat, scores, counts = chain.n_best(batch, n)
        labels = iter(np.array(chain.labels, dtype=object)[flat].tolist())
        score, count = iter(scores.tolist()), iter(counts.tolist())
        return [
            [
                ([next(labels) for _ in range(size)], next(score))
                for _ in range(next(count) if size else 0)
            ]
            or [([], 0.0)]
            for size in np.diff(batch.docs).tolist()
        ]

    def score(self, X: Sequence, y: Labels) -> float:
        """Return the share of tokens with the right label."""
        check_lengths("X", X, "y", y)
        right = tokens = 0
        for s, (found, gold) in enumerate(zip(self.predict(X), y, strict=True)):
            check_lengths(f"X[{s}]", found, f"y[{s}]", gold)
            right += sum(a == b for a, b in zip(found, gold, strict=True))
            tokens += len(gold)
        return right / tokens if tokens else 0.0

    # Weights --------------------------------------------------------------------------

    @property
    def classes_(self) -> list[str]:
        """The labels."""
        return list(self._model.chain.labels)

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """The weights of features by name and label; with latent states, the largest of
        the label's."""
        model, chain = self._model, self._model.chain
        if model.settings.templates is not None:
            raise ValueError(Errors.LP889)
        given = np.fromiter(model.names, np.uint64)[:, None]
        hashes = chain.empty_space().hashes(given)
        own = hashes[:, chain.plan.observations.index(TEMPLATE)].tolist()
        name_of = dict(zip(own, model.names.values(), strict=True))
        found: dict[tuple[str, str], float] = {}
        for table in read_tables(chain):
            keys = np.repeat(table.keys, np.diff(table.offsets)).tolist()
            labels = (table.units[2] * table.latent // chain.latent).tolist()
            cells = zip(keys, labels, table.values.tolist(), strict=True)
            for key, label, weight in cells if table.kind == 0 else ():
                place = name_of.get(key, ""), chain.labels[label]
                if place[0] and abs(weight) > abs(found.get(place, 0.0)):
                    found[place] = weight
        return found

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """The weights of pairs of labels; with latent states there are none."""
        pairs = top_features(self._model.chain, 1).transitions
        return {(pair.before, pair.label): pair.weight for pair in pairs}

    # Saving ---------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Serialize the parameters and the weights. Loading executes no code."""
        header: dict[str, Any] = {
            "estimator": type(self).__name__,
            "params": self._plain_params(),
        }
        arrays = {}
        if (model := self._fitted) is not None:
            header["width"] = model.width
            names = [list(model.names), list(model.names.values())]
            arrays["names"] = np.frombuffer(json.dumps(names).encode(), np.uint8)
            arrays["chain"] = np.frombuffer(model.chain.to_bytes(), np.uint8)
        return model_file.pack_tight(header, arrays)

    @classmethod
    def from_bytes(cls: type[Self], data: bytes) -> Self:
        """Load the bytes of `to_bytes`."""
        header, arrays = model_file.unpack(data)
        if (found := header.get("estimator")) != cls.__name__:
            raise ValueError(Errors.LP888.format(found=found, wanted=cls.__name__))
        with suspicion():
            result = cls(**header["params"])
            if "chain" in arrays:
                result._fitted = fitted = Fitted.start(result._settings())
                fitted.chain.from_bytes(arrays["chain"].tobytes())
                names = json.loads(arrays["names"].tobytes())
                fitted.names.update(zip(*names, strict=True))
                if header["width"] is not None:
                    fitted.width = check_count("width", header["width"])
        return result

    def __reduce__(self) -> tuple:
        return type(self).from_bytes, (self.to_bytes(),)

    def save(self, path: str | Path) -> None:
        """Write the bytes of `to_bytes` to a file."""
        write_whole(Path(path), self.to_bytes())

    @classmethod
    def load(cls: type[Self], path: str | Path) -> Self:
        """Read a file of `save`."""
        return cls.from_bytes(Path(path).read_bytes())


def _per_sentence(values: list, batch: Prepared) -> NDArray[np.object_]:
    """Divide values of tokens among sentences: an array of lists, as numbers of tokens
    differ."""
    docs = batch.docs.tolist()
    found = np.empty(len(docs) - 1, dtype=object)
    for s, (start, end) in enumerate(zip(docs[:-1], docs[1:], strict=True)):
        found[s] = values[start:end]
    return found
