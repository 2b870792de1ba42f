"""Messages about files: reading, writing, what a model file holds."""


class Errors:
    """Error messages, by code."""

    LP591 = (
        "There is not enough memory to save this model: its weights take {mb:,.0f} MB. "
        "Take fewer labels, latent states (latent) or a lower order, or drop rare "
        "features (min_count)."
    )
    LP020 = (
        "These are not the bytes of a spacy_latperc model: they begin differently. "
        "Load the directory that `nlp.to_disk` wrote, with the config that trained it."
    )
    LP021 = (
        "The model file ({size} bytes) is cut short or damaged: its checksum does not "
        "fit. Copy or save it again."
    )
    LP022 = (
        "The model was saved in format {found}; this version of spacy_latperc reads up "
        "to format {known}. Upgrade spacy_latperc."
    )
    LP023 = "The model file has the right checksum but bad contents: {error}."
    LP101 = "There is no file {path}. Check the path (in a config: [paths])."
    LP102 = (
        "{path}, line {line}: the byte {byte} at offset {offset} is not {encoding}. "
        'Name the encoding of the file (encoding = "latin-1"), or convert it.'
    )
    LP103 = (
        "Unknown encoding '{encoding}'. Use a name that Python knows, such as utf-8 or "
        "latin-1."
    )
    LP110 = (
        "{path} is packed with {format} but cannot be unpacked to its end: {error}. It "
        "may have been cut off; get it again."
    )
    LP114 = (
        "The corpus has no path. Set it in the config, or on the command line: "
        "--paths.train FILE --paths.dev FILE."
    )
    LP115 = (
        "The folder {path} has no files{wanted}. Check the path and the suffix of the "
        "reader."
    )
    LP573 = (
        "{path} is in {encoding}, where bytes do not say by themselves that a line "
        "ends. Convert it to UTF-8."
    )
    LP120 = (
        "{path} cannot be read as a .spacy file ({error}). Write it again with `spacy "
        "latperc convert`, or use the column reader for text files."
    )
    LP331 = (
        "{path} is not a pipeline, but holds {names}. Move that, or save elsewhere "
        "(--output)."
    )
    LP352 = "Cannot import {path} (--code): {error}. Correct the path, or the file."
    LP349 = "{path} is a file: a pipeline needs a folder. Save it elsewhere (--output)."
    LP470 = (
        "{path}: line {line} cannot be read: {problem}. Each line is a JSON object "
        'such as {{"text": "The dog sleeps .", "cats": {{"GRAMMATICAL": 1.0}}}}.'
    )
    LP560 = (
        "Cannot write {path}: {error}. What was there before is as it was. Free some "
        "space, or choose another place."
    )
    LP561 = (
        "{path} is a folder, but a file is to be written there. Give the name of a "
        "file."
    )
    LP576 = (
        "{path} is what is read, and would be replaced by what is written. Give the "
        "output another name."
    )
    LP577 = "{path} is a folder, but a file is to be read. Give the name of a file."
    LP578 = (
        "Cannot keep {path}, which is not part of the pipeline that is saved over: "
        "{error}. Nothing was changed. Move it, or save elsewhere (--output)."
    )
    LP579 = (
        "{path} is not part of the pipeline that is saved over, but the new pipeline "
        "has a part of this name. Nothing was changed. Move it, or save elsewhere "
        "(--output)."
    )
    LP580 = (
        "{path} is a mount point, which cannot be replaced in one step. Save to a "
        "folder below it (--output)."
    )
    LP581 = (
        "{path} ends in {suffix}, which is not what is written there. It may end in "
        "{wanted}. Give the output another name."
    )
    LP562 = (
        "Component '{name}': {path} is missing. The pipeline was not saved or copied "
        "to its end: save or copy it again, or load another one (model-best beside "
        "model-last)."
    )
    LP563 = (
        "Component '{name}': {path} cannot be read: {error}. It was not saved or "
        "copied to its end, or was changed: save or copy the pipeline again, or load "
        "another one (model-best beside model-last)."
    )
    LP583 = (
        "The standard {stream} is closed. Give the name of a file in place of '-', or "
        "open the standard {stream} in the shell."
    )
    LP584 = (
        "{source}: the name '{name}' cannot be that of a file that is written: "
        "{problem}. Rename it, or give the files one by one."
    )
    LP564 = (
        "{path} is packed with {format}; plain text, gzip, xz, bzip2 and Zstandard can "
        "be read. {advice}."
    )
    LP565 = (
        "Component '{name}': {path} is not the model that was saved with the cfg "
        "beside it. It was cut off, or is of another save: save or copy the pipeline "
        "again, or load another one (model-best beside model-last)."
    )
    LP566 = (
        "Cannot load the pipeline of {path}: its file {file} is {problem}. It was not "
        "saved or copied to its end: save or copy it again, or load another one "
        "(model-best beside model-last)."
    )
    LP574 = (
        "{path} is no pipeline, but holds some: {inside}. Give the path of one of them."
    )
    LP572 = (
        "Cannot tell which system of files {path} is in: {error}. URLs may begin with "
        "s3://, gs://, abfs://, hdfs:// or file://; otherwise give a path."
    )
    LP567 = (
        "These bytes do not make a pipeline: {error}. Give those that "
        "pipeline_to_bytes wrote, with the same version of spacy_latperc."
    )
    LP571 = (
        "{path} is in the format {format}, which needs one more package. Install it: "
        "{extra}"
    )
