"""Processing files on a Ray cluster, with one task for each file."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from spacy.language import Language

from ..errors import Errors
from ..io.pipelines import pipeline_to_bytes
from ..pipeline.learner_pipe import use_threads
from ..text.folders import Job, Outcome, Outcomes, Run, Work, opened, run_here
from ..text.input_files import TextFile
from .annotators import load_anywhere

_PIECE = 8 << 20  # bytes of output in one object of Ray

# Creates the function that processes files, given one that loads the pipeline.
MakeWork = Callable[[Callable[[], Language]], Work]


def run_on_ray(
    ray: Any,
    nlp: Language,
    make: MakeWork,
    *,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """Process files on a cluster. This process writes the output.

    Args:
        ray: The module, connected to a cluster. It retries the tasks of lost workers.
        nlp: The pipeline. Each worker loads it once.
        make: Creates the function that processes files; it is sent to the workers.
        workers: The number of files processed at the same time; by default one for each
            CPU.
        progress: Called with the number of lines that were scored.

    Returns:
        The function that processes files. It raises a ValueError (LP825) if the cluster
        fails.
    """

    def run(jobs: Sequence[Job]) -> Outcomes:
        model = ray.put(pipeline_to_bytes(nlp))
        task = ray.remote(num_cpus=1, num_returns="streaming")(_work)
        most = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting = deque(jobs)
        running: dict[Any, str] = {}
        try:
            while waiting or running:
                while waiting and len(running) < most:
                    file, target = waiting.popleft()
                    running[task.remote([model], make, file, target)] = target
                (first, *_), _ = ray.wait(list(running), fetch_local=False)
                outcome = _received(ray, first, running.pop(first))
                if progress:
                    progress(outcome.tally.scored)
                yield outcome
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except ray.exceptions.RayError as error:
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise ValueError(Errors.LP825.format(error=said[-1].strip())) from error
        finally:
            for left in running:
                ray.cancel(left)

    return run


def _received(ray: Any, results: Any, target: str) -> Outcome:
    """Write the output of a task to its file."""
    outcome = ray.get(next(results))
    if outcome.problem is None:
        with opened(target) as sink:
            for piece in results:
                sink.write(ray.get(piece))
    return outcome


# On the cluster -----------------------------------------------------------------------

_works: dict[str, Work] = {}  # cache of this worker, by the id of the pipeline


def _work(model: list[Any], make: MakeWork, file: TextFile, target: str) -> Iterator:
    """Process a file; yield its outcome and then the bytes of its output."""
    key = model[0].hex()
    if key not in _works:
        _works.clear()
        _works[key] = make(partial(_load, model[0]))
    with TemporaryDirectory() as folder:
        written = Path(folder) / Path(target).name
        (outcome,) = run_here(_works[key])([(file, str(written))])
        yield outcome
        if outcome.problem is None:
            with written.open("rb") as result:
                while piece := result.read(_PIECE):
                    yield piece


def _load(model: Any) -> Language:
    nlp = load_anywhere(model)
    use_threads(nlp, 1)  # other cores run other workers
    return nlp
