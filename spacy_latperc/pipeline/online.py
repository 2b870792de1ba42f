"""Learning that goes on: from another component's weights, beside rehearsal of what was
known, and in services whose memory must not grow."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.training import Example, validate_examples
from spacy.util import is_package, load_config
from thinc.api import Model, Optimizer

from ..errors import Errors
from ..kernels.features import FeatureSpace
from ..learners.chain import NO_PATH, UNKNOWN
from ..learners.warm_start import begin_from, check_fit
from ..model import get_learner
from ..schemes import get_scheme
from .base import ChainPipe

# Words whose attributes are still remembered when a memory zone ends.
ZONE_WORDS = 1 << 16


class OnlinePipe(ChainPipe):
    """A component that may begin, and go on learning, from what is known."""

    # `nlp.resume_training` puts a copy of the model here.
    _rehearsal_model: Model | None = None

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
        init_from: str | Path | None = None,
        init_component: str | None = None,
    ) -> None:
        """Collect labels, count the sentences of a pass, set the first weights.

        labels: the labels, when they are known (`spacy init labels`); collecting
            them is then skipped.
        init_from: a trained pipeline, whose weights this component begins with; zero
            weights otherwise. Its labels, templates and order may be fewer than ours.
        init_component: the component there; by default the one of our name, or the
            only one of this package.
        """
        source = None
        if init_from is not None:
            source = load_component(init_from, init_component, self.name)
            self._check_source(source, str(init_from))
        elif init_component is not None:
            message = Errors.LP098.format(name=self.name, component=init_component)
            raise ValueError(message)
        self._rehearsal_model = None
        super().initialize(get_examples, nlp=nlp, labels=labels)
        if source is not None:
            missing = [label for label in source.labels if label not in self.labels]
            if missing:
                names = ", ".join(missing)
                raise ValueError(Errors.LP095.format(where=init_from, missing=names))
            begin_from(self.learner, source.learner, where=str(init_from))

    def _check_source(self, source: ChainPipe, where: str) -> None:
        """What can be known before the corpus is read."""
        for what, found, wanted in (
            ("scheme", _scheme(source), _scheme(self)),
            ("schemes", source.cfg.get("schemes"), self.cfg.get("schemes")),
            ("attribute", source.cfg.get("attribute"), self.cfg.get("attribute")),
        ):
            if found != wanted:
                message = Errors.LP097.format(
                    where=where, what=what, found=found, wanted=wanted
                )
                raise ValueError(message)
        check_fit(self.learner, source.learner, where=where)

    def rehearse(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from what the model of before says about these texts, so that it is not
        forgotten. Does nothing before `nlp.resume_training`.

        drop, sgd, losses: as in `update`.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.rehearse")
        docs = [example.predicted for example in examples]
        if self._rehearsal_model is None or not any(len(doc) for doc in docs):
            return losses
        batch = self._input(docs)
        gold = self._rehearsal_model.predict(batch)
        gold[gold == NO_PATH] = UNKNOWN
        blocks = self.learner.extract(batch.values, batch.docs, batch.lookup)
        loss, _ = self.learner.update(blocks, gold)
        losses[self.name] += loss
        return losses

    @contextmanager
    def memory_zone(self, mem: Any = None) -> Iterator[Any]:
        """What was remembered of words does not outlive a zone with ever new ones."""
        try:
            yield mem
        finally:
            for model in (self.model, self._rehearsal_model):
                if model is not None:
                    forget_words(get_learner(model).space)


def forget_words(space: FeatureSpace) -> None:
    """Remember no words, if there are many."""
    if space.n_lexemes > ZONE_WORDS:
        space.forget_lexemes()


def _scheme(component: ChainPipe) -> str | None:
    scheme = component.cfg.get("scheme")
    return get_scheme(scheme).name if scheme else None


def load_component(path: str | Path, component: str | None, name: str) -> ChainPipe:
    """A component of ours from a trained pipeline; nothing else of it is loaded.

    component: its name; None: the one of this name, or the only one of this package.
    """
    folder = Path(path)
    try:
        if folder.is_dir():
            config = load_config(folder / "config.cfg")
            names = list(config["nlp"]["pipeline"])
            wanted = component or (name if name in names else None)
            others = [other for other in names if wanted in names and other != wanted]
            nlp = spacy.load(folder, exclude=others)
        elif is_package(str(path)):
            nlp = spacy.load(path)
        else:
            raise FileNotFoundError("there is no such folder or package")
    except Exception as error:
        message = Errors.LP093.format(name=name, path=path, error=error)
        raise ValueError(message) from error
    ours = {key: pipe for key, pipe in nlp.pipeline if isinstance(pipe, ChainPipe)}
    wanted = component or (name if name in ours else None)
    if wanted is None and len(ours) == 1:
        wanted = next(iter(ours))
    if wanted not in ours:
        message = Errors.LP094.format(
            name=name,
            path=path,
            wanted=component or name,
            known=", ".join(ours) or ", ".join(nlp.pipe_names) or "none",
        )
        raise ValueError(message)
    return ours[wanted]
