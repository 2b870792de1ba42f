// Zeroed memory for large tables. Rows are read at random, so that with pages of 4 KB address
// translation would dominate; Linux is asked for huge pages.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace latperc {

class Memory {
 public:
  static constexpr size_t kLine = 64;

  Memory() = default;
  // small: the number of bytes at the beginning that stay in small pages.
  explicit Memory(size_t bytes, size_t small = 0) { allocate(bytes, small); }
  ~Memory() { release(); }
  Memory(Memory&& other) { *this = std::move(other); }
  Memory& operator=(Memory&& other) {
    std::swap(base_, other.base_);
    std::swap(mapped_, other.mapped_);
    std::swap(data_, other.data_);
    std::swap(movable_, other.movable_);
    return *this;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Aligned to a cache line, or to a huge page.
  void* data() const { return data_; }

  static constexpr size_t kLargePage = 2u << 20;

  // Grows to so many bytes. The contents stay, and the rest is zero. Pages move without
  // copying and without extra memory. RETURNS: false, with nothing changed, if that is not
  // possible here.
  bool grow(size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE) && defined(MREMAP_FIXED)
    if (!movable_) return false;
    Memory other(bytes);
    void* const moved =
        mremap(data_, movable_, movable_, MREMAP_MAYMOVE | MREMAP_FIXED, other.data_);
    if (moved == MAP_FAILED) return false;
    // Another thread may have mapped the old addresses by now.
    char* const after = static_cast<char*>(data_) + movable_;
    unmap(base_, static_cast<char*>(data_));
    unmap(after, static_cast<char*>(base_) + mapped_);
    base_ = nullptr;
    mapped_ = 0;
    *this = std::move(other);
    return true;
#else
    (void)bytes;
    return false;
#endif
  }

 private:
  void allocate(size_t bytes, size_t small) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= 2 * kLargePage) {
      const size_t size = bytes + kLargePage;
      void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (base == MAP_FAILED) throw std::bad_alloc();
      base_ = base;
      mapped_ = size;
      data_ = align(base, kLargePage);
      if (small == 0) movable_ = (bytes + kPage - 1) / kPage * kPage;
      small = (small + kLargePage - 1) / kLargePage * kLargePage;
      if (small < bytes) {  // a hint, which may be refused
        madvise(static_cast<char*>(data_) + small, bytes - small, MADV_HUGEPAGE);
      }
      return;
    }
#endif
    base_ = std::calloc(bytes + kLine, 1);
    if (!base_) throw std::bad_alloc();
    data_ = align(base_, kLine);
  }

  void release() {
    if (!base_) return;
#if defined(__linux__)
    if (mapped_) {
      munmap(base_, mapped_);
      return;
    }
#endif
    std::free(base_);
  }

#if defined(__linux__)
  static void unmap(void* from, char* to) {
    const auto size = to - static_cast<char*>(from);
    if (size > 0) munmap(from, static_cast<size_t>(size));
  }
#endif

  static void* align(void* p, size_t to) {
    return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(p) + to - 1) / to * to);
  }

#if defined(__linux__)
  static constexpr size_t kPage = 4096;
#endif

  void* base_ = nullptr;
  size_t mapped_ = 0;
  void* data_ = nullptr;
  size_t movable_ = 0;  // bytes from data_ on that can move together
};

}  // namespace latperc
