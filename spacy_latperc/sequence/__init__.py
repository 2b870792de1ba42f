"""Estimators with the interface of scikit-learn, which need neither it nor spaCy.

>>> from spacy_latperc.sequence import ChainClassifier
>>> X = [[{"word": "the"}, {"word": "cat"}], [{"word": "cats"}]]
>>> y = [["DT", "NN"], ["NNS"]]
>>> ChainClassifier().fit(X, y).predict(X).tolist()
[['DT', 'NN'], ['NNS']]
"""

from .classifier import ChainClassifier
from .crf import CRF
from .inputs import FeatureLists, read_features
from .template_files import read_templates

__all__ = ["CRF", "ChainClassifier", "FeatureLists", "read_features", "read_templates"]
