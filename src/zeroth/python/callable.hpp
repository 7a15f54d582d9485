// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "zeroth/problem_file/problem_file.hpp"

namespace zeroth::python {

namespace py = pybind11;

// What one evaluation came to.
struct Outcome {
  Answer answer;          // in the solver's sign of the objective
  std::string traceback;  // of the exception, if there was one
  bool misread = false;   // it returned, but not numbers of the right count: a mistake in the program, not in a run
};

// Reads what people's functions return: a number; (objective, constraints[, equalities]); all values in one flat
// sequence; or a dict by name. Needs the GIL.
class ValueReader {
 public:
  explicit ValueReader(const ResolvedProblem& problem);
  // `wanted` (one flag per function; empty: all): the others may be None or missing, and become NaN.
  Outcome read(py::handle returned, std::span<const std::uint8_t> wanted = {}) const;
  std::string expected() const;  // in words, for complaints

 private:
  Outcome misread(py::handle returned, const std::string& what) const;
  bool from_mapping(py::handle returned, Answer& answer, std::span<const std::uint8_t> wanted, std::string& what) const;
  bool from_sequence(py::handle returned, std::vector<double>& values, bool or_none, std::string& what) const;

  std::size_t constraints_, equalities_;
  bool maximize_;
  std::vector<std::string> names_;  // constraints, then equalities
};

// fun(x, seed), or fun(x) if it takes nothing else; fun(x, seed, wanted) where functions have their costs. Needs the
// GIL. Exceptions become failed answers; what is not an Exception (KeyboardInterrupt, SystemExit) is thrown on, and
// OutOfResources where this process has too little memory to read an answer.
class Callable {
 public:
  Callable(py::object fun, bool takes_seed, const ResolvedProblem& problem);
  // x in the solver's units. The function gets a fresh array in the user's: it may keep or change it.
  Outcome operator()(std::span<const double> x, std::uint64_t seed, std::span<const std::uint8_t> wanted) const;
  Outcome operator()(const Query& query) const { return (*this)(query.x, query.noise, query.wanted); }
  std::size_t functions() const { return names_.size(); }  // that can be asked alone; 0: none can

  // For who has it called elsewhere: the function, its arguments, and what `get` (a future's result) comes to. An
  // exception of type `not_his` is thrown on: it is not the function's.
  const py::object& function() const { return fun_; }
  py::tuple arguments(const Query& query) const;
  Outcome outcome_of(const std::function<py::object()>& get, const py::object& not_his, const Query& query) const;

 private:
  py::tuple names_of(std::span<const std::uint8_t> wanted) const;
  py::object fun_;
  bool takes_seed_;
  int drop_bits_;  // of the seeds: see seed_bits
  Space space_;
  ValueReader reader_;
  std::vector<std::string> names_;  // of all functions, if they can be asked alone
};

}  // namespace zeroth::python
