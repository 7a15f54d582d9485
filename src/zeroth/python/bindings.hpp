// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "zeroth/run/result.hpp"
#include "zeroth/run/session.hpp"

namespace zeroth::python {

namespace py = pybind11;

// Each adds its part to the module zeroth._zeroth; the package in python/zeroth gives them the shape people see.
void bind_catalog(py::module_& module);
void bind_solve(py::module_& module);
void bind_search(py::module_& module);
void bind_store(py::module_& module);

// A problem as the Python side hands it over: the text of a problem file, a name for complaints, and keys to replace.
using Overrides = std::vector<std::pair<std::string, std::string>>;
inline ProblemSource source_from(std::string text, std::string file, Overrides overrides) {
  return {std::move(file), std::move(text), std::move(overrides)};
}

py::dict as_dict(const Result& result, const ResolvedProblem& problem);

// An array that owns the vector's memory: nothing is copied.
template <class T>
py::array_t<T> as_array(std::vector<T> values, std::vector<py::ssize_t> shape = {}) {
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<T>*>(p); });
  if (shape.empty()) shape = {static_cast<py::ssize_t>(kept->size())};
  return py::array_t<T>(shape, kept->data(), owner);
}

inline py::array_t<double> as_array(const Vector& v) { return py::array_t<double>(v.size(), v.data()); }

}  // namespace zeroth::python
