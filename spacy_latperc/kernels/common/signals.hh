// Ctrl-C while a kernel works without the GIL.
//
// Python records a signal and handles it only when the interpreter runs. A kernel that works
// for seconds therefore checks between sentences, at most every kPause, and throws if the
// handler raised: the Python error is set by then, and Cython passes it on.
#pragma once
#include <Python.h>

#include <chrono>
#include <exception>

namespace latperc {

struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted by a signal"; }
};

class SignalCheck {
 public:
  // Call it where the state is consistent, with or without the GIL.
  void look() {
    if (!watching_ || Clock::now() < due_) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool raised = PyErr_CheckSignals() != 0 || !find_out();
    PyGILState_Release(state);
    if (raised) throw Interrupted();
    due_ = Clock::now() + kPause;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPause{50};

  // Only Python's main thread gets signals: other threads need not take the GIL again.
  // RETURNS: false if Python code raised.
  bool find_out() {
    PyObject* const threading = PyImport_ImportModule("threading");
    PyObject* const main =
        threading ? PyObject_CallMethod(threading, "main_thread", nullptr) : nullptr;
    PyObject* const ident = main ? PyObject_GetAttrString(main, "ident") : nullptr;
    watching_ = ident && PyLong_AsUnsignedLong(ident) == PyThread_get_thread_ident();
    Py_XDECREF(ident);
    Py_XDECREF(main);
    Py_XDECREF(threading);
    return PyErr_Occurred() == nullptr;
  }

  bool watching_ = true;
  Clock::time_point due_ = Clock::now() + kPause;
};

}  // namespace latperc
