// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "zeroth/run/result.hpp"
#include "zeroth/run/stored/session.hpp"

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
  return {std::move(file), std::move(text), std::move(overrides), 0};
}

std::vector<KnownLimit> known_limits(const std::vector<py::object>& functions);

py::dict as_dict(const Result& result, const ResolvedProblem& problem);

// Strides are said, not left to pybind11: before 2.12 it reads the size of an item where numpy 2 keeps something else,
// and every entry of an array would be its first.
template <class T>
std::vector<py::ssize_t> packed_strides(const std::vector<py::ssize_t>& shape) {
  std::vector<py::ssize_t> strides(shape.size(), static_cast<py::ssize_t>(sizeof(T)));
  for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

inline py::array_t<double> new_array(std::size_t size) {
  const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(size)};
  return py::array_t<double>(shape, packed_strides<double>(shape));
}

// An array that owns the vector's memory: nothing is copied.
template <class T>
py::array_t<T> as_array(std::vector<T> values, std::vector<py::ssize_t> shape = {}) {
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<T>*>(p); });
  if (shape.empty()) shape = {static_cast<py::ssize_t>(kept->size())};
  return py::array_t<T>(shape, packed_strides<T>(shape), kept->data(), owner);
}

inline py::array_t<double> as_array(const Vector& v) {
  auto array = new_array(static_cast<std::size_t>(v.size()));
  std::copy_n(v.data(), v.size(), array.mutable_data());
  return array;
}

}  // namespace zeroth::python
