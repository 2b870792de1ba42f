"""The settings of latent classifiers."""

import pytest
from builders.classifiers import make_classifier

from spacy_latperc.grammaticality.classifier.lclr import lclr
from spacy_latperc.grammaticality.classifier.online import latent_pa


@pytest.mark.parametrize(
    ("build", "settings", "code"),
    [
        *((latent_pa, {"C": C}, r"LP\d{3}") for C in (0.0, float("nan"))),
        (latent_pa, {"variant": "PA-III"}, r"LP\d{3}"),
        (latent_pa, {"average_from": -1}, r"LP\d{3}"),
        (latent_pa, {"noise": -1.0}, r"LP\d{3}"),
        (latent_pa, {"epoch_size": 0}, r"LP\d{3}"),
        (lclr, {"most_epochs": 0}, r"LP\d{3}"),
        (lclr, {"fixed": True, "C": -1.0}, r"LP\d{3}"),
        *((make_classifier, {"schemes": ("IOB2",) * n}, "LP431") for n in (0, 13)),
        (make_classifier, {"hash_bits": 40}, "LP086"),
        (make_classifier, {"templates": ["tri:w[0]"]}, "LP018"),
    ],
)
def test_latent_settings_refuse_what_makes_no_sense(build, settings, code):
    with pytest.raises(ValueError, match=code):
        build(**settings)


def test_latent_settings_of_the_paper_have_no_longest_step():
    assert latent_pa(variant="PA").cap == 0.0
