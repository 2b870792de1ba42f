"""Messages about `fit`, `compare`, calibration and cards."""


class Errors:
    """Error messages, by code."""

    LP040 = (
        "'{name}' needs whole documents in every epoch, since it is not a component "
        "of spacy_latperc or is one of annotating_components. Train without workers, "
        "or freeze '{name}'."
    )
    LP042 = (
        "This training would never end: max_epochs is {max_epochs}. Set max_epochs "
        "above 0 in [training]; {otherwise}."
    )
    LP043 = "The training corpus is empty. Check paths.train in the config."
    LP568 = (
        "The development corpus is empty. Check paths.dev in the config, or train "
        "without scores (--no-evaluation)."
    )
    LP569 = (
        "Cannot read the source {source} of spacy_latperc.Card.v1. Give a name, or a "
        "block with name and, if you like, url, author and license."
    )
    LP773 = (
        "Cannot jackknife '{name}': it is not a component of spacy_latperc. The "
        "pipeline has {known}. Name one of them."
    )
    LP774 = (
        "{n} documents are too few for {folds} folds: each fold needs one. Set fewer "
        "folds, or split the corpus into more documents (docs and max_sentences of the "
        "reader)."
    )
    LP775 = (
        "Jackknifing needs a number of epochs: set max_epochs above 0 in [training] "
        "(it is {max_epochs}), or epochs in the block of the reader."
    )
    LP776 = (
        "'{name}' writes nothing that another component could read, so there is "
        "nothing to jackknife. Name a tagger, a chunker or an entity recogniser."
    )
    LP779 = (
        "The batcher made no batch of the training corpus, so that there is nothing "
        "to learn from. Set a larger size in [training.batcher], and "
        "discard_oversize = false."
    )
    LP570 = (
        "There is nothing to train: the pipeline is {pipeline}, frozen are {frozen}. "
        "Name a component of [components] in pipeline of [nlp]."
    )


class Warnings:
    """Warnings, by code."""

    LP930 = (
        "{path} is from an earlier training run and does not belong to the model-last "
        "beside it. Remove it, or train with scores."
    )
    LP931 = "[training] has a setting '{name}', which spaCy does not know."
    LP932 = "The config has a section [{name}], which nothing reads."
    LP933 = (
        "[components.{name}] is not part of the pipeline and will not be trained or "
        "saved. Add it to pipeline of [nlp], which is {pipeline}, or remove it."
    )
    LP934 = (
        "[training.score_weights] has a score '{name}', which nothing gives: it counts "
        "nothing when the best pipeline is chosen."
    )
    LP935 = (
        "The development corpus was looked at once only, after the first of {batches} "
        "batches: model-best is from then, model-last has learned from all. Use "
        "model-last, or set eval_frequency in [training] to {epoch}, which is once an "
        "epoch."
    )
    LP936 = (
        "Component '{name}' keeps what is on the Docs already, and '{given}' is among "
        "the inputs of the corpus that it is scored on: it is given its answers, and "
        "its score says nothing. Leave '{given}' out of inputs there."
    )
    LP937 = (
        "The development corpus has none of the annotation that the components "
        "({names}) are scored on, so that all their scores are 0 and model-best is not "
        "the best. Check its columns and their names."
    )
