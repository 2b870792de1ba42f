"""Messages about `fit`, `compare`, and calibration and cards."""


class Errors:
    """Error messages, by code."""

    LP040 = (
        "'{name}' requires whole documents in every epoch, because it is not a "
        "component of spacy_latperc or is among annotating_components. Train without "
        "workers, or freeze '{name}'."
    )
    LP042 = (
        "Training would never end: max_epochs is {max_epochs}. Set max_epochs above 0 "
        "in [training]; {otherwise}."
    )
    LP043 = "The {corpus} corpus is empty. Check {setting} in the config."
    LP777 = (
        "`times` of the joined corpus names '{name}', but its corpora are {known}. Use "
        "the same names."
    )
    LP773 = (
        "Cannot jackknife '{name}': it is not a component of spacy_latperc. Use one of "
        "the pipeline's: {known}."
    )
    LP774 = (
        "{n} documents are too few for {folds} folds. Lower folds, or split the corpus "
        "into more documents (docs and max_sentences of the reader)."
    )
    LP775 = (
        "Jackknifing requires a number of epochs. Set max_epochs above 0 in [training] "
        "(it is {max_epochs}), or set epochs in the reader's block."
    )
    LP776 = (
        "Cannot jackknife '{name}': other components cannot read its annotation. Use a "
        "tagger, a chunker or an entity recogniser."
    )
    LP779 = (
        "The batcher returned no batches for the training corpus. Set a larger size in "
        "[training.batcher] and discard_oversize = false."
    )
    LP570 = (
        "No component to train: pipeline is {pipeline} and frozen_components is "
        "{frozen}. Add a component of [components] to pipeline in [nlp]."
    )


class Warnings:
    """Warnings, by code."""

    LP930 = (
        "{path} is from an earlier training run and does not belong to the model-last "
        "next to it. Delete it, or train with scores."
    )
    LP931 = "Unknown setting '{name}' in [training]: spaCy does not use it."
    LP932 = "Unknown section [{name}] in the config: it is never read."
    LP933 = (
        "[components.{name}] is not in the pipeline, so it will not be trained or "
        "saved. Add it to pipeline in [nlp], which is {pipeline}, or remove it."
    )
    LP934 = (
        "[training.score_weights] has an unknown score '{name}': it is ignored when "
        "the best pipeline is chosen."
    )
    LP935 = (
        "The development corpus was scored only once, after the first of {batches} "
        "batches: model-best is from then, model-last from the end. Use model-last, or "
        "set eval_frequency in [training] to {epoch}, which is once per epoch."
    )
    LP936 = (
        "Component '{name}' keeps existing annotation, and '{given}' is among the "
        "inputs of its development corpus: it reads the gold, so its score is "
        "meaningless. Remove '{given}' from those inputs."
    )
    LP937 = (
        "The development corpus has none of the annotation that the components "
        "({names}) are scored on, so all scores are 0 and model-best is arbitrary. "
        "Check its columns and their names."
    )
