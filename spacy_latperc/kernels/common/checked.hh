// A pointer that knows its length in the checked build (LATPERC_CHECKED) and is a plain
// pointer otherwise. Cython's bounds checks cannot see pointers; this one can.
#pragma once
#include <cstddef>
#include <stdexcept>

namespace latperc {

#ifdef LATPERC_CHECKED
constexpr bool kChecked = true;

inline void require(bool holds, const char* what) {
  if (!holds) throw std::out_of_range(what);
}

template <class T>
class View {
 public:
  View() : p_(nullptr), n_(0) {}
  View(T* p, size_t n) : p_(p), n_(n) {}
  template <class U>
  View(const View<U>& other) : p_(other.all()), n_(other.size()) {}
  T& operator[](size_t i) const {
    require(i < n_, "kernel read past the end of a view");
    return p_[i];
  }
  // The raw pointer to `count` elements from `at`, for the inner loops.
  T* at(size_t at, size_t count) const {
    require(at <= n_ && count <= n_ - at, "kernel range past the end of a view");
    return p_ + at;
  }
  View from(size_t at) const { return View(this->at(at, n_ - at), n_ - at); }
  T* all() const { return p_; }
  size_t size() const { return n_; }

 private:
  T* p_;
  size_t n_;
};
#else
constexpr bool kChecked = false;

inline void require(bool, const char*) {}

template <class T>
class View {
 public:
  View() : p_(nullptr) {}
  View(T* p, size_t) : p_(p) {}
  template <class U>
  View(const View<U>& other) : p_(other.all()) {}
  T& operator[](size_t i) const { return p_[i]; }
  T* at(size_t at, size_t) const { return p_ + at; }
  View from(size_t at) const { return View(p_ + at, 0); }
  T* all() const { return p_; }

 private:
  T* p_;
};
#endif

template <class V>
inline View<typename V::value_type> view(V& v) {
  return View<typename V::value_type>(v.data(), v.size());
}

template <class V>
inline View<const typename V::value_type> view(const V& v) {
  return View<const typename V::value_type>(v.data(), v.size());
}

}  // namespace latperc
