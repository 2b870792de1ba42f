// Parallel execution of one function for several numbers.
#pragma once
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace latperc {

// Calls work(0), ..., work(n - 1) in parallel, one of them in this thread. If a thread cannot
// be started, its share runs here. Returns, or rethrows an exception, after all have ended.
template <class Work>
inline void in_threads(size_t n, const Work& work) {
  std::vector<std::exception_ptr> thrown(n);
  const auto attempt = [&](size_t k) {
    try {
      work(k);
    } catch (...) {
      thrown[k] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(n);
  size_t next = 1;
  try {
    for (; next < n; next++) threads.emplace_back(attempt, next);
  } catch (const std::system_error&) {
  }
  if (n) attempt(0);
  for (; next < n; next++) attempt(next);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace latperc
