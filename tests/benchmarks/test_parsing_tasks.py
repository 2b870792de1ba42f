"""The measurements of parsers, on a few sentences."""

from benchmarks.corpora import find_corpora
from benchmarks.tasks.parsing import pipe, train


def test_parsers_of_the_bench_learn_and_parse(tmp_path):
    trees = find_corpora("sample").trees
    output = str(tmp_path / "parser")
    few = {"passes": 1, "limit": 20, "output": output}
    found = train(treebank=trees.train, tagged=True, **few)
    assert found["learn_seconds"] > 0
    assert found["model_mb"] > 0
    for width in (1, 8):
        rate = pipe(treebank=trees.test, model=output, width=width, inputs=[], passes=1)
        assert rate["rate"] > 0
