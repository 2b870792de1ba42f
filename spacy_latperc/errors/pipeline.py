"""Messages about components: settings, labels, existing annotation."""


class Errors:
    """Error messages, by code."""

    LP031 = "Component '{name}' cannot have an empty label."
    LP032 = (
        "Component '{name}' found no labels in the examples. Check that the reference "
        "Docs have its annotation (for chunks, under spans_key), or set labels in "
        "[initialize.components.{name}]."
    )
    LP033 = (
        "Component '{name}': the existing annotation leaves no valid label at token "
        "{token} of {doc}: it allows {here} there, but the tokens around it allow "
        "{possible}. Remove one of the contradicting annotations."
    )
    LP034 = (
        "Component '{name}' has no gradient and no get_loss: it trains in `update`, "
        "which returns the loss."
    )
    LP035 = (
        "Component '{name}': unknown label '{label}' of {doc}. Its labels are {known}. "
        "Pass all training examples to initialize, or call add_label first."
    )
    LP036 = (
        "Component '{name}': overlapping gold spans in {doc}: tokens {first} and "
        "{second}. Chunkers and entity recognisers require spans without overlap."
    )
    LP044 = (
        "Component '{name}': empty gold span in {doc}: it starts at token {start} "
        "and ends before token {end}. Remove it, or correct its end."
    )
    LP037 = (
        "'{label}' is not of the form Case=Nom|Number=Sing in alphabetical order ('_' "
        "for none), as component '{name}' with attribute = \"morph\" requires. Use "
        'attribute = "tag" for other tag sets.'
    )
    LP038 = (
        "'{label}' is not a universal part-of-speech tag, as component '{name}' with "
        'attribute = "pos" requires. Use attribute = "tag" for other tag sets.'
    )
    LP039 = "Component '{name}' stopped training at the Doc {doc}. {error}"
    LP070 = (
        "Component '{name}': the label set at token {token} of {doc} has an unknown "
        "label '{label}'; its labels are {known}. Correct it, or call add_label first."
    )
    LP071 = (
        "Component '{name}': contradicting annotation at token {token} of {doc}: "
        "{first}, but {second}. Correct or remove one of the two."
    )
    LP072 = (
        "Component '{name}': cannot read {entry} in doc.user_data['latperc_allowed', "
        "'{layer}'] of {doc}. It must be a dict from token numbers (0 to {n}) to lists "
        "of labels. For spans, the key 'scheme' may name their representation."
    )
    LP073 = (
        "Component '{name}': the label set {labels} ({scheme}) at token {token} of "
        "{doc} cannot be expressed in {own}, the component's scheme. Use scheme = "
        '"{scheme}" or "O+C", or allow all labels of the type.'
    )
    LP074 = (
        "Component '{name}': incorrect_spans_key requires a scheme that marks where an "
        'entity starts or ends, not {scheme}. Use "O+C".'
    )
    LP079 = (
        "Component '{name}' has threshold = {threshold} but no scores to compare. Set "
        'scores = "marginal", or threshold = 0.'
    )
    LP080 = (
        "Component '{name}' predicts nothing on the annotated held-out data, so it "
        "cannot be calibrated. Check that the data has its annotation, and that the "
        "component is trained."
    )
    LP081 = (
        "Cannot calibrate {which}; the pipeline's candidates are: {known}. Name one "
        "with --component."
    )
    LP083 = (
        "Component '{name}' can have no recall constant: the held-out data has no "
        "annotated spans. Check its columns and their names."
    )
    LP084 = (
        "Component '{name}' does not reach {what} {wanted} with any recall constant: "
        "at most {found:.3f}. Ask for less."
    )
    LP476 = (
        "Several components can be calibrated: {known}. Name one in the config, "
        "[training.before_to_disk] component. Components in frozen_components are "
        "skipped."
    )
    LP478 = (
        "Component '{name}' has no recall constant, since it labels every token. Use "
        "--precision, --recall and --best-f for chunkers and entity recognisers."
    )
    LP520 = (
        "Component '{name}': {label} cannot be a label, because it is not valid UTF-8. "
        "Remove its lone surrogates."
    )
    LP521 = (
        "Component '{name}': cannot use {where}: {problem}. The file was damaged or "
        "edited: copy or train the pipeline again."
    )
    LP523 = (
        "Component '{name}': these {size} bytes are not the output of a component's "
        "to_bytes ({error}). They are truncated or damaged."
    )
    LP525 = (
        "Component '{name}': {where} does not match the model next to it. The cfg has "
        "labels {cfg}, the model {model}. The directory mixes two pipelines, as after "
        "an interrupted copy: copy the pipeline again."
    )
    LP526 = (
        "Component '{name}': the config has {key} = {mine}, but {where} was trained "
        "with {saved}. Set {key} to {saved} in the config, or train again."
    )
    LP660 = (
        "Component '{name}': the external scores '{key}' of {doc} are {found}. The "
        "function must return an array of shape {wanted}: tokens, labels."
    )
    LP661 = (
        "Component '{name}': the external scores '{key}' have {value} for '{label}' at "
        "token {token} of {doc}. They must be probabilities, or NaN for unknown rows."
    )
    LP662 = (
        "External scores have the label '{label}', which {scheme} does not have. Use "
        "labels such as O and B-PER, and set scheme to their representation."
    )


class Warnings:
    """Warnings, by code."""

    LP911 = (
        "Component '{name}' has templates over {column}, which is empty in a whole "
        "batch. Put {component} before it in the pipeline (and in "
        "annotating_components for training), or add the column to the corpus reader's "
        "inputs if it is given rather than predicted."
    )
    LP912 = (
        "Component '{name}': {n} gold span(s) cross sentence boundaries or do not "
        "align with tokens, first in {doc}. Their tokens count as not annotated."
    )
    LP913 = (
        "Component '{name}': {n} sentence(s) with invalid sequences of gold labels, "
        "first in {doc}, are excluded from training."
    )
    LP914 = (
        "The extension {owner}._.{name} is already registered by other code and is not "
        "replaced. Read ours with {getter}."
    )
    LP915 = (
        "Component '{name}' was calibrated on only {n} answers, of which {right} are "
        "correct. Use more held-out data that was not seen in training."
    )
    LP916 = (
        "Component '{name}' gets no recall constant: the development corpus has no "
        "annotated spans. Set paths.dev, or use `spacy latperc calibrate` later."
    )
    LP923 = (
        "Components '{other}' and '{name}' both write to doc.spans['{key}']: '{name}' "
        "overwrites '{other}'. Set another spans_key for one of them."
    )
