"""latperc_parser: training, limits, what is set already, and bad input."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.parser import parser_component, parser_learner

WORDS = "Ada met the old king in London .".split()
HEADS = [1, 1, 4, 4, 1, 6, 1, 1]
DEPS = ["nsubj", "ROOT", "det", "amod", "obj", "case", "obl", "punct"]
SECOND = "They walk to work".split()
MODEL = {
    "features": {
        "@misc": "spacy_latperc.ParserFeatures.v1",
        "templates": "word[s0] word[b0] word[s1] word[s0]|word[b0] word[s1]|word[s0] "
        "relation[s0.l1] word[b1]".split(),
    }
}


def make_pipeline(**settings):
    nlp = spacy.blank("xx")
    model = {**MODEL, **settings.pop("model", {})}
    nlp.add_pipe("latperc_parser", config={"model": model, **settings})
    return nlp


def gold(nlp, words=WORDS, heads=HEADS, deps=DEPS, **more):
    return Doc(nlp.vocab, words=words, heads=heads, deps=deps, **more)


def second(nlp):
    return gold(nlp, SECOND, [1, 1, 3, 1], ["nsubj", "ROOT", "case", "obl"])


def both(nlp):
    return Doc.from_docs([gold(nlp), second(nlp)])


def train(nlp, docs, passes=12, **settings):
    texts = [[t.text for t in doc] for doc in docs]
    bare = [Doc(nlp.vocab, words=words, **settings) for words in texts]
    examples = list(map(Example, bare, docs))
    nlp.initialize(lambda: examples)
    for _ in range(passes):
        nlp.update(examples)
    return nlp


@pytest.fixture(scope="module")
def trained():
    nlp = make_pipeline()
    return train(nlp, [gold(nlp), second(nlp), both(nlp)])


def tree(doc):
    return [t.head.i for t in doc], [t.dep_ for t in doc]


def test_parser_learns_trees_and_bounds(trained):
    doc = trained(Doc(trained.vocab, words=WORDS + SECOND))
    assert [len(sentence) for sentence in doc.sents] == [len(WORDS), len(SECOND)]
    assert tree(doc) == tree(both(trained))


def test_parser_keeps_bounds_that_are_set(trained):
    n = len(WORDS)
    words = WORDS + SECOND
    starts = [i in (0, 4) for i in range(len(words))]
    doc = trained(Doc(trained.vocab, words=words, sent_starts=starts))
    assert [sentence.start for sentence in doc.sents] == [0, 4]
    starts = [True] + [False] * (n + 3)
    whole = trained(Doc(trained.vocab, words=words, sent_starts=starts))
    assert len(list(whole.sents)) == 1


def test_parser_replaces_heads_that_are_set(trained):
    words = {"words": WORDS, "heads": [0] * 8, "deps": ["ROOT"] + ["x"] * 7}
    assert tree(trained(Doc(trained.vocab, **words))) == (HEADS, DEPS)


def test_parser_learns_from_trees_that_are_annotated_in_part():
    nlp = make_pipeline()
    heads = [1, 1, 4, 4, 1, 6, 1, 1]
    deps = [dep if i % 2 else "" for i, dep in enumerate(DEPS)]
    train(nlp, [gold(nlp, heads=heads, deps=deps), second(nlp)])
    found = tree(nlp(Doc(nlp.vocab, words=WORDS)))
    for i in range(1, len(WORDS), 2):
        assert (found[0][i], found[1][i]) == (HEADS[i], DEPS[i])


def test_parser_lifts_crossing_arcs_and_puts_them_back(monkeypatch):
    """Relations of rare ones are plain."""
    heads = [1, 1, 5, 6, 1, 1, 1, 1]
    for least, lifted in ((1, True), (20, False)):
        monkeypatch.setattr(parser_component, "MIN_LIFTED", least)
        nlp = make_pipeline()
        train(nlp, [gold(nlp, heads=heads)], passes=20)
        labels = nlp.get_pipe("latperc_parser").labels
        assert any("||" in label for label in labels) == lifted
        found, deps = tree(nlp(Doc(nlp.vocab, words=WORDS)))
        assert not any("||" in dep for dep in deps)
        assert (found == heads) == lifted


def test_parser_takes_relations_that_come_later_and_ignores_bare_sentences():
    nlp = make_pipeline()
    train(nlp, [gold(nlp)])
    pipe = nlp.get_pipe("latperc_parser")
    weights, bare = pipe.to_bytes(exclude=["vocab"]), Doc(nlp.vocab, words=SECOND)
    nlp.update([Example(bare.copy(), bare)])
    assert pipe.to_bytes(exclude=["vocab"]) == weights
    before = tree(nlp(Doc(nlp.vocab, words=WORDS)))
    assert pipe.add_label("zzz") == 1
    assert tree(nlp(Doc(nlp.vocab, words=WORDS))) == before
    example = gold(nlp, ["go", "home"], [0, 0], ["ROOT", "zzz"])
    for _ in range(5):
        nlp.update([Example(Doc(nlp.vocab, words=["go", "home"]), example)])
    assert nlp(Doc(nlp.vocab, words=["go", "home"]))[1].dep_ == "zzz"


def test_parser_keeps_only_so_many_weights(monkeypatch):
    sizes = {}
    for most in (0, 30):
        monkeypatch.setattr(parser_learner, "MOST_WEIGHTS", most)
        nlp = make_pipeline()
        train(nlp, [gold(nlp), second(nlp)])
        _, counts, _, weights = nlp.get_pipe("latperc_parser").learner.freeze().export()
        assert counts.sum() == len(weights)
        sizes[most] = (len(weights), np.abs(weights).min())
    # Of equal ones all stay.
    assert 30 <= sizes[30][0] < sizes[0][0]
    assert sizes[30][1] > sizes[0][1]


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("step", ["plain", "adagrad"])
@pytest.mark.parametrize("average", ["none", "average", "mavg"])
def test_parser_learns_with_every_step_and_average(step, average, width):
    learner = {"@misc": "spacy_latperc.ViolationFixing.v1", "method": "max"}
    learner |= {"step": step, "average": average}
    search = {"@misc": "spacy_latperc.Beam.v1", "width": width}
    nlp = make_pipeline(model={"learner": learner, "search": search})
    train(nlp, [gold(nlp), second(nlp)], passes=20)
    heads, deps = tree(nlp(Doc(nlp.vocab, words=WORDS)))
    assert heads == HEADS
    # Gold wins ties while it learns; an average may break them otherwise.
    assert sum(a != b for a, b in zip(deps, DEPS, strict=True)) <= 1


def test_parser_parses_in_many_threads_as_in_one(trained):
    pipe = trained.get_pipe("latperc_parser")

    def parse(number):
        words = [(WORDS + SECOND) * (1 + i % 5) for i in range(10)]
        docs = [Doc(trained.vocab, words=[*x, f"word{number}"]) for x in words]
        return [tree(doc)[0] for doc in pipe.pipe(docs)]

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(parse, range(16)))
    assert together == [parse(number) for number in range(16)]


class Columns:
    """A Doc whose heads are as a damaged file has them."""

    def __init__(self, doc, heads, starts):
        self.doc, self.vocab, self.text = doc, doc.vocab, doc.text
        offsets = (np.array(heads) - np.arange(len(doc))).astype(np.uint64)
        deps = [doc.vocab.strings.add(dep) for dep in DEPS[: len(doc)]]
        self.columns = np.stack([offsets, np.array(deps, dtype=np.uint64)], axis=1)
        self.starts = np.array(starts, dtype=np.uint64)

    def __len__(self):
        return len(self.doc)

    def __getitem__(self, i):
        return self.doc[i]

    def to_array(self, names):
        return self.columns if isinstance(names, list) else self.starts


@pytest.mark.parametrize(
    ("heads", "starts", "problem"),
    [
        ([1, 2, 0, 2], [1, 0, 0, 0], r"token \d \('\w+'\): its heads go round"),
        ([0, 0, 2, 2], [1, 0, 0, 0], r"token 2 \('the'\): the sentence has a root"),
        ([0, 0, 1, 2], [1, 0, 1, 0], r"token 2 \('the'\): its head, token 1, is out"),
        ([0, 0, 9, 2], [1, 0, 0, 0], r"token 2 \('the'\): its head, token 9, is out"),
    ],
)
def test_trees_that_are_none_are_named_with_document_and_token(heads, starts, problem):
    from spacy_latperc.parser.trees import read_tree

    doc = Columns(Doc(spacy.blank("xx").vocab, words=WORDS[:4]), heads, starts)
    with pytest.raises(ValueError, match=rf"LP807.*'Ada met the old.*{problem}"):
        read_tree(doc, "parser")


@pytest.mark.parametrize(
    ("model", "code"),
    [
        ({"search": {"@misc": "spacy_latperc.Viterbi.v1"}}, "LP803"),
        ({"learner": {"@misc": "spacy_latperc.Perceptron.v1"}}, "LP802"),
        ({"features": {"@misc": "spacy_latperc.TaggingFeatures.v1"}}, "LP804"),
        ({"features": {**MODEL["features"], "templates": ["word[0]"]}}, "LP801"),
        ({"features": {**MODEL["features"], "templates": ["word"]}}, "LP800"),
        ({"features": {**MODEL["features"], "templates": ["lefts[b1]"]}}, "LP801"),
        ({"features": {**MODEL["features"], "templates": ["wort[b1]"]}}, "LP001"),
    ],
)
def test_settings_that_are_not_for_parsers_are_refused(model, code):
    nlp = spacy.blank("xx")
    config = {"model": {**MODEL, **model}}
    if "search" in model:
        config["model"]["search"] = {**model["search"]}
    with pytest.raises(ValueError, match=code):
        nlp.add_pipe("latperc_parser", config=config)


def test_what_chains_and_parsers_do_not_know_is_refused(trained):
    doc = gold(trained, deps=["unheard", *DEPS[1:]])
    with pytest.raises(ValueError, match="LP035.*unheard"):
        trained.update([Example(Doc(trained.vocab, words=WORDS), doc)])
    with pytest.raises(ValueError, match="LP811"):
        spacy.blank("xx").add_pipe("latperc_tagger", config={"model": MODEL})
    if not Doc.has_extension("colours"):
        spacy.tokens.Token.set_extension("colours", default=["red", "green"])
    features = {**MODEL["features"], "templates": ["_.colours[s0]"]}
    nlp = make_pipeline(model={"features": features})
    with pytest.raises(ValueError, match="LP805"):
        train(nlp, [gold(nlp)])
