"""Latent classifiers against their slow twins, update for update."""

import numpy as np
import pytest
from builders import chains as small
from hypothesis import given
from hypothesis import strategies as st
from reference.chain import Shape
from reference.classifier import Twin

from spacy_latperc.grammaticality.classifier.views import make_chunk_views
from spacy_latperc.kernels.chains import Chain, Classifier, FrozenClassifier, Question
from spacy_latperc.schemes import LabelInventory

FIVE = ("IOB2", "IOB1", "IOE1", "IOE2", "O+C")
TYPES = ("NP", "VP")
BLOCKS = [(0, False, [small.FIRST, small.SECOND, small.PAIR]), (1, False, [small.BIAS])]
WAYS = ("add", "vote", "cotrain")


class Both:
    """A classifier and its twin, from the same random weights."""

    def __init__(
        self, schemes, *, types=TYPES, seed=0, blocks=BLOCKS, grain=2**-6, **settings
    ):
        rng = np.random.default_rng(seed)
        combine = settings.pop("combine", "add")
        self.space = small.make_space()
        inventories = [LabelInventory(scheme, types) for scheme in schemes]
        sizes = (3, 1, 2, 4, 3, 2, 4, 3)
        self.sentences = [small.random_sentence(rng, n) for n in sizes]
        self.gold = np.array([1, -1, -1, 1, -1, 1, -1, -1], dtype=np.int8)
        shapes, chains, weights = [], [], []
        for inventory in inventories:
            shape = Shape(
                len(inventory), 1, 1, blocks,
                inventory.transitions, inventory.starts, inventory.ends,
            )  # fmt: skip
            how = {"steps": 20 if grain else 0, "grain": grain}
            start = small.random_weights(rng, shape, self.sentences, **how)
            structure = small.make_structure(self.space, shape)
            chain = Chain(self.space, structure, average=False)
            chain.load(small.freeze_weights(structure, start), 0)
            shapes.append(shape)
            chains.append(chain)
            weights.append(start)
        views = make_chunk_views(inventories, combine)
        self.classifier = Classifier(chains, views, **settings)
        settings = {"combine": combine, "weights": weights, **settings}
        self.twin = Twin(shapes, inventories, **settings)

    @property
    def examples(self):
        hashes = [small.hashes_of(attrs) for attrs in self.sentences]
        return list(zip(hashes, self.gold.tolist(), strict=True))

    def assert_same(self):
        pairs = zip(self.classifier.chains, self.twin.weights, strict=True)
        for chain, expected in pairs:
            small.assert_same_weights(small.read_weights(chain), expected, within=1e-4)

    def learn(self, number):
        """One sentence, by the kernel alone. RETURNS: its counts."""
        block = small.extract(self.space, [self.sentences[number]])
        return self.classifier.update([block], self.gold[number : number + 1])

    def score(self, number):
        views = self.classifier.views
        chains = [chain.freeze() for chain in self.classifier.chains]
        attrs, bounds = small.in_a_row([self.sentences[number]])
        asked = Question(self.space, attrs, bounds)
        return FrozenClassifier(chains, views).predict(asked)[0].sum()


@pytest.mark.parametrize(
    "settings",
    [{}, {"cap": 2**-5}, {"cap": 0.05, "squared": True}, {"most_decodings": 2}],
    ids=["PA", "PA-I", "PA-II", "capped"],
)
@pytest.mark.parametrize("scheme", FIVE)
def test_classifier_learns_as_algorithm_1(scheme, settings):
    both = Both([scheme], **settings)
    for number in [*range(8), *range(8)]:
        counts = both.learn(number)
        both.twin.decodings = both.twin.updates = both.twin.capped = 0
        both.twin.learn(*both.examples[number])
        both.assert_same()
        found = counts["decodings"], counts["updates"], counts["capped"]
        assert found == (both.twin.decodings, both.twin.updates, both.twin.capped)


@pytest.mark.parametrize("combine", WAYS)
def test_classifier_learns_as_algorithms_2_to_4(combine):
    both = Both(FIVE, types=("NP",), combine=combine)
    for number in range(8):
        both.learn(number)
        both.twin.learn(*both.examples[number])
        both.assert_same()


@pytest.mark.parametrize(
    ("schemes", "settings", "strict"),
    [
        *((FIVE[:3], {"combine": way}, False) for way in WAYS),
        (("IOB2",), {"cap": 0.05}, True),
        (("IOE2", "O+C", "IOB1"), {"cap": 0.05}, True),
    ],
)
def test_classifier_fits_as_algorithm_5_and_lclr(schemes, settings, strict):
    both = Both(schemes, types=("NP",), **settings)
    block, most = small.extract(both.space, both.sentences), 4 if strict else 3
    for _ in range(2):
        how = {"strict": strict, "most_epochs": most, "shuffled": False}
        counts = both.classifier.iterate([block], both.gold, **how)
        passes = both.twin.strict if strict else both.twin.variant
        assert counts["passes"] == passes(both.examples, most)
        both.assert_same()


def test_classifier_step_meets_the_margin_and_gold_must_fit():
    both = Both(["IOB2"], grain=0)
    both.learn(0)
    assert both.score(0) == pytest.approx(1.0, abs=1e-6)
    block = small.extract(both.space, both.sentences)
    with pytest.raises(ValueError):
        both.classifier.update([block], both.gold[:-1])
    with pytest.raises(IndexError):
        both.classifier.update([block], np.full(8, 2, dtype=np.int8))


def test_classifier_negatives_end_right():
    # Where views are added: a consensus may change after the last step.
    both = Both(FIVE)
    for number in np.flatnonzero(both.gold < 0):
        counts = both.learn(number)
        assert counts["capped"] or both.score(number) < 0


def test_classifier_counts_negatives_that_stay_wrong():
    both = Both(["IOB2"], cap=1e-5, grain=0.25, most_decodings=3)
    counts = [both.learn(number) for number in np.flatnonzero(both.gold < 0)]
    for number, count in zip(np.flatnonzero(both.gold < 0), counts, strict=True):
        assert count["capped"] == (both.score(number) > 0)
        assert count["negative_decodings"] <= 3
    assert sum(count["capped"] for count in counts)


def test_classifier_keeps_the_bound_on_the_squared_loss():
    # Section 3.3, with <= where the print has =. A sentence of one word and one feature
    # has a vector of length 1. The weights to compare with are 1 on one label of each
    # good word and -1 on all labels of each bad one: no loss.
    blocks = [(0, False, [small.FIRST]), (1, False, [small.BIAS])]
    both = Both(["IOB2"], blocks=blocks, grain=0)
    rng = np.random.default_rng(3)
    words = rng.integers(0, 6, size=200)
    labels = len(both.twin.inventories[0])
    total = 0.0
    views = both.classifier.views
    for word in words:
        block = small.extract(both.space, [np.array([[word + 1, 1]], dtype=np.uint64)])
        y = np.array([1 if word % 2 else -1], dtype=np.int8)
        capped = True
        while capped:
            one = Classifier(both.classifier.chains, views, most_decodings=1)
            counts = one.update([block], y)
            total, capped = total + counts["loss"] ** 2, counts["capped"]
    assert 0 < total <= 3 + 3 * labels


def test_classifier_decodes_less_than_lclr():
    # Section 4.4: online a negative is decoded again as long as it is wrong; in a batch
    # all are, as long as one of them finds something new.
    online, batch = Both(["IOB2"]), Both(["IOB2"])
    block = small.extract(online.space, online.sentences)
    counts = online.classifier.update([block], online.gold)
    negatives = int((online.gold < 0).sum())
    assert counts["negatives"] == negatives
    block = small.extract(batch.space, batch.sentences)
    how = {"strict": True, "most_epochs": 50}
    passed = batch.classifier.iterate([block], batch.gold, **how)
    assert passed["negative_decodings"] == negatives * (passed["passes"] + 1)
    assert counts["negative_decodings"] < passed["negative_decodings"]


def test_classifier_lclr_comes_to_an_end():
    both = Both(["IOB2"], types=("NP",))
    block = small.extract(both.space, both.sentences)
    how = {"strict": True, "most_epochs": 10_000}
    counts = both.classifier.iterate([block], both.gold, **how)
    assert counts["passes"] < 10_000
    assert counts["structures"] >= (both.gold < 0).sum()


# Table 1, "In early trading in Hong Kong Monday , gold was quoted at $ 366.50 ...".
TABLE = {
    "IOB1": "OIIOIIBOIOOOIIBIO",
    "IOB2": "OBIOBIBOBOOOBIBIO",
    "IOE1": "OIIOIEIOIOOOIEIIO",
    "IOE2": "OIEOIEEOEOOOIEIEO",
    "O+C": "OBEOBESOSOOOBEBEO",
}


def ids(inventory, letters):
    names = ["O" if x == "O" else f"{x}-NP" for x in letters]
    return np.array([inventory.index[x] for x in names], np.int32)


@pytest.mark.parametrize("scheme", FIVE)
def test_classifier_converts_the_example_of_table_1(scheme):
    inventories = [LabelInventory(name, ["NP"]) for name in FIVE]
    views = make_chunk_views(inventories)
    number = FIVE.index(scheme)
    labels = ids(inventories[number], TABLE[scheme])
    common = views.common(number, labels)
    assert common.tolist() == ["OBI".index(x) for x in TABLE["IOB2"]]
    assert views.back(number, common).tolist() == labels.tolist()


def consensus(combine, sequences, types=("NP", "VP")):
    """Combine IOB2 labels."""
    inventory = LabelInventory("IOB2", types)
    views = make_chunk_views([inventory] * len(sequences), combine)
    rows = [[inventory.index[x] for x in sequence.split()] for sequence in sequences]
    labels = [np.array(row, np.int32) for row in rows]
    found = views.combined(labels)
    return [" ".join(inventory.labels[x] for x in path) for path in found]


BEGIN = ["B-NP I-NP O", "B-NP I-NP O", "B-NP B-NP O"]


@pytest.mark.parametrize(
    ("way", "sequences", "wanted"),
    [
        ("vote", BEGIN, ["B-NP I-NP O"] * 3),
        # Two say that there is a chunk, but of two types.
        ("vote", ["O", "O", "B-NP", "B-VP"], ["O"] * 4),
        # I-NP wins the second token, where nothing began before it: most votes are
        # those of B-NP I-NP, or of O B-NP by the candidate without a vote.
        ("vote", ["B-NP I-NP", "B-VP I-VP", "B-VP B-NP", "O O"], ["B-VP I-VP"] * 4),
        # Equal votes go to the earlier view.
        ("vote", ["B-NP", "B-VP"], ["B-NP"] * 2),
        ("vote", ["B-VP", "B-NP"], ["B-VP"] * 2),
        ("vote", ["O", "B-NP", "B-NP", "O", "B-VP"], ["O"] * 5),
        ("cotrain", ["B-NP", "B-VP", "B-VP"], ["B-VP", "B-NP", "B-NP"]),
    ],
)
def test_classifier_finds_a_consensus(way, sequences, wanted):
    assert consensus(way, sequences) == wanted


@given(st.lists(st.sampled_from(["O", "B-NP", "I-NP", "B-VP", "I-VP"]), max_size=8))
def test_classifier_common_form_of_anything_is_valid(labels):
    # Also of labels that do not fit together.
    inventory = LabelInventory("IOB2", ["NP", "VP"])
    views = make_chunk_views([inventory])
    given = np.array([inventory.index[x] for x in labels], dtype=np.int32)
    names = [inventory.labels[x] for x in views.common(0, given)]
    assert inventory.scheme.first_invalid(names) is None


def test_classifier_refuses_chains_of_other_features_and_labels_that_are_none():
    first, second = Both(["IOB2"]), Both(["IOB2"])
    views = make_chunk_views([LabelInventory("IOB2", TYPES)] * 2)
    with pytest.raises(ValueError, match="LP507"):
        Classifier([*first.classifier.chains, *second.classifier.chains], views)
    views = make_chunk_views([LabelInventory("IOB2", ["NP"])])
    for view, label in ((0, 3), (1, 0)):
        with pytest.raises(IndexError):
            views.common(view, np.array([label], dtype=np.int32))
