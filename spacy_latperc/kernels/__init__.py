"""Everything that takes time, in Cython and C++."""
