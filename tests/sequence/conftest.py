import random

import pytest


@pytest.fixture
def examples():
    """Sentences of dicts with labels that mostly follow from the words."""
    rng = random.Random(0)
    X, y = [], []
    for _ in range(60):
        words = [
            rng.choice(["a", "the", "cat", "Dog", "runs"])
            for _ in range(rng.randrange(9))
        ]
        tokens = []
        for i, word in enumerate(words):
            token = {"w": word, "title": word.istitle(), "n": len(word) / 4}
            tokens.append(token | ({"before": words[i - 1]} if i else {}))
        X.append(tokens)
        y.append([{"a": "D", "the": "D", "runs": "V"}.get(word, "N") for word in words])
    return X, y
