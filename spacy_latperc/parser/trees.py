"""Trees on Docs: reading, checking and decoding."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors
from ..pipeline.doc_reader import describe
from .projective import DELIMITER, deprojectivize, is_projective, projectivize
from .words import UNKNOWN, Ids

ROOT = "ROOT"


@dataclass(frozen=True)
class Tree:
    """The trees of a Doc, as far as they are known.

    Attributes:
        heads: The heads as positions in the Doc or UNKNOWN; a root is its own head.
        relations: The relations of the tokens; "" for an unknown head.
        starts: A mask of the tokens that begin sentences.
    """

    heads: list[int]
    relations: list[str]
    starts: list[bool]

    def sentences(self) -> Iterator[tuple[int, int]]:
        """Yield the first token and the end of each sentence."""
        firsts = [i for i, start in enumerate(self.starts) if start or i == 0]
        return pairwise([*firsts, len(self.heads)])

    def lifted(self) -> "Tree":
        """Make the trees projective; relations say which words were moved."""
        heads, relations = list(self.heads), list(self.relations)
        for first, end in self.sentences():
            own = [h - first if h >= 0 else UNKNOWN for h in heads[first:end]]
            if not is_projective(own):
                own, relations[first:end] = projectivize(own, relations[first:end])
                heads[first:end] = [h + first if h >= 0 else UNKNOWN for h in own]
        return Tree(heads, relations, self.starts)


def columns_of(doc: Doc) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return heads as positions in the Doc, and hashes of relations. A head without a
    relation is UNKNOWN, as for `token.has_head()`."""
    columns = doc.to_array([HEAD, DEP])
    heads = np.arange(len(doc)) + columns[:, 0].astype(np.int64)
    heads[columns[:, 1] == 0] = UNKNOWN
    return heads, columns[:, 1]


def read_tree(doc: Doc, name: str) -> Tree:
    """Read and check the trees of an annotated Doc."""
    heads, hashes = columns_of(doc)
    strings = doc.vocab.strings
    named = {x: strings[x] if x else "" for x in np.unique(hashes).tolist()}
    relations = [named[x] for x in hashes.tolist()]
    starts = (doc.to_array(SENT_START).astype(np.int64) == 1).tolist()
    tree = Tree(heads.tolist(), relations, starts)
    _check(tree, doc, name)
    return tree


def aligned_tree(example: Example, name: str) -> Tree:
    """Align the trees of the reference with the tokens of the prediction. Heads that
    cannot be aligned are unknown."""
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


def gold_columns(
    trees: Sequence[Tree], docs: Sequence[Doc], labels: Sequence[str], name: str
) -> Ids:
    """Convert gold trees to the columns that a parser learns from: heads, relations and
    sentence starts (see words.py)."""
    numbers = {label: i for i, label in enumerate(labels)}

    def number(relation: str, doc: Doc) -> int:
        found = numbers.get(relation, numbers.get(relation.partition(DELIMITER)[0]))
        if found is None:
            known = ", ".join(labels)
            message = Errors.LP035.format(
                name=name, label=relation, doc=describe(doc), known=known
            )
            raise ValueError(message)
        return found

    golds = [np.zeros((0, 3), dtype=np.int32)]
    for tree, doc in zip(trees, docs, strict=True):
        relations = [
            UNKNOWN if head in (UNKNOWN, i) else number(relation, doc)
            for i, (head, relation) in enumerate(
                zip(tree.heads, tree.relations, strict=True)
            )
        ]
        columns = [tree.heads, relations, tree.starts]
        golds.append(np.array(columns, dtype=np.int32).T)
    return np.concatenate(golds)


def decode(
    heads: NDArray[np.int64],
    relations: NDArray,
    bounds: NDArray[np.int64],
    labels: Sequence[str],
    strings: Any,
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Restore lifted heads (in place), and return them with hashes of relations."""
    names = [*labels, ROOT]
    plain = [strings.add(name.partition(DELIMITER)[0]) for name in names]
    hashes = np.array(plain, dtype=np.uint64)[relations]
    is_lifted = np.array([DELIMITER in name for name in names], dtype=bool)
    moved = np.flatnonzero(is_lifted[relations])
    texts = np.unique(np.searchsorted(bounds, moved, side="right") - 1)
    for text in texts.tolist():
        first, end = bounds[text : text + 2].tolist()
        known = [names[relation] for relation in relations[first:end].tolist()]
        own, _ = deprojectivize((heads[first:end] - first).tolist(), known)
        heads[first:end] = np.array(own) + first
    return heads, hashes


def write_trees(
    docs: Sequence[Doc],
    offsets: NDArray[np.int64],
    heads: NDArray[np.int64],
    relations: NDArray[np.uint64],
) -> None:
    """Write the heads and relations of a batch; heads are positions in it."""
    at = offsets.tolist()
    distances = heads - np.arange(len(heads))
    columns = np.stack([distances.astype(np.uint64), relations], axis=1)
    for doc, first, end in zip(docs, at, at[1:], strict=False):
        if end > first:
            doc.from_array([HEAD, DEP], columns[first:end])


def _check(tree: Tree, doc: Doc, name: str) -> None:
    for first, end in tree.sentences():
        heads = tree.heads[first:end]
        roots = [i + first for i, head in enumerate(heads) if head == i + first]
        if len(roots) > 1:
            problem = f"the sentence has a root already, token {roots[0]}"
            raise token_error(Errors.LP807, name, doc, roots[1], problem)
        for i, head in enumerate(heads, start=first):
            if head != UNKNOWN and not first <= head < end:
                problem = f"its head, token {head}, is outside"
                raise token_error(Errors.LP807, name, doc, i, problem)
        found = circle(heads, first)
        if found is not None:
            problem = "its heads go round in a circle"
            raise token_error(Errors.LP807, name, doc, found, problem)


def circle(heads: Sequence[int], first: int) -> int | None:
    """Find a token on a cycle of heads, if there is one.

    Args:
        heads: The heads of the tokens from `first` on, -1 for unknown.
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


def token_error(
    message: str, name: str, doc: Doc, token: int, problem: str
) -> ValueError:
    """Make an error about the head of a token."""
    return ValueError(
        message.format(
            name=name,
            doc=describe(doc),
            token=token,
            word=doc[token].text,
            problem=problem,
        )
    )
