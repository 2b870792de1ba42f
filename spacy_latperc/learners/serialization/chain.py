"""The file of a chain learner: what stands in it, and reading it with suspicion."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import Errors
from ...io import model_file
from ...kernels.chain import Chain
from ...kernels.frozen import FrozenChain
from ...kernels.structure import Structure
from . import pieces
from .pieces import Rows, Rules
from .state import restore_state, write_state

Description = Mapping[str, Any]  # of the model: what must agree when a file is loaded


@dataclass(frozen=True)
class Counters:
    """How far learning has come."""

    examples: int
    pass_size: int
    random_state: int


@dataclass(frozen=True)
class LoadedChain:
    """What a file says. chain: rows that can go on learning exactly, if it has them."""

    labels: list[str]
    rules: Rules
    structure: Structure
    frozen: FrozenChain
    counters: Counters
    chain: Chain | None
    has_state: bool


def write_chain(
    description: Description,
    labels: Sequence[str],
    rules: Rules,
    weights: Sequence[Rows],
    counters: Counters,
    *,
    bits: int = 32,
    state: Chain | None = None,
) -> bytes:
    """bits: 32 keeps the weights exactly; 16 rounds them to 65,535 steps.
    state: rows whose whole state is kept too."""
    header: dict[str, Any] = {
        "kind": "chain",
        **description,
        "labels": list(labels),
        "examples": counters.examples,
        "pass_size": counters.pass_size,
        "random_state": counters.random_state,
    }
    arrays = pieces.write_rules(rules)
    for b, (*rows, values) in enumerate(weights):
        if bits == 16:
            values, header[f"{b}.scale"] = pieces.round_values(values)
        arrays.update(pieces.write_rows(b, (*rows, values)))
    if state is not None:
        header["state"], kept = write_state(state)
        arrays.update(kept)
    return model_file.pack(header, arrays)


def read_chain(
    data: bytes,
    description: Description,
    make_structure: Callable[[list[str], Rules], Structure],
    make_chain: Callable[[Structure, int, bool], Chain] | None,
) -> LoadedChain:
    """make_chain: rows that learn, from a structure, the size of a pass, and whether
    latent states had noise at first; None: the state is not wanted."""
    header, arrays = model_file.unpack(data)
    if header.get("kind") != "chain":
        raise ValueError(Errors.LP025.format(kind=header.get("kind")))
    for name, value in description.items():
        if header.get(name) != value:
            found, wanted = _short(header.get(name)), _short(value)
            raise ValueError(Errors.LP026.format(name=name, found=found, wanted=wanted))
    try:
        labels = pieces.read_labels(header)
        rules = pieces.read_rules(arrays, len(labels))
        structure = make_structure(labels, rules)
        frozen = FrozenChain(structure)
        for b in range(len(structure.blocks)):
            if f"{b}.keys" in arrays or labels:
                frozen.fill(b, *pieces.read_rows(header, arrays, b))
        examples = pieces.read_count(header, "examples")
        pass_size = pieces.read_count(header, "pass_size")
        random_state = pieces.read_count(header, "random_state", bits=64)
        chain = None
        if make_chain is not None and "state" in header:
            chain = make_chain(structure, pass_size, bool(header["state"]["noise"]))
            if restore_state(chain, header["state"], arrays):
                examples -= chain.examples
                chain.random_state = random_state
            else:
                chain = None
        if examples < 0:
            raise ValueError("more examples now than in all")
    except model_file.DAMAGED as error:
        raise ValueError(Errors.LP023.format(error=error)) from error
    return LoadedChain(
        labels,
        rules,
        structure,
        frozen,
        Counters(examples, pass_size, random_state),
        chain,
        "state" in header,
    )


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:200] + " ..."
