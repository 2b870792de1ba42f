"""Fixtures of the readers of files."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language


@pytest.fixture
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A file with the CONTENT of the module of the test."""
    path = tmp_path / "train.txt"
    path.write_text(request.module.CONTENT)
    return path


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("xx")
