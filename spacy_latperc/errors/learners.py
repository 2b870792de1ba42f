"""Messages about settings of models, learning and prediction."""


class Errors:
    """Error messages, by code."""

    LP012 = (
        "The learn rate is {rate} after {examples} examples. It must be a finite "
        "number above 0: check learn_rate in the learner block."
    )
    LP018 = (
        "Template '{template}' needs order {lowest} or more, but the model has order "
        "{order}. Raise `order` in the model block or remove the template."
    )
    LP019 = (
        "Labels can be added to a model but not removed or moved: it has {old}, and "
        "was given {new}."
    )
    LP592 = (
        "This component needs a model of spacy_latperc, not {found}. In its model "
        "block set @architectures to spacy_latperc.ChainModel.v1, or to "
        "spacy_latperc.LatentClassifier.v1 for latperc_grammaticality."
    )
    LP024 = (
        "The model has no labels yet. Call nlp.initialize with examples, or add_label "
        "and then nlp.initialize, or load a trained pipeline."
    )
    LP025 = (
        "The model file holds a model of kind '{kind}', not a chain. Load it into the "
        "component that saved it."
    )
    LP026 = (
        "The model file does not fit the config: {name} is {found} in the file and "
        "{wanted} in the config. Use the config that trained the model."
    )
    LP027 = (
        "The model file ({size} bytes) cannot be read: {error}. It is cut short or "
        "damaged, or another kind of component saved it. Copy or save it again."
    )
    LP028 = (
        "learn_rate is {rate}. It must be a number, a schedule, or a function of the "
        "number of examples seen."
    )
    LP641 = (
        "The model file has weights for the first and the last label of a sentence, "
        "and the config says boundaries = false. Set boundaries = true in the model "
        "block."
    )
    LP642 = (
        "The learner {name} has no slope along scores from outside: how far it steps "
        "depends on the features of the sentence, so that it does not follow the slope "
        "of a loss. Use a CRF, a perceptron or a probabilistic perceptron, or ask for "
        "no slope."
    )
    LP643 = (
        "The learner {name} learns from whole passes, and takes no scores from outside "
        "in training. Use a learner that goes sentence by sentence, such as "
        "CRF.v1."
    )
    LP045 = (
        "The scores of sentence {sentence} of the batch are no longer finite after "
        "{examples} examples. Its update was left out; the weights are the last good "
        "ones. Lower the learn rate."
    )
    LP046 = (
        "A mask of allowed labels has {found} entries for {wanted} labels, or allows "
        "none at all. Allow at least one label per token."
    )
    LP048 = "A CRF restarts from no average: choose average = none or average."
    LP049 = (
        "An average of sparse weights is not sparse: with l1 above 0 choose "
        "average = none."
    )
    LP050 = (
        "k is {k}: there is at least one best label sequence. Ask for k = 1 or more."
    )
    LP055 = (
        "The temperature is {temperature}. It divides all scores: give a finite number "
        "above 0 (1 leaves them as they are)."
    )
    LP057 = (
        "vote = true keeps every update, and there are {updates} by now, which is more "
        "than {most}. Voting is for small models. Set vote = false (averaging is "
        "nearly as good), learn from fewer sentences or in fewer passes."
    )
    LP058 = (
        "vote = true lets every weight vector decode by itself: it cannot be combined "
        "with {setting}. {advice}"
    )
    LP059 = (
        "A voting learner cannot {what}: it has many weight vectors, not a single one. "
        "Set vote = false."
    )
    LP060 = (
        "The learner '{name}' needs whole passes over a corpus of known size, since it "
        "learns from all examples together. Set max_epochs above 0 in [training] and "
        "initialise with the training examples, or choose another learner."
    )
    LP061 = (
        "The scores of sentence {sentence} of the pass are not finite. Learning ended "
        "there; the weights are the last good ones. Raise l2, or look for extreme "
        "weights in the model that it started from."
    )
    LP062 = (
        "refit_l2 fits the features again that an L1 penalty has selected, but l1 is "
        "0. Set l1 above 0, or leave refit_l2 out."
    )
    LP063 = (
        "A hidden Markov model is counted for latent = 1 and order = 1 or 2, not for "
        "latent = {latent} and order = {order}. Change these, or choose a CRF."
    )
    LP064 = (
        "A hidden Markov model has no place for the template '{template}'. Use "
        "spacy_latperc.HMMFeatures.v1, or one template that looks at the token (w[0]), "
        "one that looks one token back (is_space[-1]), and bias."
    )
    LP751 = (
        "The attribute of the template '{template}' gives a number or several values "
        "for a token. A hidden Markov model counts words, and every token is one: give "
        "it strings, or choose another learner."
    )
    LP065 = (
        "The hidden Markov model lacks its {role} template. Use "
        "spacy_latperc.HMMFeatures.v1, which has all of them: w[0] (word), "
        "is_space[-1] (start) and bias."
    )
    LP095 = (
        "The model of {where} has labels that this one does not have: {missing}. Add "
        "them (labels in [initialize.components], or add_label), or begin from a model "
        "with fewer."
    )
    LP096 = (
        "The model of {where} has templates that this one does not have: {missing}. "
        "Add them to the features block (edge: and tri: templates need order 1 and 2), "
        "or begin from a model with fewer."
    )
    LP097 = (
        "The model of {where} does not fit: {what} is {found} there and {wanted} here. "
        "Use the same here (latent may be higher here)."
    )
    LP453 = (
        "Several schemes do not offer {what}. Use a single scheme for it; of a vote, "
        "scores may be agreement or marginal."
    )
    LP454 = (
        "The model file holds chains for {found}, but the config wants a vote of "
        "{wanted}. Give the schemes with which it was trained, in the same order."
    )
    LP528 = (
        "The model was given a {kind}. It takes a Batch of columns; a component that "
        "it belongs to lets it take Docs."
    )
