"""Loading of a component of another pipeline, which gives initial weights."""

from pathlib import Path

from ..errors import Errors
from ..io.pipelines import load_pipeline
from ..pipeline.learner_pipe import LearnerPipe


def load_component(path: str | Path, component: str | None, name: str) -> LearnerPipe:
    """Load a component of this package from a trained pipeline.

    Args:
        path: The pipeline.
        component: Its name; None: the one of this name, or the only one of this
            package.
        name: The name of the component that begins with it, for messages.
    """
    try:
        nlp = load_pipeline(path)
    except Exception as error:
        message = Errors.LP093.format(name=name, path=path, error=error)
        raise ValueError(message) from error
    ours = {key: pipe for key, pipe in nlp.pipeline if isinstance(pipe, LearnerPipe)}
    only = next(iter(ours)) if len(ours) == 1 and name not in ours else name
    wanted = component or only
    if wanted not in ours:
        message = Errors.LP094.format(
            name=name,
            path=path,
            wanted=wanted,
            known=", ".join(ours) or ", ".join(nlp.pipe_names) or "none",
        )
        raise ValueError(message)
    return ours[wanted]
