"""Messages about files: reading, writing, model files."""


class Errors:
    """Error messages, by code."""

    LP591 = (
        "Not enough memory to save this model: its weights take {mb:,.0f} MB. Use "
        "fewer labels, a smaller latent or order, or drop rare features (min_count)."
    )
    LP020 = (
        "These are not the bytes of a spacy_latperc model. Load the directory written "
        "by `nlp.to_disk`, with the config that trained it."
    )
    LP021 = (
        "The model file ({size} bytes) is truncated or damaged: its checksum is wrong. "
        "Copy or save it again."
    )
    LP022 = (
        "The model was saved in format {found}, but this version of spacy_latperc "
        "reads formats up to {known}. Upgrade spacy_latperc."
    )
    LP023 = (
        "The file's checksum is right, but its contents are invalid: {error}. Save or "
        "train the model again."
    )
    LP025 = (
        "The file has a model of kind '{kind}', which cannot be loaded here. Load it "
        "with the component or command that saved it."
    )
    LP101 = "File not found: {path}. Check the path (in a config: [paths])."
    LP102 = (
        "{path}, line {line}: byte {byte} at offset {offset} is not {encoding}. Set "
        'the encoding of the file (encoding = "latin-1"), or convert it.'
    )
    LP103 = (
        "Unknown encoding '{encoding}'. Use a name that Python knows, such as utf-8 or "
        "latin-1."
    )
    LP110 = (
        "{path} is compressed with {format} but cannot be read to its end: {error}. It "
        "may be truncated: download or copy it again."
    )
    LP114 = (
        "The corpus has no path. Set it in the config, or on the command line: "
        "--paths.train FILE --paths.dev FILE."
    )
    LP115 = "Directory {path} has no files{wanted}. Check the path."
    LP573 = (
        "{path} is in {encoding}, in which line ends cannot be found by bytes. Convert "
        "it to UTF-8."
    )
    LP120 = (
        "{path} cannot be read as a .spacy file ({error}). Write it again with `spacy "
        "latperc convert`, or use the column reader for text files."
    )
    LP331 = (
        "{path} is not a pipeline, but holds {names}. Move these files, or choose "
        "another output directory."
    )
    LP352 = "Cannot import {path} (--code): {error}. Correct the path or the file."
    LP349 = (
        "{path} is a file, but a pipeline requires a directory. Choose another output "
        "directory."
    )
    LP470 = (
        "{path}: line {line} cannot be read: {problem}. Each line must be a JSON "
        'object such as {{"text": "The dog sleeps."}}, and its annotation.'
    )
    LP560 = (
        "Cannot write {path}: {error}. The existing content was not changed. Free some "
        "space, or write elsewhere."
    )
    LP561 = "{path} is a directory, but a file is required. Pass a file name."
    LP576 = "The output {path} would overwrite the input. Use another name."
    LP578 = (
        "Cannot keep {path}, which does not belong to the pipeline being overwritten: "
        "{error}. Nothing was changed. Move it, or save elsewhere (--output)."
    )
    LP586 = (
        "{path} is a mount point, which cannot be replaced atomically. Save to a "
        "directory below it (--output)."
    )
    LP587 = (
        "{path} ends in {suffix}, which is not the format of the output. Use a name "
        "that ends in {wanted}."
    )
    LP563 = (
        "Component '{name}': {path} {problem}. It was changed, or not saved or copied "
        "completely. Save or copy the pipeline again, or load another one (such as "
        "model-best)."
    )
    LP583 = (
        "Standard {stream} is closed. Pass a file name instead of '-', or open "
        "standard {stream} in the shell."
    )
    LP584 = (
        "{source}: '{name}' cannot be the name of an output file: {problem}. Rename "
        "it, or pass the files one by one."
    )
    LP564 = (
        "{path} is in the unsupported format {format}. Supported are plain text, gzip, "
        "xz, bzip2 and Zstandard. {advice}."
    )
    LP566 = (
        "Cannot load the pipeline from {path}: its file {file} is {problem}. It was "
        "not saved or copied completely. Save or copy it again, or load another one "
        "(such as model-best)."
    )
    LP574 = (
        "{path} is not a pipeline, but contains some: {inside}. Pass the path of one."
    )
    LP572 = (
        "Cannot infer the filesystem of {path}: {error}. URLs must begin with s3://, "
        "gs://, abfs://, hdfs:// or file://; otherwise pass a path."
    )
    LP567 = (
        "These bytes are not a pipeline: {error}. Pass the output of "
        "pipeline_to_bytes of the same version of spacy_latperc."
    )
    LP571 = (
        "{path} is in the format {format}, which requires another package. Install it: "
        "{extra}"
    )
