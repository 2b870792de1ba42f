"""Messages about work on many machines."""


class Errors:
    """Error messages, by code."""

    LP820 = (
        "Work on a cluster needs Ray, which is not installed. Install it, on every "
        "machine of the cluster: {extra}"
    )
    LP821 = (
        "No cluster of Ray answers at {address}: {error}. Check the address and that "
        "the cluster runs (`ray status` there); without an address one is started on "
        "this machine."
    )
    LP822 = (
        "This process is connected to the cluster at {now} already, and cannot use "
        "that at {address} too. Call ray.shutdown() before, or give no address."
    )
    LP823 = (
        "Ray could not start a cluster on this machine: {error}. Set the environment "
        "variable {level} to info, try again, and look into what Ray logged: the "
        "folder session_latest where it keeps its temporary files."
    )
    LP824 = (
        "The pipeline could not be loaded on {node}: {error}. Check its name or path, "
        "and install the same versions of spacy_latperc and spaCy, and all that the "
        "pipeline needs, on every machine of the cluster."
    )
    LP825 = (
        "The work on the cluster was broken off: {error}. Check with `ray status` that "
        "it still runs, and that its machines have memory left. Files that are done "
        "stay: give the same command again."
    )
    LP827 = (
        "The standard input cannot be read on a cluster. Write it to a file first, or "
        "leave --ray out."
    )
    LP828 = (
        "The pipeline fails on the text '{text}': {error}. Mend the text or the "
        'pipeline, or keep such errors in a column (errors = "keep", --keep-errors).'
    )
    LP830 = (
        "Columns, and all that a cluster does, are of files: give --file with text, "
        "JSONL or Parquet, and --output with a .jsonl or .parquet file, or with a "
        "folder if several files are read."
    )
    LP831 = (
        "Cannot write {path}: what is read is {read}, and becomes a file here whose "
        "name ends with .{known}. Rename it."
    )
    LP832 = (
        "{path} has tokens of its own, and columns are made of plain text, JSONL and "
        "Parquet only. Annotate it with --output FILE.conllu, one file at a time."
    )
    LP829 = (
        "There is no column '{field}' of texts. The table has: {known}. Name one of "
        "them (text)."
    )
    LP840 = (
        "'{name}' cannot be trained with --workers: a parser, a classifier of "
        "sentences, a voted perceptron and HMM.v1 learn in one process only. Train "
        "without --workers."
    )
    LP841 = (
        "{path} belongs to another training: {differences}. Give the corpus, the "
        "config and the --workers that it was started with, or remove the file and "
        "train without --resume."
    )
    LP842 = (
        "Cannot resume from {path}: {error}. Remove the file and train without "
        "--resume."
    )
    LP843 = (
        "A worker cannot load the pipeline and its shard of the corpus: {error} Check "
        "that the packages that the pipeline needs and the files of its config are on "
        "every machine of the cluster, under the same names."
    )
    LP844 = (
        "A worker was lost: {error}. Check that its machine has enough memory (`ray "
        "status`, and the logs of the cluster). The epochs that are complete were "
        "saved: run the same `fit` command with --resume to continue from them."
    )
    LP845 = (
        "'{name}' drops rare features (min_count), but not all columns that it reads "
        "were there when they were counted, and workers cannot count them later. Put "
        "what is missing into the corpus, or set min_count = 1."
    )
    LP846 = (
        "{workers} workers need as many cores, and the cluster has {cpus}. Give fewer "
        "--workers."
    )
    LP847 = (
        "--resume continues a training with --workers or --ray, which saves its "
        "weights after each epoch. Leave --resume out."
    )
