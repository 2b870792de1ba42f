"""Warm starts: the weights of another, trained component."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import spacy
from spacy.util import is_package, load_config

from ..errors import Errors
from ..learners.initial_weights import begin_from, check_fit
from ..schemes import get_scheme
from .learner_pipe import LearnerPipe

if TYPE_CHECKING:
    from .chain_pipe import ChainPipe

TIED = ("scheme", "schemes", "attribute")


@dataclass(frozen=True)
class WarmStart:
    """A trained component, and the path of its pipeline."""

    source: "ChainPipe"
    where: str

    @classmethod
    def find(
        cls, pipe: "ChainPipe", init_from: str | Path | None, component: str | None
    ) -> "WarmStart":
        """Find the component to begin with, and check it before the corpus is read.

        Args:
            pipe: The component.
            init_from: A trained pipeline.
            component: The component there.
        """
        if init_from is None:
            message = Errors.LP098.format(name=pipe.name, component=component)
            raise ValueError(message)
        pipe.coder.refuse("init_from")
        where = str(init_from)
        source = load_component(init_from, component, pipe.name)
        for what in TIED:
            found, wanted = _tied(source, what), _tied(pipe, what)
            if found != wanted:
                message = Errors.LP097.format(
                    where=where, what=what, found=found, wanted=wanted
                )
                raise ValueError(message)
        check_fit(pipe.learner, source.learner, where=where)
        return cls(source, where)

    def apply(self, pipe: "ChainPipe") -> None:
        """Copy the weights into a component that was just initialized."""
        missing = [label for label in self.source.labels if label not in pipe.labels]
        if missing:
            names = ", ".join(missing)
            raise ValueError(Errors.LP095.format(where=self.where, missing=names))
        begin_from(pipe.learner, self.source.learner, where=self.where)


def _tied(pipe: LearnerPipe, key: str) -> object:
    value = pipe.cfg.get(key)
    return get_scheme(value).name if key == "scheme" and value else value


def load_component(path: str | Path, component: str | None, name: str) -> LearnerPipe:
    """Load a component of this package from a trained pipeline, and nothing else.

    Args:
        path: The pipeline.
        component: Its name; None: the one of this name, or the only one of this
            package.
        name: The name of the component that begins with it, for messages.
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
    ours = {key: pipe for key, pipe in nlp.pipeline if isinstance(pipe, LearnerPipe)}
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
