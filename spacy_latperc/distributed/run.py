"""Work on pieces of files: those that read, those that work, and what comes back."""

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

from spacy.language import Language

from ..errors import Errors
from ..grammaticality.filter.files import Layout, TextFile, format_of
from ..io.pipelines import pipeline_from_bytes, pipeline_to_bytes
from ..pipeline.base import use_threads
from .output import Made
from .pieces import (
    Piece,
    pieces_from_table,
    pieces_to_table,
    read_in_pieces,
    read_pieces,
)

# On every core one that works and one that reads, which mostly waits. Whole CPUs would
# leave those that read none, and both would wait for ever.
_WORKING, _READING = 0.9, 0.1
_BLOCK_BYTES = 1 << 19  # what is handed on at once
_MOST_TASKS = 2000

# What makes of a piece another one, and what makes such a worker of a way to load the
# pipeline. A worker raises ValueError for what is wrong with the data.
Worker = Callable[[Piece], Piece]
MakeWorker = Callable[..., Worker]


def work_on_files(
    ray: Any,
    nlp: Language,
    files: Sequence[TextFile],
    layout: Layout,
    make: MakeWorker,
    arguments: Sequence[Any],
    *,
    workers: int | None = None,
) -> Made:
    """What workers make of all pieces of files, in order.

    Args:
        ray: The module, connected.
        nlp: The pipeline, which every worker gets once.
        files: What is read.
        layout: How.
        make: Makes a worker; called with what loads the pipeline, and the arguments.
        arguments: For `make`.
        workers: How many; by default one for each CPU of the cluster.

    Returns:
        Each file, its format, and what was made of its pieces. A file must be used up
        before the next.

    Raises:
        ValueError: A worker could not load the pipeline, or the cluster failed. What is
            wrong with the data is the `problem` of a piece.
    """
    formats = [layout.format or format_of(file.path) for file in files]
    n = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    pieces = _pieces(ray, nlp, files, formats, layout, make, arguments, n)
    with _settings_of_data(ray), closing(pieces):
        for number, found in groupby(pieces, lambda piece: piece.file):
            yield files[number], formats[number], found


def work_here(
    load: Callable[[], Language],
    files: Sequence[TextFile],
    layout: Layout,
    make: MakeWorker,
    arguments: Sequence[Any],
) -> Made:
    """The same in this process, without Ray."""
    work = make(load, *arguments)
    for number, file in enumerate(files):
        format = layout.format or format_of(file.path)
        pieces = read_pieces(number, file.path, format, layout.field)
        yield file, format, (made_of(piece, work) for piece in pieces)


def made_of(piece: Piece, work: Worker) -> Piece:
    """What a worker makes of a piece; what goes wrong is its problem."""
    if piece.problem:
        return piece
    try:
        return work(piece)
    except ValueError as error:
        problem = str(error)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        line = piece.first + 1
        problem = Errors.LP826.format(path=piece.path, line=line, error=said)
    return replace(piece, content=b"", problem=problem)


def _pieces(
    ray: Any,
    nlp: Language,
    files: Sequence[TextFile],
    formats: Sequence[str],
    layout: Layout,
    make: MakeWorker,
    arguments: Sequence[Any],
    workers: int,
) -> Generator[Piece, None, None]:
    rows = [
        {"file": i, "path": file.path, "format": format}
        for i, (file, format) in enumerate(zip(files, formats, strict=True))
    ]
    model = ray.put(pipeline_to_bytes(nlp))
    tasks = ray.data.from_items(rows, override_num_blocks=min(len(rows), _MOST_TASKS))
    made = tasks.map_batches(
        read_in_pieces,
        fn_args=(layout.field,),
        batch_size=1,
        batch_format="pyarrow",
        num_cpus=_READING,
    ).map_batches(
        _Actor,
        fn_constructor_args=(model, make, tuple(arguments)),
        batch_size=None,
        batch_format="pyarrow",
        num_cpus=_WORKING,
        compute=ray.data.ActorPoolStrategy(size=workers),
    )
    tables = iter(made.iter_batches(batch_size=None, batch_format="pyarrow"))
    try:
        for table in tables:
            for piece in pieces_from_table(table):
                if piece.file < 0:
                    raise ValueError(piece.problem)
                yield piece
    except ray.exceptions.RayError as error:
        raise ValueError(Errors.LP825.format(error=_cause(error))) from error
    finally:
        tables.close()  # the work ends here, and not when the last name is forgotten


@contextmanager
def _settings_of_data(ray: Any) -> Iterator[None]:
    """How Ray Data works here; what others use it for is not touched."""
    context = ray.data.DataContext.get_current()
    wanted = {
        "target_max_block_size": _BLOCK_BYTES,
        "target_min_block_size": 1,
        "enable_progress_bars": False,
    }
    before = {name: getattr(context, name) for name in wanted}
    order = context.execution_options.preserve_order
    logger = logging.getLogger("ray.data")
    level = logger.level
    try:
        for name, value in wanted.items():
            setattr(context, name, value)
        context.execution_options.preserve_order = True
        logger.setLevel(logging.ERROR)
        yield
    finally:
        for name, value in before.items():
            setattr(context, name, value)
        context.execution_options.preserve_order = order
        logger.setLevel(level)


def _cause(error: BaseException) -> str:
    """The last line of what Ray says, which has the error itself."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


# On the cluster -----------------------------------------------------------------------


class _Actor:
    """Loads the pipeline once, and works on pieces. What fails is told in pieces: an
    error that is raised here would be shown with its stack, once for each actor."""

    def __init__(self, model: Any, make: MakeWorker, arguments: tuple[Any, ...]):
        import ray

        self.failure = ""
        try:
            self.work = make(partial(_load, ray.get(model)), *arguments)
        except Exception as error:
            node = ray.util.get_node_ip_address()
            said = f"{type(error).__name__}: {error}"
            self.failure = Errors.LP824.format(node=node, error=said)

    def __call__(self, table: Any) -> Iterator[Any]:
        for piece in pieces_from_table(table):
            yield pieces_to_table([self._made_of(piece)])

    def _made_of(self, piece: Piece) -> Piece:
        if self.failure:
            return replace(piece, file=-1, content=b"", problem=self.failure)
        return made_of(piece, self.work)


def _load(content: bytes) -> Language:
    nlp = pipeline_from_bytes(content)
    use_threads(nlp, 1)  # the other cores have workers of their own
    return nlp
