"""Loading of a component of another pipeline, which gives initial weights."""

from pathlib import Path

import spacy
from spacy.util import is_package, load_config

from ..errors import Errors
from ..pipeline.learner_pipe import LearnerPipe


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
