# What a text says of sentences: a table of its n-grams, and what that tells of tokens.

cdef extern from "ngrams/evidence.hh" namespace "latperc" nogil:
    cdef cppclass EvidenceTable:
        const uint32_t* slots
        const uint8_t* followers
        size_t size
    cdef cppclass EvidenceBuilder:
        EvidenceBuilder(
            vector[vector[size_t]] found, size_t sentences, size_t most
        ) except +
        vector[uint32_t] slots
        vector[uint8_t] followers
        vector[uint32_t] least
        vector[double] discounts
        void add(uint64_t h, double count, double following)
        void add_sentence(uint64_t h)
    cdef cppclass EvidenceCounting:
        EvidenceCounting(
            const int32_t* ids, const int64_t* bounds, size_t sentences,
            const vector[uint64_t]& keys, int order, size_t most, cbool keep_sentences
        ) except +
        EvidenceBuilder table
        double tokens
        double words
    cdef struct EvidenceColumns:
        uint8_t* left
        uint8_t* right
        float* prob
        float* next
        float* gap
        float* count
        float* pair
        float* middle
        float* better
    cdef struct EvidenceAlternatives:
        const uint64_t* words
        const int64_t* begin
        const uint64_t* others
        size_t size
    cdef enum class EvidenceSmoothing(int):
        pass
    cdef cppclass CEvidence "latperc::Evidence":
        CEvidence(
            EvidenceTable table, int order, const vector[uint32_t]& least,
            const vector[double]& discounts, double tokens, double words,
            EvidenceSmoothing smoothing, EvidenceAlternatives alternatives
        ) except +
        void leave_out(
            const uint64_t* keys, const int64_t* bounds, size_t sentences
        ) except +
        void judge(
            const uint64_t* keys, size_t n, const EvidenceColumns& out, size_t first
        ) except +


EVIDENCE_SMOOTHINGS = ("witten-bell", "absolute", "none")
BEGIN_KEY, END_KEY = 1, 2


def count_evidence(
    const int32_t[::1] ids,
    const int64_t[::1] bounds,
    const uint64_t[::1] keys,
    *,
    object order,
    size_t most,
    bint sentences=True,
):
    """The n-grams of a text in a table of hashes.

    keys: by word number, the hash of the word.
    most: bytes of the table; the rarest n-grams are left out until it fits.
    sentences: whether whole sentences are kept too, so that they can be left out.
    RETURNS: a dict of slots, followers, least, discounts, tokens, words; None where the
        words alone do not fit.
    """
    cdef int longest = whole("order", order, 2, MAX_ORDER)
    cdef size_t n = max(bounds.shape[0] - 1, 0)
    cdef Py_ssize_t i
    cdef vector[uint64_t] names
    check_sentences(ids, bounds, <int32_t>keys.shape[0])
    if n == 0 or keys.shape[0] < 4:
        return None
    for i in range(keys.shape[0]):
        names.push_back(keys[i])
    names[BEGIN] = BEGIN_KEY
    names[END] = END_KEY
    cdef const int32_t* text = &ids[0] if ids.shape[0] else NULL
    cdef EvidenceCounting* counting = NULL
    try:
        with nogil:
            counting = new EvidenceCounting(
                text, &bounds[0], n, names, longest, most, sentences
            )
        found = table_of(&counting.table)
        return {**found, "tokens": counting.tokens, "words": counting.words}
    finally:
        del counting


cdef table_of(const EvidenceBuilder* table):
    followers = np.empty(table.followers.size(), dtype=np.uint8)
    fill_bytes(followers, table.followers)
    return {
        "slots": counts(table.slots),
        "followers": followers,
        "least": list(table.least),
        "discounts": list(table.discounts),
    }


def read_evidence(
    const uint32_t[::1] slots,
    const uint8_t[::1] followers,
    const uint64_t[::1] keys,
    const int64_t[::1] bounds,
    *,
    least,
    discounts,
    double tokens,
    double words,
    object smoothing,
    const uint64_t[::1] alternative_words,
    const int64_t[::1] alternative_begin,
    const uint64_t[::1] alternative_others,
    const uint64_t[::1] own_keys=None,
    const int64_t[::1] own_bounds=None,
    const int64_t[::1] own_of=None,
):
    """What a table says of sentences.

    keys, bounds: the hashes of their words.
    own_keys, own_bounds: sentences of the text that are left out.
    own_of: for each sentence the first of them, and the end; None leaves nothing out.
    alternative_words: hashes of words that have alternatives, which rise; _begin, where
        those of each begin, and the end; _others, the hashes of these.
    RETURNS: left, right (uint8); prob, next, gap, count, pair, middle, better (float32)
    """
    cdef vector[uint32_t] fewest = least
    cdef vector[double] taken = discounts
    cdef size_t n = max(bounds.shape[0] - 1, 0), s
    cdef int order = whole("order", <object>fewest.size(), 2, MAX_ORDER)
    cdef int way = whole("smoothing", smoothing, 0, 2)
    cdef cbool leaving = own_of is not None
    cdef EvidenceTable table
    cdef EvidenceColumns out
    cdef EvidenceAlternatives alternatives
    cdef SignalCheck signals
    if slots.shape[0] != followers.shape[0] or slots.shape[0] < 8:
        raise wrong_shape("slots", (slots.shape[0],), "as many as followers, 8 or more")
    if taken.size() != fewest.size():
        raise wrong_shape("discounts", (taken.size(),), f"[{order} lengths]")
    check_bounds(bounds, keys.shape[0])
    check_bounds(alternative_begin, alternative_others.shape[0])
    if alternative_begin.shape[0] != alternative_words.shape[0] + 1:
        found_shape = (alternative_begin.shape[0],)
        raise wrong_shape("alternative_begin", found_shape, "[words + 1]")
    if leaving:
        check_bounds(own_bounds, own_keys.shape[0])
        if own_bounds.shape[0] == 0:
            raise wrong_shape("own_bounds", (0,), "[sentences + 1]")
        check_bounds(own_of, max(own_bounds.shape[0] - 1, 0))
        if own_of.shape[0] != <Py_ssize_t>n + 1:
            raise wrong_shape("own_of", (own_of.shape[0],), f"[{n} sentences + 1]")
    names = ("prob", "next", "gap", "count", "pair", "middle", "better")
    numbers = {name: np.zeros(keys.shape[0], dtype=np.float32) for name in names}
    left = np.zeros(keys.shape[0], dtype=np.uint8)
    right = np.zeros(keys.shape[0], dtype=np.uint8)
    found = {"left": left, "right": right, **numbers}
    if keys.shape[0] == 0:
        return found
    table.slots = &slots[0]
    table.followers = &followers[0]
    table.size = slots.shape[0]
    out.left = first_byte(left)
    out.right = first_byte(right)
    out.prob = first_float(numbers["prob"])
    out.next = first_float(numbers["next"])
    out.gap = first_float(numbers["gap"])
    out.count = first_float(numbers["count"])
    out.pair = first_float(numbers["pair"])
    out.middle = first_float(numbers["middle"])
    out.better = first_float(numbers["better"])
    alternatives.begin = &alternative_begin[0]
    alternatives.size = alternative_words.shape[0]
    alternatives.words = &alternative_words[0] if alternatives.size else NULL
    alternatives.others = NULL
    if alternative_others.shape[0]:
        alternatives.others = &alternative_others[0]
    cdef const uint64_t* hidden = NULL
    if leaving and own_keys.shape[0]:
        hidden = &own_keys[0]
    cdef CEvidence* evidence = new CEvidence(
        table, order, fewest, taken, tokens, words, <EvidenceSmoothing>way, alternatives
    )
    try:
        with nogil:
            for s in range(n):
                signals.look()
                if leaving:
                    evidence.leave_out(
                        hidden, &own_bounds[own_of[s]], own_of[s + 1] - own_of[s]
                    )
                evidence.judge(
                    &keys[0] + bounds[s], bounds[s + 1] - bounds[s], out, bounds[s]
                )
    finally:
        del evidence
    return found


cdef uint8_t* first_byte(uint8_t[::1] array):
    return &array[0]


cdef float* first_float(float[::1] array):
    return &array[0]


cdef fill_bytes(uint8_t[::1] array, const vector[uint8_t]& values):
    if values.size():
        memcpy(&array[0], values.data(), values.size())
