# Declarations that several included files need.

cdef extern from "common/checked.hh" namespace "latperc" nogil:
    const cbool kChecked
    cdef cppclass Hashes "latperc::View<const uint64_t>":
        Hashes()
        Hashes(const uint64_t* p, size_t n)
        uint64_t operator[](size_t i) except +
    cdef cppclass View[T]:
        View()
        View(T* p, size_t n)
        T* at(size_t at, size_t count) except +


ctypedef View[const int32_t] Ids
ctypedef View[const int64_t] Bounds
ctypedef View[const uint8_t] Mask
ctypedef View[const float] ScoreFloats
ctypedef View[int32_t] Labels
ctypedef View[float] Floats
ctypedef View[double] Doubles


cdef extern from "hashing/index.hh" namespace "latperc" nogil:
    cdef cppclass KeyMap:
        size_t size()
        size_t bytes()
        void clear()
        void reserve(size_t n, double load) except +
        int32_t find(uint64_t key)
        int32_t insert(uint64_t key, int32_t fresh) except +
    void find_ids(
        const KeyMap&, Hashes keys, int room, int rows, int columns, int32_t* values
    ) except +


cdef extern from "hashing/attributes.hh" namespace "latperc" nogil:
    cdef cppclass Words "latperc::View<const uint64_t* const>":
        Words()
        Words(const uint64_t** p, size_t n)
    cdef cppclass TokenAttributes:
        Hashes columns
        size_t width
        Words words
        Ids place
        TokenAttributes from_token "from"(size_t token)
    void write_matrix(
        const TokenAttributes& attributes, size_t tokens, size_t count, uint64_t* out
    )


cdef extern from "hashing/templates.hh" namespace "latperc" nogil:
    const int kTile
    const int kReach
    cdef cppclass Program:
        vector[uint64_t] seed
        vector[int32_t] begin
        vector[int32_t] column
        vector[int32_t] offset
        vector[uint64_t] kept
        int columns
        vector[uint8_t] ngrams
        int size()
        cbool constant(int t)
        void find_ngrams() except +
    cdef cppclass Tile:
        Tile(const Program& program) except +
        Hashes hash(
            const TokenAttributes& attrs, int64_t n, int64_t first, int count
        ) except +
    uint64_t constant_hash(const Program& program, int t)


cdef extern from "hashing/patterns.hh" namespace "latperc" nogil:
    cdef cppclass FeatureIds:
        FeatureIds(KeyMap&, vector[uint64_t]& keys, vector[int32_t]& counts)
        int32_t grow(uint64_t key) except +
    cdef cppclass KeptIds:
        Ids codes
        size_t size
        int64_t n
        cbool packed
    cdef cppclass Patterns:
        void build(const Program&) except +
        cbool pays()
        size_t codes(int64_t tokens, size_t sentences)
        size_t bytes()
        void clear() except +
        Ids ids(const KeptIds&, vector[int32_t]* storage) except +
        void copy_ids(const KeptIds&, vector[int32_t]* storage, int32_t* to) except +
    cdef cppclass Packer "latperc::Patterns::Packer":
        Packer(Patterns&) except +
        void pack(
            const TokenAttributes& attrs, int64_t n, FeatureIds, int32_t* codes
        ) except +


cdef extern from "hashing/text.hh" namespace "latperc" nogil:
    cdef cppclass Text:
        Text()
        Text(const void* data, int width, size_t size)
        uint64_t hash(size_t start, size_t stop, uint64_t seed)


cdef extern from "hashing/lexemes.hh" namespace "latperc" nogil:
    const int kLexemeBlock "latperc::Lexemes::kBlock"
    cdef cppclass WordValues:
        pass
    cdef cppclass Lexemes:
        size_t size()
        size_t bytes()
        void clear() except +
        void add(uint64_t word, const vector[uint64_t]& values) except +
        cbool has(uint64_t word)
        uint64_t store_ngrams(const Text& text, size_t n) except +
        cbool find(const uint64_t* words, size_t step, int count, int32_t* numbers)
        const shared_ptr[WordValues]& values()
        void locate(
            const int32_t* numbers, int count, size_t width, const uint64_t** out
        )


cdef extern from "weights/block_shape.hh" namespace "latperc" nogil:
    cdef enum class Kind(int):
        state
        edge
        tri
    cdef cppclass BlockShape:
        Kind kind
        cbool latent
        int units
        int pitch
        vector[int32_t] templates
        vector[int32_t] groups
        size_t stride()
        size_t cell(int before, int previous, int state)


cdef extern from "weights/weights.hh" namespace "latperc" nogil:
    cdef cppclass Plane:
        float* data()
        size_t size()
    int padded(int width)
    const uint64_t kStartKey
    const uint64_t kEndKey


cdef extern from "lattice/layout.hh" namespace "latperc" nogil:
    cdef cppclass Layout:
        int labels
        int latent
        int order
        int beam
        vector[uint8_t] transitions
        vector[uint8_t] starts
        vector[uint8_t] ends
        cbool boundaries
        int states()


cdef extern from "lattice/gold.hh" namespace "latperc" nogil:
    const int32_t kAnyLabel
    const int32_t kFirstSet


cdef extern from "lattice/search.hh" namespace "latperc" nogil:
    const int32_t kNoPath


cdef extern from "hashing/values.hh" namespace "latperc" nogil:
    cdef struct WeightedId:
        int32_t which
        int32_t id
        float value
    cdef cppclass WeightedItems "latperc::View<const latperc::WeightedId>":
        WeightedItems()
        WeightedItems(const WeightedId* p, size_t n)
    cdef cppclass WeightedIds:
        const int64_t* begin
        WeightedItems items
        const vector[DenseNumbers]* dense
        int64_t start
    cdef cppclass DenseTemplate:
        int32_t which
        int64_t offset
        vector[int32_t] ids
    cdef cppclass DenseNumbers:
        shared_ptr[const DenseTemplate] of_template "of"
        int32_t width
        ScoreFloats numbers
        const float* at(int64_t first, int64_t i, int64_t n)
    cdef cppclass DenseColumn:
        int32_t attribute
        int32_t width
        vector[uint64_t] keys
        ScoreFloats numbers
    uint64_t dense_key(const Program&, int t, uint64_t place)
    cdef cppclass ValueTable:
        int columns
        vector[int32_t] column
        vector[int32_t] list_of
        vector[int64_t] begin
        vector[uint64_t] keys
        vector[float] values
        vector[DenseColumn] dense
        int dense_of(const Program&, int t)
    cdef cppclass ListedFeatures:
        ListedFeatures(
            const ValueTable*, const Program&, int64_t, int64_t, const TokenAttributes&
        ) except +

        @staticmethod
        cbool concerns(const ValueTable*, const Program&, int)
        cbool meets(int t, int64_t i)
        const vector[pair[uint64_t, float]]& find(int t, int64_t i) except +

        @staticmethod
        cbool plain(const vector[pair[uint64_t, float]]&)


cdef class BatchAttributes
cdef class FeatureSpace
