// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>

#include "zeroth/engine/engine.hpp"
#include "zeroth/python/callable.hpp"
#include "zeroth/python/interrupts.hpp"

namespace zeroth::python {

// The first traceback of each kind of failure; people look for it after the run, with a store or without.
using Tracebacks = std::map<std::string, std::string>;
inline constexpr std::size_t most_tracebacks = 50;

// A Python function as an engine of zeroth, called with the GIL released: it is taken for the calls alone.
struct PythonTask {
  Callable callable;
  Interrupts& interrupts;
  Tracebacks& tracebacks;
  std::int64_t retries = 0;
  double timeout = 0;  // seconds for one evaluation; only worker processes can be held to it
};

// Here, one after the other.
std::unique_ptr<Engine> calling_engine(PythonTask task);
// In forked copies of this process. Created with the GIL held, before anything is opened that they should not inherit.
std::unique_ptr<Engine> forking_engine(PythonTask task, int workers, Index dimension);
// On workers that somebody else keeps; `pool` as python/zeroth/_executors.py describes it.
std::unique_ptr<Engine> pool_engine(PythonTask task, py::object pool);

// A misread answer to the very first question is a mistake in the program: better said now than after a budget of
// failures.
[[noreturn]] void complain_about_first(const Answer& answer);

void keep_traceback(Tracebacks& kept, const Answer& answer, const std::string& traceback);

}  // namespace zeroth::python
