"""Messages about Ray and Spark."""


class Errors:
    """Error messages, by code."""

    LP820 = "Ray is not installed. Install it on every machine of the cluster: {extra}"
    LP821 = (
        "No Ray cluster answers at {address}: {error}. Check the address and run `ray "
        "status` there, or omit the address to start a local cluster."
    )
    LP822 = (
        "This process is already connected to the cluster at {now}, so it cannot "
        "connect to {address}. Call ray.shutdown() first, or omit the address."
    )
    LP823 = (
        "Ray could not start a local cluster: {error}. Set the environment variable "
        "{level} to info, try again, and check Ray's logs in session_latest in its "
        "temporary directory."
    )
    LP824 = (
        "The pipeline could not be loaded on {node}: {error}. Check its name or path, "
        "and install the same versions of spacy_latperc, spaCy and the pipeline's "
        "other requirements on every machine of the cluster."
    )
    LP825 = (
        "The job on the cluster failed: {error}. Check `ray status` and the memory of "
        "its machines. Completed files are kept: run the command again to continue."
    )
    LP828 = (
        "The pipeline failed on the text '{text}': {error}. Correct the text or the "
        'pipeline, or store such errors in a column (errors = "keep", --keep-errors).'
    )
    LP830 = (
        "Columns and --ray require files. Pass text, JSONL or Parquet with --file, and "
        "a .jsonl or .parquet file with --output, or a directory for several files."
    )
    LP831 = (
        "Cannot write {path}: the input is {read}, so the output must end in .{known}. "
        "Rename it."
    )
    LP832 = (
        "{path} is already tokenized, but columns require plain text, JSONL or "
        "Parquet. Annotate it with --output FILE.conllu, one file at a time."
    )
    LP840 = (
        "'{name}' cannot be trained with --workers: parsers, sentence classifiers "
        "and HMM.v1 require a single process. Omit --workers."
    )
    LP842 = (
        "Cannot resume from {path}: {error}. Delete the file and train without "
        "--resume."
    )
    LP843 = (
        "A worker cannot load the pipeline and its shard of the corpus: {error} Check "
        "that every machine of the cluster has the pipeline's requirements and, under "
        "the same paths, the files of its config."
    )
    LP844 = (
        "A worker was lost: {error}. Check that its machine has enough memory (`ray "
        "status` and the cluster's logs). Completed epochs were saved: run the same "
        "`fit` command with --resume to continue."
    )
    LP845 = (
        "'{name}' drops rare features (min_count), but some columns that it reads were "
        "missing when features were counted. Add them to the corpus, or set min_count "
        "= 1."
    )
    LP846 = (
        "{workers} workers require as many cores, but the cluster has {cpus}. Lower "
        "--workers."
    )
    LP847 = "--resume requires --workers or --ray, which save weights after each epoch."
