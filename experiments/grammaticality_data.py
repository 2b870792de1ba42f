"""The sets of sentences that grammaticality is measured on, with tags, as arrays.

Positives are real sentences of one domain; negatives are sampled from n-gram models of
real text. Training samples come from a model of all the training
text; test samples from models of text that training never saw. All get their tags from
the same tagger, which learns from CoNLL-2000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from spacy.lang.lex_attrs import word_shape

from spacy_latperc.data.column_files import read_columns
from spacy_latperc.data.table import Table
from spacy_latperc.features.sets import FeatureSet, tagging
from spacy_latperc.grammaticality.negatives.make import (
    Settings,
    find_construction,
    make_negatives,
    train_model,
)
from spacy_latperc.kernels.chains import text_hash
from spacy_latperc.kernels.text import FIRST_WORD
from spacy_latperc.learners import ChainLearner
from spacy_latperc.learners.base import Batch
from spacy_latperc.learners.learner_settings import viterbi
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.schemes import LabelInventory
from spacy_latperc.text.sentence_files import read_sentences
from spacy_latperc.text.sentences import Sentences, join
from tools.corpora.locate import required_folder

SUPERVISED_PASSES = 5
TEST_SIZE = 3000
TEXTS = {
    "a.train": "lm_text/domain_a.train.txt.gz",
    "a.test": "lm_text/domain_a.test.txt.gz",
    "b": "lm_text/domain_b.txt.gz",
}


@dataclass(frozen=True)
class Labelled:
    """Sentences with their classes: columns and offsets as learners read them."""

    values: NDArray[np.uint64]
    docs: NDArray[np.int64]
    gold: NDArray[np.int8]


Sets = dict[str, list[Labelled]]


class Material:
    """Texts, their words, and the tagger."""

    def __init__(self, folder: Path | None = None) -> None:
        found = folder or required_folder(*TEXTS.values())
        self.folder = found
        a, _ = read_sentences(found / TEXTS["a.train"])
        self.vocabulary = a.vocabulary
        rest = {
            name: read_sentences(found / TEXTS[name], vocabulary=self.vocabulary)[0]
            for name in ("a.test", "b")
        }
        self.texts: dict[str, Sentences] = {"a.train": a, **rest}

    def lookup(self, number: int) -> str:
        return self.vocabulary.word(number)

    @cached_property
    def _forms(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Lower case and shape of each word."""
        size = self.vocabulary.size
        numbers = np.arange(FIRST_WORD, size, dtype=np.int32)
        words = [""] * FIRST_WORD + self.vocabulary.words_of(numbers)
        lower = np.array([text_hash(word.lower()) for word in words], dtype=np.uint64)
        shape = np.array([text_hash(word_shape(word)) for word in words], np.uint64)
        return lower, shape

    def columns(
        self,
        names: Sequence[str],
        ids: NDArray[np.int32],
        bounds: NDArray[np.int64],
        tags: NDArray[np.int32] | None = None,
    ) -> NDArray[np.uint64]:
        """The values that a learner with these columns reads."""
        values = np.zeros((len(ids), len(names)), dtype=np.uint64)
        for column, name in enumerate(names):
            if name == "ORTH":
                values[:, column] = ids
            elif name == "SENT_START":
                values[bounds[:-1], column] = 1
            elif name == "TAG" and tags is not None:
                values[:, column] = tags + 1
            elif name in ("LOWER", "SHAPE"):
                values[:, column] = self._forms[name == "SHAPE"][ids]
            else:
                raise ValueError(
                    f"There is no column {name} in this experiment. Use templates over "
                    "words, their spelling, and tags."
                )
        return values

    @cached_property
    def _conll(self) -> tuple[Table, NDArray[np.int32]]:
        """The training part of CoNLL-2000, and the numbers of its words."""
        path = self.folder / "conll2000/train.txt.gz"
        table = read_columns(path, ["word", "tag", "chunk"])
        words = table.columns["word"]
        numbers = np.array([self.vocabulary.add(word) for word in words.strings])
        self.__dict__.pop("_forms", None)
        return table, numbers.astype(np.int32)[words.ids]

    @cached_property
    def tagger(self) -> ChainLearner:
        """Learns the tag column of CoNLL-2000."""
        tags = self._conll[0].columns["tag"]
        learner = ChainLearner(tagging(), passive_aggressive(), viterbi())
        learner.set_labels(tags.strings)
        self._supervise(learner, tags.ids.astype(np.int32))
        return learner

    def chunker(self, features: FeatureSet, inventory: LabelInventory) -> ChainLearner:
        """Learns the chunk column of CoNLL-2000, in the representation of a view."""
        table, ids = self._conll
        chunks = table.columns["chunk"]
        given = LabelInventory("IOB2", inventory.types)
        numbers = np.array([given.index[x] for x in chunks.strings], dtype=np.int32)
        bounds = table.sentence_offsets
        found = given.decode_ids(numbers[chunks.ids], bounds)
        gold = inventory.encode_ids(*found, len(ids), offsets=bounds)
        learner = ChainLearner(features, passive_aggressive(), viterbi())
        learner.set_labels(
            inventory.labels,
            transitions=inventory.transitions,
            starts=inventory.starts,
            ends=inventory.ends,
        )
        self._supervise(learner, gold)
        return learner

    def _supervise(self, learner: ChainLearner, gold: NDArray[np.int32]) -> None:
        table, ids = self._conll
        bounds = table.sentence_offsets
        tags = table.columns["tag"].ids.astype(np.int32)
        learner.start(len(bounds) - 1)
        values = self.columns(learner.plan.columns, ids, bounds, tags)
        docs = np.array([0, len(ids)], dtype=np.int64)
        blocks = learner.extract(Batch(values, docs, self.lookup))
        for _ in range(SUPERVISED_PASSES):
            learner.update(blocks, gold)

    def labelled(
        self, positives: Sentences, negatives: Sentences, columns: Sequence[str]
    ) -> Labelled:
        """Tagged, positives first."""
        both = join(self.vocabulary, [positives, negatives])
        docs = np.array([0, len(both.ids)], dtype=np.int64)
        tagger = self.tagger
        plain = self.columns(tagger.plan.columns, both.ids, both.bounds)
        tags = tagger.predict(Batch(plain, docs, self.lookup))
        gold = np.repeat([1, -1], [len(positives), len(negatives)]).astype(np.int8)
        values = self.columns(columns, both.ids, both.bounds, tags)
        return Labelled(values, docs, gold)

    def sets(
        self,
        name: str,
        n: int,
        *,
        columns: Sequence[str],
        tests: int = 5,
        seed: int = 1,
    ) -> Sets:
        """train, dev, and the tests of domains A and B, which are several.

        name: The name of a construction of negatives.
        n: Positives to train on; so many negatives.
        """
        a, test_a, b = (self.texts[x] for x in ("a.train", "a.test", "b"))
        construction = find_construction(name)
        model = train_model(a, construction)
        unseen = join(self.vocabulary, [a.slice(n, len(a)), test_a])
        models = {
            "train": (a, model, a.slice(0, n)),
            "dev": (a, model, test_a.slice(TEST_SIZE, 2 * TEST_SIZE)),
            "A": (unseen, None, test_a.slice(0, TEST_SIZE)),
            "B": (b, None, b.slice(0, TEST_SIZE)),
        }
        result: Sets = {}
        for place, (part, (text, known, positives)) in enumerate(models.items()):
            its_model = known or train_model(text, construction)
            repeats = tests if part in ("A", "B") else 1
            result[part] = []
            for number in range(repeats):
                # One model with one seed gives one sentence twice.
                its_seed = 1000 * seed + 100 * place + number
                settings = Settings(construction, seed=its_seed, shares=(1.0,))
                made = make_negatives(
                    text, settings, positives=positives, model=its_model
                )
                pair = self.labelled(made.positives, made.negatives, columns)
                result[part].append(pair)
        return result
