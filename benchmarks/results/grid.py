"""All that is published."""

from .accuracy import ACCURACY
from .entry import (
    LATPERC,
    REPAIR,
    Entry,
    corpus_paths,
)
from .knowledge import KNOWLEDGE

GRID = (
    *ACCURACY,
    *KNOWLEDGE,
    Entry(
        "bench",
        "speed",
        "Speed and memory, CoNLL-2000",
        (
            "python -m benchmarks --only training,spacy_train,tagging,memory,growth "
            "--output {json}",
        ),
        "One pinned core. CRFsuite in the same run, on the same templates.",
    ),
    Entry(
        "peers",
        "speed",
        "Beside spaCy's own components and NLTK's tagger",
        ("python -m benchmarks --only peers --output {json}",),
        "One pinned core, whole corpora: tags of CoNLL-2000, entities of CoNLL-2002 "
        "Spanish, from words alone. Settings are the defaults; so are NLTK's passes, "
        "while spaCy's network learns in three, which is not all it can: "
        "[Accuracy](accuracy.md) has ten. Peak memory is that of the whole process; "
        "NLTK's is one without spaCy. A model on disk is all that is saved. Ratios "
        "above one speak for ours.",
        slow=True,
    ),
    Entry(
        "sizes",
        "speed",
        "Large corpora",
        ("python -m benchmarks --only sizes --output {json}",),
        "One pinned core, one run. CoNLL-2000 over and over, each time with other "
        "words in place of one in fifty.",
        slow=True,
    ),
    Entry(
        "clusters",
        "speed",
        "Clusters of ten million words",
        ("python -m benchmarks --only clusters --output {json}",),
        "One pinned core, from the text to the file. With sides=left only the words "
        "before a word count.",
    ),
    Entry(
        "compact",
        "speed",
        "Small models",
        ("python -m experiments.compact_models --json {json}",),
        "Default settings, scored on the test parts (F, or accuracy of tags). Small is "
        "`compact --bits 12 --max-mb 3`: as few tenths of the weights are left out as "
        "bring the file to three megabytes, and nothing is chosen by scores.",
    ),
    Entry(
        "learners",
        "learners",
        "Every learner and CRFsuite's, CoNLL-2000, 19 base templates",
        ("python -m benchmarks --only learners --output {json}",),
        "Settings and passes were chosen on held-out training sentences. One seed: "
        "differences below 0.1 mean nothing.",
        slow=True,
    ),
    Entry(
        "parsing",
        "speed",
        "Dependency trees: speed and memory, UD English EWT",
        ("python -m benchmarks --only parsing --output {json}",),
        "One pinned core, gold tags where there are no taggers. Learning is the passes "
        "alone; the peak is that of the whole process, with the treebank as Docs.",
    ),
    Entry(
        "kbest",
        "speed",
        "What the n best cost",
        ("python -m benchmarks --only kbest,sums --output {json}",),
    ),
    Entry(
        "filter_cluster",
        "speed",
        "Filter 500,000 sentences: a cluster of two local nodes beside two processes",
        (
            f"{LATPERC} negatives {{data}}/lm_text/domain_a.train.txt.gz "
            "{work}/few.spacy --n 10500 --split 10,0.5",
            f"{LATPERC} train-grammaticality {{work}}/few-train.spacy --dev "
            "{work}/few-dev.spacy --words-only --quiet --output {work}/few",
            "python -m benchmarks.cluster_filter {work}/few "
            "{data}/lm_text/domain_a.train.txt.gz --json {json}",
        ),
        "Whole commands, from the start of Python to the last byte, by turns; medians. "
        "Both write the same bytes.",
        slow=True,
    ),
    Entry(
        "calibration",
        "confidence",
        "Probabilities before and after calibration, CoNLL-2002 Spanish",
        (
            f"{LATPERC} fit configs/ner_tags.cfg --quiet -o {{work}}/esp "
            + corpus_paths(
                "conll2002/esp.train.gz", "conll2002/esp.testa", "word,tag,ent"
            )
            + f" --nlp.lang es {REPAIR}",
            f"{LATPERC} calibrate {{work}}/esp/model-last {{data}}/conll2002/esp.testa "
            "--test {data}/conll2002/esp.testb --output {work}/esp-calibrated "
            "--json {json}",
        ),
        "Passive-aggressive learner, fitted on esp.testa, measured on esp.testb.",
    ),
    Entry(
        "parser_calibration",
        "confidence",
        "Probabilities of heads and relations, UD English EWT, gold tags",
        (
            f"{LATPERC} fit configs/parser.cfg --quiet -o {{work}}/trees "
            "--paths.train {data}/ud_trees/en_ewt-train.conllu.gz "
            "--paths.dev {data}/ud_trees/en_ewt-dev.conllu.gz",
            f"{LATPERC} calibrate {{work}}/trees/model-last corpora.dev "
            "--test {data}/ud_trees/en_ewt-test.conllu.gz "
            "--output {work}/trees-calibrated --json {json}",
        ),
        "A beam of 8, fitted on dev, measured on test.",
        slow=True,
    ),
    Entry(
        "search_errors",
        "learners",
        "Learning with searches that err: UD English EWT, order 2",
        (
            "python -m experiments.search_errors --data ud_ewt --widths 1,2,4,0 "
            "--json {json}",
        ),
        "The templates of Huang's lecture, the best of ten passes on dev, three seeds. "
        "Accuracy in percent.",
        slow=True,
    ),
    Entry(
        "parser_updates",
        "learners",
        "Parsing with searches that err: UD English EWT, gold tags",
        (
            "python -m experiments.parser_updates --data ud_trees/en_ewt "
            "--widths 1,2,4,8,16 --passes 12 --limit 6000 --runs build/parser_updates "
            "--json {json}",
        ),
        "6,000 of 12,544 training sentences, scored on dev, one seed. A standard "
        "update learns from whole trees, whether the right one scores less or was only "
        "lost by the search: the last share says how often it was no violation, so "
        "that nothing was fixed. UAS and LAS in percent after the last pass, and the "
        "best LAS and its pass.",
        slow=True,
    ),
    Entry(
        "parser_options",
        "learners",
        "Options of the parser: UD English EWT, gold tags",
        (
            "python -m experiments.parser_options --data ud_trees/en_ewt --clusters "
            "--passes 10 --limit 6000 --runs build/parser_options --json {json}",
        ),
        "6,000 of 12,544 training sentences, scored on dev, one seed: differences "
        "below 0.2 mean nothing. UAS and LAS in percent after the last pass, and the "
        "best LAS and its pass; seconds of learning in a pass; tokens that are parsed "
        "in a second, in thousands, on a machine that others used at the same time. "
        "The clusters are of tweets.",
        slow=True,
    ),
    Entry(
        "parser_sentences",
        "learners",
        "Who finds the bounds of sentences: UD English EWT, gold words and tags",
        (
            "python -m experiments.parser_sentences --data ud_trees/en_ewt "
            "--json {json}",
        ),
        "One parser with a beam of 8, which learned in five passes from whole "
        "documents whose bounds nobody had set; scored on dev, one seed.",
        slow=True,
    ),
    Entry(
        "hidden_states",
        "learners",
        "Labels behind which a hidden cycle turns (Sun et al. 2009, section 4)",
        ("python -m experiments.hidden_states",),
        "Accuracy in percent on generated data, with and without weights for the start "
        "and the end of a sentence; means over three seeds of the data. The rows with "
        "a margin or another restart_every were found with these figures in view.",
    ),
    Entry(
        "votes",
        "learners",
        "Five representations and their votes, CoNLL-2000",
        (
            "python -m experiments.votes configs/chunker_voting.cfg "
            "--paths.train {data}/conll2000/train.txt.gz "
            "--paths.dev {data}/conll2000/test.txt",
        ),
        "F of each representation alone and of their votes, three seeds. Below: how "
        "many chunks have which share of the votes, and how often these are right. The "
        "pool of probabilities is not calibrated here.",
        slow=True,
    ),
    Entry(
        "partial_labels",
        "learners",
        "A fifth of the tags: UD English EWT",
        ("python -m experiments.partial_labels --data ud_ewt",),
        "A tagger learns from a fifth of the tags. The rows say what is done with the "
        "other tokens: they are left open, or may have any tag that the word has "
        "elsewhere, or get the most frequent one.",
        slow=True,
    ),
    Entry(
        "two_domains",
        "learners",
        "Learning a second domain without forgetting the first",
        ("python -m experiments.two_domains",),
        "A tagger of UD English EWT learns 500 sentences of GENIA in three passes. "
        "Accuracy in percent.",
    ),
    Entry(
        "judge",
        "grammaticality",
        "A judge of sentences from raw text, beside n-gram models and length",
        (
            "python -m spacy latperc judge {data}/lm_text/domain_a.train.txt.gz "
            "{data}/raw_text/english.txt.gz -o {work}/made_judge --tokenised "
            "--no-report -q",
            "python -m spacy latperc judge-report {work}/made_judge --data {data} "
            "--json {json} -q",
        ),
        "The judge learned from speeches and raw English; news of Reuters, EWT and "
        "CoNLL-2000 are other domains. The columns of the joined evidence, what they "
        "may mean, and how the threshold is chosen were found with JFLEG, BLiMP, CoLA, "
        "the development part of EWT, held-out training sentences of CoNLL-2000, other "
        "news of Reuters, and an earlier state with the test parts in view: these are "
        "no unseen tests. Junk is made as here, but of other sentences.",
        slow=True,
    ),
    Entry(
        "judge_all_text",
        "grammaticality",
        "The same of more text, some of it of the kind that is judged",
        (
            f"{LATPERC} convert {{data}}/ud_ewt/train.tsv.gz {{work}}/ewt.spacy "
            "--columns id,word,-,-,- --separator tab --comment '#'",
            f"{LATPERC} convert {{data}}/conll2000/train.txt.gz {{work}}/conll.spacy "
            "--columns word,-,-",
            f"{LATPERC} judge {{data}}/lm_text/domain_a.train.txt.gz "
            "{data}/raw_text/english.txt.gz {work}/ewt.spacy {work}/conll.spacy "
            "-o {work}/judge_all_text --tokenised --no-report -q",
            f"{LATPERC} judge-report {{work}}/judge_all_text --data {{data}} "
            "--json {json} -q",
        ),
        "Besides speeches and raw English, the judge learned from the words of the "
        "training parts of EWT and CoNLL-2000, without labels: their tests are "
        "sentences of the same kind here, and only news of Reuters are another domain.",
        slow=True,
    ),
    Entry(
        "negatives",
        "grammaticality",
        "Counting and sampling",
        ("python -m benchmarks --only ngrams --output {json}",),
        slow=True,
    ),
    Entry(
        "grammaticality",
        "grammaticality",
        "Real sentences against samples of an n-gram model, one view and five",
        (
            "python -m experiments.grammaticality --negatives kn_m --tests 2 "
            "--passes 10 --evaluate 5 --run '1 view' --run '5 views, add' "
            "--json {json}",
        ),
        "50,000 + 50,000 training sentences; A is the same domain, B another one.",
        slow=True,
    ),
    Entry(
        "latent_views",
        "grammaticality",
        "Chunkings in one view and in five: the methods, and what lies between them",
        (
            "python -m experiments.grammaticality --figure --negatives kn_m --n 8000 "
            "--tests 1 --passes 8 --evaluate 2 --json {json}",
        ),
        "All under the same conditions, smaller than the paper's: 8,000 + 8,000 "
        "training sentences, 8 passes, no longest step (C), one seed; A is the same "
        "domain, B another one. Warm: the view of IOB2 begins with the weights of a "
        "chunker, the largest of them 0.1 (one view) or 0.01 (five), as in section "
        "4.1; the other views begin with zeros. Agree: how often two views find a "
        "chunk of the same type at a token; with twelve types one in twelve is chance. "
        "That is why votes lose: what most views vote for is the best chunking of none "
        "of them. The more a view's own vote counts in co-training (0 is the paper's, "
        "1 is the majority vote, from 4 on it outvotes all others), the nearer it "
        "comes to adding. `share` gives all views one chunking too, but by search: "
        "that with the highest sum of their scores.",
        slow=True,
    ),
    Entry(
        "acceptability",
        "grammaticality",
        "What the scores say about acceptability: BLiMP and CoLA",
        (
            f"{LATPERC} negatives {{data}}/lm_text/domain_a.train.txt.gz "
            "{work}/a.spacy --n 53000 --split 50,3 --save-model {work}/ngrams",
            f"{LATPERC} fit configs/tagger.cfg --quiet --no-evaluation "
            "--output {work}/tagger --paths.train {data}/conll2000/train.txt.gz "
            "--paths.dev {data}/conll2000/test.txt --training.max_epochs 6",
            f"{LATPERC} train-grammaticality {{work}}/a-train.spacy --dev "
            "{work}/a-dev.spacy --tagger {work}/tagger/model-last --quiet "
            "--output {work}/views",
            "python -m experiments.acceptability {work}/views --ngrams {work}/ngrams "
            "--json {json}",
        ),
        "Five views, 50,000 + 50,000 training sentences, and the n-gram model that the "
        "false ones were sampled from. Shares of minimal pairs whose good sentence "
        "scores higher (chance: 50), Matthews correlations and area under the curve "
        "(chance: 0 and 0.5). Nothing was tuned on these sets.",
        slow=True,
    ),
    Entry(
        "ngram_smoothings",
        "grammaticality",
        "Counts of n-grams: how to smooth them",
        ("python -m experiments.ngram_smoothings --json {json}",),
        "Tables of at most 40 MB of all raw text at hand. Kept from: 1-grams, 2-grams, "
        "... that occur so often or more are in the tables. Held out: the mean "
        "logarithm of the probability of a token, of sentences that are not in the "
        "text. JFLEG: how often a correction has a higher logarithm per token than "
        "what the learner wrote; local: a sentence of the development part of UD "
        "English EWT than the same with one error. The last row is the model that "
        "false sentences are sampled from, which knows all n-grams.",
        slow=True,
    ),
    Entry(
        "error_judge",
        "grammaticality",
        "Which words are wrong: latperc_errors beside n-gram models",
        ("python -m experiments.error_judge --output {work}/judge --json {json}",),
        "JFLEG: share of pairs whose correction scores higher than what the learner "
        "wrote (development part; weight and threshold are chosen on it). Local: pairs "
        "with one error of the same length, of test sentences. Flagged: at the "
        "threshold that flags one in twenty sentences held out of the raw text. `both` "
        "is the 3-gram model and the detector. Below: tokens of the learners' "
        "sentences. The templates were chosen with the local pairs in view, so these "
        "pairs are no unseen test.",
        slow=True,
    ),
    Entry(
        "error_places",
        "grammaticality",
        "Do the shown spans touch the error?",
        ("python -m experiments.error_places --tests 300",),
        "Real sentences get one error each. Right: the share in which a shown span "
        "touches it, of one or two spans. Tokens taken: the share of tokens that the "
        "spans take, which is what chance would be right about. Refused: the share of "
        "these sentences that the classifier finds bad. The component reads the "
        "sentence again without the span; leaping over it is there for comparison.",
        slow=True,
    ),
    Entry(
        "shards",
        "machines",
        "Learning in shards: scores, time and bytes, CoNLL-2000",
        ("python -m experiments.shards --json {json}",),
        "One shard is plain training. Every tenth sentence of the training data is "
        "held out and scored. Seconds of a pass are processor time: of learning for "
        "all shards together, of comparing and mixing for each worker. Sent and got: "
        "by a shard in a pass. Shards are mixed as often as there are shards, six "
        "times a pass at most, each weight among those who changed it; in 2010, once a "
        "pass and among all.",
        slow=True,
    ),
    Entry(
        "shards_on_ray",
        "machines",
        "Two workers beside one core: CoNLL-2000, 16 times over",
        ("python -m experiments.many_machines train --json {json}",),
        "`fit` with the default chunker, on one core and with two workers on two local "
        "nodes of Ray. Before learning, the pipeline is initialised where the command "
        "is given, and each worker starts and reads its shard. The last columns say "
        "how many times as fast it is.",
        slow=True,
    ),
    Entry(
        "counting_on_ray",
        "machines",
        "Two gigabytes of text, counted by two workers",
        ("python -m experiments.many_machines count --json {json}",),
        "`ngrams` of up to five words of generated text, on two local nodes of Ray. "
        "Memory is what a process has for itself, beside the object store that all "
        "share (0.4 GB a node); what is more lies on disk.",
        slow=True,
    ),
)
