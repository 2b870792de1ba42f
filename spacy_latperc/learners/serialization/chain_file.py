"""The file of a chain learner."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import Errors
from ...features.sources import Source, Sources
from ...features.templates import NO_SOURCES
from ...io import model_file
from ...kernels.chains import Chain, FrozenChain, Structure
from . import pieces
from .pieces import Rows, Rules, read_sources, write_sources
from .state import restore_state, write_state

Description = Mapping[str, Any]  # the properties that file and model must share


@dataclass(frozen=True)
class Counters:
    """The counters of training."""

    examples: int
    epoch_size: int
    random_state: int


@dataclass(frozen=True)
class LoadedChain:
    """The contents of a file. chain: Rows that can continue training exactly, if any.
    boundaries: True if it may have start and end weights; older files have none."""

    labels: list[str]
    rules: Rules
    structure: Structure
    frozen: FrozenChain
    counters: Counters
    chain: Chain | None
    has_state: bool
    boundaries: bool
    sources: dict[str, Source]


def write_chain(
    description: Description,
    labels: Sequence[str],
    rules: Rules,
    weights: Sequence[Rows],
    counters: Counters,
    *,
    bits: int = 32,
    state: Chain | None = None,
    sources: Sources = NO_SOURCES,
) -> bytes:
    """Write the file of a chain."""
    header: dict[str, Any] = {
        "kind": "chain",
        **description,
        "labels": list(labels),
        "examples": counters.examples,
        "pass_size": counters.epoch_size,
        "random_state": counters.random_state,
    }
    arrays = {**pieces.write_rules(rules), **write_sources(sources)}
    for b, rows in enumerate(weights):
        arrays.update(pieces.write_rows(header, b, rows, bits))
    if state is not None:
        header["state"], kept = write_state(state)
        arrays.update(kept)
    return model_file.pack(header, arrays)


def read_chain(
    data: bytes,
    description: Description,
    make_structure: Callable[[list[str], Rules], Structure],
    make_chain: Callable[[Structure, int, bool], Chain] | None,
    sources: Sources = NO_SOURCES,
) -> LoadedChain:
    """Read the file of a chain.

    Args:
        data: The file.
        description: The description of the model that it must fit.
        make_structure: A function from labels and rules to a structure.
        make_chain: A function from a structure, the size of an epoch, and a flag for
            initial noise to rows in training; None to ignore the state.
        sources: Sources of attributes that are saved in this file.
    """
    header, arrays = pieces.open_model(data, "chain", description, Errors.LP025)
    with pieces.suspicion():
        known = read_sources(arrays, sources)
        labels = pieces.read_labels(header)
        rules = pieces.read_rules(arrays, len(labels))
        structure = make_structure(labels, rules)
        frozen = FrozenChain(structure)
        for b in range(len(structure.blocks)):
            if f"{b}.keys" in arrays or labels:
                frozen.fill(b, *pieces.read_rows(header, arrays, b))
        examples = pieces.read_count(header, "examples")
        epoch_size = pieces.read_count(header, "pass_size")
        random_state = pieces.read_count(header, "random_state", bits=64)
        chain = None
        if make_chain is not None and "state" in header:
            chain = make_chain(structure, epoch_size, bool(header["state"]["noise"]))
            if restore_state(chain, header["state"], arrays):
                examples -= chain.examples
                chain.random_state = random_state
            else:
                chain = None
        if examples < 0:
            raise ValueError("more examples now than in all")
    return LoadedChain(
        labels,
        rules,
        structure,
        frozen,
        Counters(examples, epoch_size, random_state),
        chain,
        "state" in header,
        header.get("boundaries") is True,
        known,
    )
