// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <optional>

namespace zeroth::python {

namespace py = pybind11;

// Why a run should stop before its end: somebody asked (it then finishes what is under way), or an exception waits to
// be thrown on to Python. Python's own signal handlers run here, between evaluations.
class Interrupts {
 public:
  void request() { requested_ = true; }

  // Takes the GIL itself.
  bool asked() {
    const py::gil_scoped_acquire hold;
    if (!error_ && PyErr_CheckSignals() != 0) error_.emplace();
    return requested_ || error_.has_value();
  }
  void keep(py::error_already_set error) { error_.emplace(std::move(error)); }
  bool aborted() const { return error_.has_value(); }
  bool requested() const { return requested_; }
  // Needs the GIL.
  void rethrow() {
    if (!error_) return;
    py::error_already_set error = std::move(*error_);
    error_.reset();
    throw error;
  }

 private:
  std::atomic<bool> requested_ = false;
  std::optional<py::error_already_set> error_;
};

}  // namespace zeroth::python
