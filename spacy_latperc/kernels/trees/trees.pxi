# Boosted trees over columns of small numbers.

cdef extern from "trees/trees.hh" namespace "latperc" nogil:
    cdef struct TreeTable:
        const uint8_t* numbers
        size_t columns
        size_t places
        int reach
    cdef struct TreeQuestion:
        int32_t column
        int32_t offset
        uint8_t least
    cdef struct TreeSettings:
        int depth
        double rate
        double prior
        double places
        double questions
        uint64_t seed
    cdef cppclass Trees:
        int depth
        double base
        vector[TreeQuestion] questions
        vector[float] values
        void add(const TreeTable& table, size_t begin, float* margins)
    cdef cppclass TreeLearner:
        TreeLearner(
            const TreeTable& table, const uint8_t* labels, const TreeSettings& settings
        ) except +
        void learn(size_t n) except +
        Trees trees
    const int LARGEST_NUMBER "latperc::Trees::kLargest"
    const int DEEPEST "latperc::Trees::kDeepest"


TREE_NUMBERS = LARGEST_NUMBER
TREE_DEPTH = DEEPEST


cdef TreeTable tree_table(const uint8_t[:, ::1] numbers, object reach) except *:
    cdef TreeTable table
    table.columns = numbers.shape[0]
    table.places = numbers.shape[1]
    table.reach = whole("reach", reach, 0, 100)
    if table.columns == 0 or table.places <= <size_t>(2 * table.reach):
        shape = (numbers.shape[0], numbers.shape[1])
        raise wrong_shape("numbers", shape, "[columns, places]")
    table.numbers = &numbers[0, 0]
    return table


def learn_trees(
    const uint8_t[:, ::1] numbers,
    const uint8_t[::1] labels,
    *,
    object reach,
    object n,
    object depth,
    double rate,
    double prior,
    double places,
    double questions,
    object seed,
):
    """Trees that tell places with the label 1 from those with 0; others do not count.

    numbers: [columns, places], each below TREE_NUMBERS; at both edges lie `reach`
        places that are only asked about.
    n: how many trees.
    depth: questions of a tree.
    rate: by how much each tree goes where it would.
    prior: places of even odds in every leaf.
    places, questions: the shares that a tree, and a level of it, look at.
    RETURNS: columns, offsets, least, values, base
    """
    cdef TreeTable table = tree_table(numbers, reach)
    cdef TreeSettings settings
    cdef size_t trees = whole("n", n, 0, 1 << 20), i
    if np.max(numbers, initial=0) >= LARGEST_NUMBER:
        raise wrong_number(
            "numbers", int(np.max(numbers)), 0, LARGEST_NUMBER - 1
        )
    if <size_t>labels.shape[0] != table.places:
        raise wrong_shape("labels", (labels.shape[0],), f"[{table.places} places]")
    settings.depth = whole("depth", depth, 1, DEEPEST)
    settings.rate = rate
    settings.prior = prior
    settings.places = places
    settings.questions = questions
    settings.seed = whole("seed", seed, 0, (1 << 63) - 1)
    cdef const uint8_t* wanted = &labels[0]
    cdef TreeLearner* learner = NULL
    try:
        with nogil:
            learner = new TreeLearner(table, wanted, settings)
            learner.learn(trees)
        asked = learner.trees.questions.size()
        columns = np.empty(asked, dtype=np.int32)
        offsets = np.empty(asked, dtype=np.int32)
        least = np.empty(asked, dtype=np.uint8)
        for i in range(asked):
            columns[i] = learner.trees.questions[i].column
            offsets[i] = learner.trees.questions[i].offset
            least[i] = learner.trees.questions[i].least
        values = np.empty(learner.trees.values.size(), dtype=np.float32)
        for i in range(learner.trees.values.size()):
            values[i] = learner.trees.values[i]
        return columns, offsets, least, values, learner.trees.base
    finally:
        del learner


def tree_margins(
    const uint8_t[:, ::1] numbers,
    *,
    object reach,
    const int32_t[::1] columns,
    const int32_t[::1] offsets,
    const uint8_t[::1] least,
    const float[::1] values,
    object depth,
    double base,
):
    """The log odds of all places to be such as are looked for; 0 at the edges.

    numbers, reach: as in `learn_trees`, which gave the rest.
    RETURNS: [places] float32
    """
    cdef TreeTable table = tree_table(numbers, reach)
    cdef Trees trees
    cdef TreeQuestion question
    cdef Py_ssize_t i, n = columns.shape[0]
    cdef Py_ssize_t size
    if offsets.shape[0] != n or least.shape[0] != n:
        raise wrong_shape("questions", (offsets.shape[0], least.shape[0]), f"[{n}]")
    trees.depth = whole("depth", depth, 1, DEEPEST)
    if n % trees.depth or n // trees.depth << trees.depth != values.shape[0]:
        raise wrong_shape("values", (values.shape[0],), "[trees, leaves]")
    for i in range(n):
        if not 0 <= columns[i] < <Py_ssize_t>table.columns:
            raise wrong_number("columns", columns[i], 0, table.columns - 1)
        if not -table.reach <= offsets[i] <= table.reach:
            raise wrong_number("offsets", offsets[i], -table.reach, table.reach)
        question.column = columns[i]
        question.offset = offsets[i]
        question.least = least[i]
        trees.questions.push_back(question)
    for i in range(values.shape[0]):
        trees.values.push_back(values[i])
    margins = np.zeros(table.places, dtype=np.float32)
    cdef float[::1] out = margins
    with nogil:
        for i in range(table.reach, <Py_ssize_t>table.places - table.reach):
            out[i] = <float>base
        trees.add(table, 0, &out[0])
    return margins
