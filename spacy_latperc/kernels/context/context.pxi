# Context models: the words that fit into the places of sentences.

from libc.stdint cimport int8_t


cdef extern from "context/places.hh" namespace "latperc" nogil:
    cdef struct ContextAlternatives:
        const int64_t* begin
        const int32_t* others
    cdef struct ContextSmallWords:
        const int32_t* words
        int32_t size
    const int CONTEXT_WIDEST "latperc::ContextRow::kWidest"
    const int CONTEXT_SIZE "latperc::ContextRow::kSize"
    const int CONTEXT_NOTHING "latperc::ContextSymbols::kNothing"
    const int CONTEXT_FIRST "latperc::ContextSymbols::kFirst"


cdef extern from "context/reading.hh" namespace "latperc" nogil:
    cdef struct ContextTables:
        int window
        size_t symbols
        const int8_t* input
        const int8_t* output
        const float* scale
        const float* bias
    cdef struct ContextColumns:
        float* fit
        float* better
        float* missing
        float* fewer
    void c_read_contexts "latperc::read_contexts"(
        const ContextTables& tables, const int32_t* words, const int64_t* bounds,
        size_t sentences, const ContextAlternatives& alternatives,
        const ContextSmallWords& small, const ContextColumns& out
    ) except +


cdef extern from "context/learning.hh" namespace "latperc" nogil:
    cdef struct ContextLearning:
        int window
        size_t symbols
        int noise
        int alternatives
        int small
        double gaps
        double rate
        int passes
        uint64_t seed
    cdef struct ContextNoise:
        const int32_t* words
        uint32_t size
        const float* logarithm
    cdef cppclass ContextLearner:
        ContextLearner(
            const ContextLearning& settings, const float* bias, ContextNoise noise,
            ContextAlternatives alternatives, ContextSmallWords small
        ) except +
        void learn(
            const int32_t* words, const int64_t* bounds, size_t sentences
        ) except +
        vector[float] input
        vector[float] output
        vector[float] bias


NOTHING = CONTEXT_NOTHING
FIRST_SYMBOL = CONTEXT_FIRST
MAX_WINDOW = CONTEXT_WIDEST
ROW_SIZE = CONTEXT_SIZE
MOST_SYMBOLS = 1 << 24


cdef int check_symbols(
    str name, const int32_t[::1] given, Py_ssize_t symbols
) except -1:
    cdef Py_ssize_t i
    for i in range(given.shape[0]):
        if not CONTEXT_NOTHING <= given[i] < symbols:
            raise wrong_number(name, given[i], CONTEXT_NOTHING, symbols - 1)
    return 0


cdef int check_alternatives(
    const int64_t[::1] begin, const int32_t[::1] others, Py_ssize_t symbols
) except -1:
    if not CONTEXT_FIRST < symbols <= MOST_SYMBOLS:
        raise wrong_number("symbols", symbols, CONTEXT_FIRST + 1, MOST_SYMBOLS)
    check_bounds(begin, others.shape[0])
    if begin.shape[0] != symbols + 1:
        raise wrong_shape("begin", (begin.shape[0],), f"[{symbols} symbols + 1]")
    check_symbols("others", others, symbols)
    return 0


cdef const int32_t* first_symbol(const int32_t[::1] array):
    return &array[0] if array.shape[0] else NULL


def learn_contexts(
    const int32_t[::1] words,
    const int64_t[::1] bounds,
    *,
    const float[::1] bias,
    const int32_t[::1] noise,
    const float[::1] log_noise,
    const int64_t[::1] begin,
    const int32_t[::1] others,
    const int32_t[::1] small,
    object window,
    object noise_words,
    object alternatives,
    object small_words,
    double gaps,
    double rate,
    object passes,
    object seed,
):
    """Train a context model.

    words, bounds: the symbols of the words of sentences.
    bias: symbol -> initial score.
    noise: symbols in proportion to their probability as noise; log_noise: symbol ->
        the logarithm of its number of draws for a word of the text.
    begin, others: symbol -> its alternatives; the relation is symmetric.
    small: symbols of words that may be missing or redundant.
    window: the number of words to each side.
    noise_words, alternatives, small_words: the number of draws for a word, for a word
        with alternatives, and for a gap; a share of `gaps` of the gaps is used.
    rate: the learn rate of the first epoch.
    RETURNS: input [2 window, symbols, ROW_SIZE], output [symbols, ROW_SIZE] and bias
    """
    cdef ContextLearning settings
    cdef ContextNoise drawn
    cdef ContextAlternatives meant
    cdef ContextSmallWords short
    cdef Py_ssize_t symbols = bias.shape[0]
    cdef size_t n = max(bounds.shape[0] - 1, 0)
    check_alternatives(begin, others, symbols)
    check_bounds(bounds, words.shape[0])
    check_symbols("words", words, symbols)
    check_symbols("noise", noise, symbols)
    check_symbols("small", small, symbols)
    if not 0 < noise.shape[0] < 1 << 31:
        raise wrong_shape("noise", (noise.shape[0],), "of 1 to 2 ** 31 symbols")
    if log_noise.shape[0] != symbols:
        raise wrong_shape("log_noise", (log_noise.shape[0],), f"[{symbols} symbols]")
    settings.window = whole("window", window, 1, CONTEXT_WIDEST)
    settings.symbols = symbols
    settings.noise = whole("noise_words", noise_words, 1, 1000)
    settings.alternatives = whole("alternatives", alternatives, 0, 1000)
    settings.small = whole("small_words", small_words, 0, 1000)
    settings.gaps = gaps if settings.small and small.shape[0] else 0.0
    if not 0 <= gaps <= 1:
        raise wrong_number("gaps", gaps, 0, 1)
    settings.rate = rate
    settings.passes = whole("passes", passes, 0, 1000)
    settings.seed = whole("seed", seed, 0, (1 << 63) - 1)
    drawn.words = &noise[0]
    drawn.size = noise.shape[0]
    drawn.logarithm = &log_noise[0]
    meant.begin = &begin[0]
    meant.others = first_symbol(others)
    short.words = first_symbol(small)
    short.size = small.shape[0]
    cdef const int32_t* text = first_symbol(words)
    cdef const float* known = &bias[0]
    cdef ContextLearner* learner = NULL
    try:
        with nogil:
            learner = new ContextLearner(settings, known, drawn, meant, short)
            if n:
                learner.learn(text, &bounds[0], n)
        shape = (2 * settings.window, symbols, CONTEXT_SIZE)
        return (
            floats_of(learner.input).reshape(shape),
            floats_of(learner.output).reshape(shape[1:]),
            floats_of(learner.bias),
        )
    finally:
        del learner


def read_contexts(
    const int8_t[:, :, ::1] input,
    const int8_t[:, ::1] output,
    const int32_t[::1] words,
    const int64_t[::1] bounds,
    *,
    const float[::1] scale,
    const float[::1] bias,
    const int64_t[::1] begin,
    const int32_t[::1] others,
    const int32_t[::1] small,
):
    """Score the words of sentences with a context model.

    input, output: [2 window, symbols, ROW_SIZE] and [symbols, ROW_SIZE], those of
        `learn_contexts` as integers.
    words, bounds: the symbols of the words.
    scale, bias: symbol -> the factor of a product of rows, and the constant added.
    begin, others, small: see `learn_contexts`.
    RETURNS: fit, better, missing, fewer (float32): see ContextColumns
    """
    cdef ContextTables tables
    cdef ContextAlternatives meant
    cdef ContextSmallWords short
    cdef ContextColumns out
    cdef Py_ssize_t symbols = input.shape[1]
    cdef size_t n = max(bounds.shape[0] - 1, 0)
    tables.window = whole("window", input.shape[0] // 2, 1, CONTEXT_WIDEST)
    if input.shape[0] % 2 or input.shape[2] != CONTEXT_SIZE:
        shape = (input.shape[0], input.shape[1], input.shape[2])
        raise wrong_shape("input", shape, "[2 window, symbols, ROW_SIZE]")
    if output.shape[0] != symbols or output.shape[1] != input.shape[2]:
        shape = (output.shape[0], output.shape[1])
        raise wrong_shape("output", shape, f"[{symbols} symbols, {input.shape[2]}]")
    for name, given in (("scale", scale.shape[0]), ("bias", bias.shape[0])):
        if given != symbols:
            raise wrong_shape(name, (given,), f"[{symbols} symbols]")
    check_alternatives(begin, others, symbols)
    check_bounds(bounds, words.shape[0])
    check_symbols("words", words, symbols)
    check_symbols("small", small, symbols)
    tables.symbols = symbols
    tables.input = &input[0, 0, 0]
    tables.output = &output[0, 0]
    tables.scale = &scale[0]
    tables.bias = &bias[0]
    meant.begin = &begin[0]
    meant.others = first_symbol(others)
    short.words = first_symbol(small)
    short.size = small.shape[0]
    names = ("fit", "better", "missing", "fewer")
    found = {name: np.zeros(words.shape[0], dtype=np.float32) for name in names}
    if words.shape[0] == 0:
        return found
    out.fit = first_float(found["fit"])
    out.better = first_float(found["better"])
    out.missing = first_float(found["missing"])
    out.fewer = first_float(found["fewer"])
    with nogil:
        c_read_contexts(tables, &words[0], &bounds[0], n, meant, short, out)
    return found


cdef floats_of(const vector[float]& values):
    return copied(values.data(), values.size(), np.float32)
