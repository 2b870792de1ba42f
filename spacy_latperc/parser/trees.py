"""Trees on Docs: reading and checking gold, heads that are set already, and writing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors
from ..pipeline.docs import describe
from .projective import is_projective, projectivize

UNKNOWN = -1


@dataclass(frozen=True)
class Tree:
    """What is known of the trees of a Doc.

    Attributes:
        heads: Positions in the Doc; a root is its own, and UNKNOWN is not known.
        relations: Of the tokens; "" where the head is not known.
        starts: Whether a sentence begins at the token.
    """

    heads: list[int]
    relations: list[str]
    starts: list[bool]

    def sentences(self) -> Iterator[tuple[int, int]]:
        """First tokens of the sentences, and their ends."""
        firsts = [i for i, start in enumerate(self.starts) if start or i == 0]
        return pairwise([*firsts, len(self.heads)])

    def lifted(self) -> "Tree":
        """The same without crossing arcs; relations say what was moved."""
        heads, relations = list(self.heads), list(self.relations)
        for first, end in self.sentences():
            own = [h - first if h >= 0 else UNKNOWN for h in heads[first:end]]
            if not is_projective(own):
                own, relations[first:end] = projectivize(own, relations[first:end])
                heads[first:end] = [h + first if h >= 0 else UNKNOWN for h in own]
        return Tree(heads, relations, self.starts)


def columns_of(doc: Doc) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Heads, as positions in the Doc, and hashes of relations. A head counts where
    there is a relation, as for `token.has_head()`; else it is UNKNOWN."""
    columns = doc.to_array([HEAD, DEP])
    heads = np.arange(len(doc)) + columns[:, 0].astype(np.int64)
    heads[columns[:, 1] == 0] = UNKNOWN
    return heads, columns[:, 1]


def read_tree(doc: Doc, name: str) -> Tree:
    """The trees of an annotated Doc, checked.

    Args:
        doc: The Doc.
        name: Of the component, for messages.
    """
    heads, hashes = columns_of(doc)
    strings = doc.vocab.strings
    named = {x: strings[x] if x else "" for x in np.unique(hashes).tolist()}
    relations = [named[x] for x in hashes.tolist()]
    starts = (doc.to_array(SENT_START).astype(np.int64) == 1).tolist()
    tree = Tree(heads.tolist(), relations, starts)
    _check(tree, doc, name)
    return tree


def aligned_tree(example: Example, name: str) -> Tree:
    """The trees of the reference on the tokens of the prediction. What cannot be told
    there is not known.

    Args:
        example: Both sides.
        name: Of the component, for messages.
    """
    read_tree(example.reference, name)
    heads, relations = example.get_aligned_parse(projectivize=False)
    starts = [start == 1 for start in example.get_aligned_sent_starts()]
    tree = Tree(
        [
            UNKNOWN if h is None or not r else h
            for h, r in zip(heads, relations, strict=True)
        ],
        [
            r if r and h is not None else ""
            for h, r in zip(heads, relations, strict=True)
        ],
        starts,
    )
    for first, end in tree.sentences():
        for i in range(first, end):
            if not first <= tree.heads[i] < end:
                tree.heads[i], tree.relations[i] = UNKNOWN, ""
    return tree


def gold_state(doc: Doc) -> bytes:
    """What tells whether the trees of a Doc are as they were."""
    return doc.to_array([HEAD, DEP, SENT_START]).tobytes()


def _check(tree: Tree, doc: Doc, name: str) -> None:
    for first, end in tree.sentences():
        heads = tree.heads[first:end]
        roots = [i + first for i, head in enumerate(heads) if head == i + first]
        if len(roots) > 1:
            problem = f"the sentence has a root already, token {roots[0]}"
            raise _error(doc, name, roots[1], problem)
        for i, head in enumerate(heads, start=first):
            if head != UNKNOWN and not first <= head < end:
                raise _error(doc, name, i, f"its head, token {head}, is outside")
        found = circle(heads, first)
        if found is not None:
            raise _error(doc, name, found, "its heads go round in a circle")


def circle(heads: Sequence[int], first: int) -> int | None:
    """A token whose heads go round in a circle, if there is one.

    Args:
        heads: Of the tokens from `first` on; a root is its own, -1 is unknown.
        first: The first token.
    """
    done = [False] * len(heads)
    for start in range(len(heads)):
        way: list[int] = []
        at = start
        while not done[at]:
            done[at] = True
            way.append(at)
            head = heads[at]
            if head == UNKNOWN or head - first == at:
                break
            at = head - first
            if done[at] and at in way:
                return at + first
    return None


def _error(doc: Doc, name: str, token: int, problem: str) -> ValueError:
    return ValueError(
        Errors.LP807.format(
            name=name,
            doc=describe(doc),
            token=token,
            word=doc[token].text,
            problem=problem,
        )
    )
