# Declarations of rows in training.

cdef extern from "weights/row_parts.hh" namespace "latperc" nogil:
    cdef cppclass RowParts:
        size_t find(int32_t row, size_t cell)
        size_t bytes()


cdef extern from "weights/row_cells.hh" namespace "latperc" nogil:
    cdef cppclass RowCells:
        vector[uint32_t] sizes
        vector[uint32_t] cells
        vector[size_t] places
        void find(
            const BlockShape&, const RowParts&, size_t rows, const vector[const Plane*]&
        ) except +
    cdef cppclass AverageCells:
        vector[int32_t] features
        vector[uint32_t] sizes
        vector[uint32_t] cells
        vector[float] values
        void find(Trainer&, size_t b) except +
    size_t padded_cell(const BlockShape&, size_t cell)
    size_t cell_number(const BlockShape&, size_t padded)
    void histories_of(
        const BlockShape&, const uint32_t* cells, size_t count, vector[uint32_t]*
    ) except +


cdef extern from "weights/weights.hh" namespace "latperc" nogil:
    cdef cppclass TrainedRows:
        Plane w
        Plane a
        Plane g
        RowParts parts
        cbool averaged
        cbool second
        vector[double] shrunk_at
        vector[int32_t] feature_of
        size_t rows()
        vector[const Plane*] planes()
        void reset(const BlockShape&) except +
        int32_t row_for(int32_t feature) except +
        size_t make(int32_t row, size_t cell) except +


cdef extern from "weights/steps.hh" namespace "latperc" nogil:
    cdef cppclass StepSettings:
        cbool adagrad
        double l1
        double l2


cdef extern from "lattice/lattice.hh" namespace "latperc" nogil:
    cdef cppclass ExternalScores:
        ScoreFloats scores
        int width
        ExternalScores from_token "from"(int64_t token)


cdef extern from "lattice/gold.hh" namespace "latperc" nogil:
    cdef cppclass Sentence:
        Ids ids
        WeightedIds weighted
        int64_t n
        Ids gold
        Mask sets
        int labels
        ExternalScores external
        Floats slope
        cbool sloped


cdef extern from "weights/trained_weights.hh" namespace "latperc" nogil:
    cdef cppclass Averaging:
        cbool on
        int64_t epoch_size
        int64_t restart_every
    cdef cppclass InitialNoise:
        float scale
        uint64_t seed


cdef extern from "weights/trainer.hh" namespace "latperc" nogil:
    cdef cppclass Trainer:
        Trainer(
            const Layout&, const vector[BlockShape]&, const vector[int32_t]&, int,
            const Averaging&, const StepSettings&, const InitialNoise&,
        ) except +
        void set_index(
            const vector[uint64_t]*, const vector[int32_t]*, int32_t min_count
        )
        void set_boundaries(int32_t start, int32_t end)
        const BlockShape& shape(size_t b)
        TrainedRows& rows(size_t b)
        size_t n_blocks()
        int64_t examples()
        void set_examples(int64_t c)
        void set_averaging(const Averaging&)
        float inverse_c()
        void set_rate(float)
        void catch_up_all()
        double clock()
        void set_clock(double)
        int32_t row_for(size_t b, int32_t feature) except +
        void start_transitions(size_t b, int32_t feature) except +
        void announce(const KeptIds&, Ids gold) except +
        Ids announce_rows(
            const Patterns&, const KeptIds&, vector[int32_t]* storage
        ) except +
        void before_example()
        void after_example()
        void restart_from_average()
        float decode(
            Ids, WeightedIds, int64_t, Mask, cbool masked, const ExternalScores&,
            vector[int32_t]*
        ) except +
