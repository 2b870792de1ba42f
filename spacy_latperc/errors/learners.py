"""Messages about models, training and prediction."""


class Errors:
    """Error messages, by code."""

    LP018 = (
        "Template '{template}' requires order {lowest} or more, but the model has "
        "order {order}. Raise `order` in the model block, or remove the template."
    )
    LP019 = (
        "Labels can be added to a model, but not removed or reordered: it has {old}, "
        "not {new}."
    )
    LP592 = (
        "This component requires a model of spacy_latperc, not {found}. In its model "
        "block set @architectures to spacy_latperc.ChainModel.v1, or to "
        "spacy_latperc.LatentClassifier.v1 for latperc_grammaticality."
    )
    LP024 = (
        "The model has no labels. Call nlp.initialize with examples (or add_label, "
        "then nlp.initialize), or load a trained pipeline."
    )
    LP026 = (
        "The model file does not match the config: {name} is {found} in the file and "
        "{wanted} in the config. Use the config that trained the model."
    )
    LP027 = (
        "Cannot read the model file ({size} bytes): {error}. It is truncated or "
        "damaged, or was saved by another kind of component. Copy or save it again."
    )
    LP649 = "There is no token {token}: the Doc has {n} tokens, numbered from 0."
    LP650 = (
        "No analysis of the sentence gives '{text}' (token {token}) {wanted}. Choose a "
        "label of `learner.labels` that may stand there."
    )
    LP641 = (
        "The model file has weights for the first and last label of a sentence, but "
        "the config has boundaries = false. Set boundaries = true in the model block."
    )
    LP642 = (
        "Learner {name} has no gradient with respect to external scores, because its "
        "step size depends on the features. Use a CRF, a perceptron or a probabilistic "
        "perceptron, or do not request gradients."
    )
    LP643 = (
        "Learner {name} trains on whole epochs and does not accept external scores. "
        "Use an online learner, such as CRF.v1."
    )
    LP644 = (
        "The encoder gives scores that are not finite in the Doc {doc}. Lower the "
        "learn rate of the optimizer, or clip gradients (grad_clip)."
    )
    LP645 = (
        "'{name}' trains an encoder, but the learn rate of [training.optimizer] is 0. "
        "Use an optimizer such as Adam.v1 in place of NoOptimizer.v1."
    )
    LP646 = (
        "'{name}' has an encoder, which is trained on Docs. {what} is not supported "
        "with it; leave it out."
    )
    LP045 = (
        "The scores of sentence {sentence} of the batch are not finite after "
        "{examples} examples. Its update was skipped, so the weights remain valid. "
        "Lower the learning rate."
    )
    LP046 = (
        "A mask of allowed labels must have {wanted} entries, not {found}, and allow "
        "at least one label per token."
    )
    LP048 = 'A CRF does not support average = "mavg". Use "none" or "average".'
    LP049 = (
        "The average of sparse weights is not sparse. With l1 above 0, set average = "
        '"none".'
    )
    LP060 = (
        "Learner '{name}' trains on all examples together, so it requires epochs over "
        "a corpus of known size. Set max_epochs above 0 in [training] and initialize "
        "with the training examples, or use another learner."
    )
    LP061 = (
        "The scores of sentence {sentence} of the epoch are not finite. Training "
        "stopped there with the last good weights. Raise l2, or check the weights of "
        "the initial model."
    )
    LP063 = (
        "A hidden Markov model requires latent = 1 and order = 1 or 2, not latent = "
        "{latent} and order = {order}. Change these, or use a CRF."
    )
    LP064 = (
        "A hidden Markov model does not support the template '{template}'. Use "
        "PaperFeatures.v1 with name = 'hmm', or one template of the token "
        "(w[0]), one of the previous token (is_space[-1]), and bias, over attributes "
        "with one value per token and without numbers."
    )
    LP065 = (
        "The hidden Markov model has no {role} template. Use "
        "PaperFeatures.v1 with name = 'hmm', which has all: w[0] (word), "
        "is_space[-1] (start) and bias."
    )
    LP453 = "A model with members does not support {what}. Omit it, or the members."
    LP454 = (
        "The model file has the members {found}, but the config has {wanted}. Use the "
        "members of training, in the same order."
    )


class Warnings:
    """Warnings, by code."""

    LP921 = (
        '{latent} latent states with latent_form = "full": Perceptron.v1 divides what '
        "it learns of a label among them, which costs accuracy unless there are few "
        'templates. Set states = "expected" or latent_form = "tied".'
    )
