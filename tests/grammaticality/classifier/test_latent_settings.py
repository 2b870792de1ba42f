"""What may be said of how latent classifiers learn."""

import pytest
from builders.classifiers import make_classifier

from spacy_latperc.grammaticality.classifier import Progress
from spacy_latperc.grammaticality.classifier.lclr import lclr
from spacy_latperc.grammaticality.classifier.online import latent_pa


@pytest.mark.parametrize(
    ("build", "settings"),
    [
        (latent_pa, {"C": 0.0}),
        (latent_pa, {"C": float("nan")}),
        (latent_pa, {"variant": "PA-III"}),
        (latent_pa, {"average_from": -1}),
        (latent_pa, {"most_decodings": 0}),
        (latent_pa, {"noise": -1.0}),
        (latent_pa, {"epoch_size": 0}),
        (lclr, {"most_epochs": 0}),
        (lclr, {"fixed": True, "C": -1.0}),
    ],
)
def test_latent_settings_refuse_what_makes_no_sense(build, settings):
    with pytest.raises(ValueError, match=r"LP\d{3}"):
        build(**settings)


def test_latent_settings_of_plain_steps_have_no_cap():
    assert latent_pa(variant="PA").cap == 0.0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"schemes": ()}, "LP431"),
        ({"schemes": ("IOB2",) * 13}, "LP431"),
        ({"hash_bits": 40}, "LP086"),
        ({"templates": ["tri:w[0]"]}, "LP018"),
    ],
)
def test_latent_settings_refuse_models_that_cannot_be(options, code):
    with pytest.raises(ValueError, match=code):
        make_classifier(**options)


def test_latent_settings_progress_adds_up():
    total = Progress(examples=2, negatives=1, negative_decodings=3) + Progress(
        examples=1, negatives=1, negative_decodings=1
    )
    assert total.examples == 3
    assert total.decodings_per_negative == 2.0
