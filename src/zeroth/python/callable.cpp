// SPDX-License-Identifier: MIT
#include "zeroth/python/callable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "zeroth/core/text.hpp"
#include "zeroth/engine/limits.hpp"
#include "zeroth/problem_file/read_cost.hpp"
#include "zeroth/python/bindings.hpp"

namespace zeroth::python {
namespace {

bool is_group(PyObject* o) {
  if (PyFloat_Check(o) || PyLong_Check(o) || PyUnicode_Check(o)) return false;
  if (PyTuple_Check(o) || PyList_Check(o)) return true;
  if (py::isinstance<py::array>(o)) return py::reinterpret_borrow<py::array>(o).ndim() > 0;
  return PySequence_Check(o) != 0;
}

// None stands for what was not asked for.
bool read_number(PyObject* o, double& value, bool or_none) {
  if (o == Py_None && or_none) {
    value = std::nan("");
    return true;
  }
  value = PyFloat_CheckExact(o) ? PyFloat_AS_DOUBLE(o) : PyFloat_AsDouble(o);
  if (value != -1.0 || !PyErr_Occurred()) return true;
  PyErr_Clear();
  return false;
}

// No function has so many values. What is larger is not copied only to be refused: it may be larger than the memory.
bool too_many(PyObject* o) {
  constexpr py::ssize_t most = 1'000'000;
  if (py::isinstance<py::array>(o)) return py::reinterpret_borrow<py::array>(o).size() > most;
  const Py_ssize_t size = PyObject_Size(o);
  PyErr_Clear();
  return size > most;
}

// Appends one number or a sequence of them.
bool append(PyObject* o, std::vector<double>& values, bool or_none) {
  if (!is_group(o)) return read_number(o, values.emplace_back(), or_none);
  if (too_many(o)) return false;
  if (py::isinstance<py::array>(o)) {
    const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(o);
    if (!array) {
      PyErr_Clear();
      return false;
    }
    values.insert(values.end(), array.data(), array.data() + array.size());
    return true;
  }
  const auto items = py::reinterpret_steal<py::object>(PySequence_Fast(o, ""));
  if (!items) {
    PyErr_Clear();
    return false;
  }
  PyObject** const begin = PySequence_Fast_ITEMS(items.ptr());
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i)
    if (!read_number(begin[i], values.emplace_back(), or_none)) return false;
  return true;
}

// Whatever Python calls a text, as UTF-8. A lone surrogate (an undecodable file name, say) has no UTF-8 of its own.
std::string text_of(py::handle o) {
  const auto text = py::reinterpret_steal<py::object>(PyObject_Str(o.ptr()));
  if (!text) throw py::error_already_set();
  const auto bytes =
      py::reinterpret_steal<py::object>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes) throw py::error_already_set();
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

std::string shown(py::handle o) {
  constexpr std::size_t most = 120;
  try {
    const std::string text = text_of(py::reinterpret_steal<py::object>(PyObject_ASCII(o.ptr())));
    return text.size() <= most ? text : text.substr(0, most) + "...";
  } catch (const py::error_already_set&) {
    return "an object without a repr";
  }
}

Outcome failure_of(py::error_already_set& e) {
  Outcome outcome;
  const auto value = e.value() ? e.value() : py::none();
  const auto trace = e.trace() ? e.trace() : py::none();
  try {
    const auto format = py::module_::import("traceback");
    const py::list lines = format.attr("format_exception_only")(e.type(), value);
    std::string reason = text_of(py::str(lines[lines.size() - 1]).attr("strip")());
    std::ranges::replace(reason, '\n', ' ');
    outcome.answer = Answer::failed_because(reason.empty() ? "an exception without a name" : reason);
    outcome.traceback = text_of(py::str("").attr("join")(format.attr("format_exception")(e.type(), value, trace)));
  } catch (const std::exception&) {  // its own code raised while it was being shown
    if (!outcome.answer.failed()) outcome.answer = Answer::failed_because("an exception that cannot be shown");
  }
  return outcome;
}

// What `get` comes to. Whatever it throws is a failed answer, but what ends the program (KeyboardInterrupt,
// SystemExit), what is `not_his`, and this process's own lack of memory, which says nothing of the function.
template <class Get>
Outcome caught(const Get& get, py::handle not_his = {}) {
  try {
    return get();
  } catch (py::error_already_set& e) {
    if (!e.matches(PyExc_Exception) || (not_his && e.matches(not_his))) throw;
    return failure_of(e);
  } catch (const std::bad_alloc&) {
    throw OutOfResources("too little memory to read what the function returned");
  } catch (const std::exception& e) {
    return {Answer::failed_because(valid_utf8(e.what())), "", false};
  }
}

}  // namespace

ValueReader::ValueReader(const ResolvedProblem& problem)
    : constraints_(problem.value_names().size()),
      equalities_(problem.equality_names.size()),
      maximize_(problem.maximize),
      names_(problem.value_names()) {
  names_.insert(names_.end(), problem.equality_names.begin(), problem.equality_names.end());
}

std::string ValueReader::expected() const {
  if (names_.empty()) return "expected the objective as one number";
  std::string groups;
  if (constraints_ > 0) groups += fmt::format(", [{} constraint{}]", constraints_, constraints_ > 1 ? "s" : "");
  if (equalities_ > 0) groups += fmt::format(", [{} equalit{}]", equalities_, equalities_ > 1 ? "ies" : "y");
  constexpr std::size_t most_shown = 6;
  const std::vector<std::string> some(names_.begin(), names_.begin() + std::min(names_.size(), most_shown));
  return fmt::format("expected (objective{}) or a dict with the keys objective, {}{}", groups, fmt::join(some, ", "),
                     names_.size() > some.size() ? ", ..." : "");
}

Outcome ValueReader::misread(py::handle returned, const std::string& what) const {
  Outcome outcome;
  outcome.misread = true;
  outcome.answer = Answer::failed_because(fmt::format("the function returned {}{}; {}", shown(returned),
                                                      what.empty() ? "" : fmt::format(" ({})", what), expected()));
  return outcome;
}

bool ValueReader::from_mapping(py::handle returned, Answer& answer, std::span<const std::uint8_t> wanted,
                               std::string& what) const {
  std::vector<double>& values = answer.values;
  values.assign(1 + names_.size(), std::nan(""));
  std::vector<bool> seen(values.size(), false);
  const auto place = [&](std::size_t begin, std::size_t count, PyObject* group) {
    std::vector<double> read;
    if (!append(group, read, !wanted.empty()) || read.size() != count) return false;
    std::ranges::copy(read, values.begin() + static_cast<std::ptrdiff_t>(begin));
    std::fill_n(seen.begin() + static_cast<std::ptrdiff_t>(begin), count, true);
    return true;
  };
  // Standard errors, by the same names; unknown where they are not given.
  const auto errors = [&](const std::string& name, PyObject* group, std::vector<double>& se) {
    std::size_t begin = 0, count = 1;
    if (name == "constraints") begin = 1, count = constraints_;
    else if (name == "equalities") begin = 1 + constraints_, count = equalities_;
    else if (const auto found = std::ranges::find(names_, name); found != names_.end())
      begin = 1 + static_cast<std::size_t>(found - names_.begin());
    else if (name != "objective") return false;
    std::vector<double> read;
    if (!append(group, read, true) || read.size() != count) return false;
    if (se.empty()) se.assign(values.size(), std::nan(""));
    std::ranges::copy(read, se.begin() + static_cast<std::ptrdiff_t>(begin));
    return true;
  };
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(returned)) {
    const std::string name = text_of(key);
    bool good;
    if (name == "objective") good = place(0, 1, value.ptr());
    else if (const auto found = std::ranges::find(names_, name); found != names_.end())
      good = place(1 + static_cast<std::size_t>(found - names_.begin()), 1, value.ptr());
    else if (name == "constraints") good = place(1, constraints_, value.ptr());
    else if (name == "equalities") good = place(1 + constraints_, equalities_, value.ptr());
    else if (name.ends_with("_se") && errors(name.substr(0, name.size() - 3), value.ptr(), answer.se)) {
      if (std::ranges::any_of(answer.se, [](double v) { return v < 0 || std::isinf(v); })) {
        what = fmt::format("'{}' must hold finite numbers >= 0", name);
        return false;
      }
      continue;
    } else {
      what = fmt::format("there is no constraint '{}'", name);
      return false;
    }
    if (!good) {
      what = fmt::format("'{}' does not hold the right count of numbers", name);
      return false;
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!seen[i] && (wanted.empty() || wanted[i] != 0)) {
      what = fmt::format("'{}' is missing", i == 0 ? "objective" : names_[i - 1]);
      return false;
    }
  return true;
}

bool ValueReader::from_sequence(py::handle returned, std::vector<double>& values, bool or_none,
                                std::string& what) const {
  if (py::isinstance<py::array>(returned)) return append(returned.ptr(), values, or_none);
  if (too_many(returned.ptr())) return false;
  const auto items = py::reinterpret_steal<py::object>(PySequence_Fast(returned.ptr(), ""));
  if (!items) {
    PyErr_Clear();
    return false;
  }
  PyObject** const item = PySequence_Fast_ITEMS(items.ptr());
  const auto count = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.ptr()));
  if (count == 0 || !append(item[0], values, or_none) || values.size() != 1) return false;
  // Numbers one by one may stand in a row; groups must have their own lengths, or equalities would pass as constraints.
  const bool grouped = std::any_of(item + 1, item + count, [](PyObject* o) { return is_group(o); });
  std::array<std::size_t, 2> sizes{constraints_, equalities_};
  if (constraints_ == 0 && count == 2) sizes = {equalities_, 0};
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t before = values.size();
    if (!append(item[i], values, or_none)) return false;
    if (grouped && (i > 2 || values.size() - before != sizes[i - 1])) {
      what = i > 2 ? "more than three parts" : fmt::format("{} values in part {}", values.size() - before, i + 1);
      return false;
    }
  }
  return true;
}

Outcome ValueReader::read(py::handle returned, std::span<const std::uint8_t> wanted) const {
  Outcome outcome;
  std::string what;
  std::vector<double>& values = outcome.answer.values;
  values.reserve(1 + names_.size());
  const bool understood = PyDict_Check(returned.ptr()) ? from_mapping(returned, outcome.answer, wanted, what)
                          : is_group(returned.ptr())   ? from_sequence(returned, values, !wanted.empty(), what)
                                                       : read_number(returned.ptr(), values.emplace_back(), false);
  if (!understood) return misread(returned, what);
  if (values.size() != 1 + names_.size())
    return misread(returned, fmt::format("{} value{}", values.size(), values.size() == 1 ? "" : "s"));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!wanted.empty() && wanted[i] == 0) {
      values[i] = std::nan("");
    } else if (!std::isfinite(values[i])) {
      outcome.answer =
          Answer::failed_because(fmt::format("{} is not a finite number", i == 0 ? "objective" : names_[i - 1]));
      return outcome;
    }
  if (maximize_) values[0] = -values[0];
  return outcome;
}

Callable::Callable(py::object fun, bool takes_seed, const ResolvedProblem& problem)
    : fun_(std::move(fun)),
      takes_seed_(takes_seed),
      drop_bits_(problem.evaluator ? 53 - problem.evaluator->seed_bits : 0),
      space_(problem.space),
      reader_(problem) {
  if (problem.cost.size() > 0) names_ = measured_names(problem);
}

py::tuple Callable::names_of(std::span<const std::uint8_t> wanted) const {
  py::list names;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (wanted.empty() || wanted[i] != 0) names.append(py::str(names_[i]));
  return py::tuple(names);
}

Outcome Callable::operator()(std::span<const double> x, std::uint64_t seed,
                             std::span<const std::uint8_t> wanted) const {
  auto point = new_array(x.size());
  space_.to_user(x, {point.mutable_data(), x.size()});
  const auto key = py::reinterpret_steal<py::object>(PyLong_FromUnsignedLongLong(seed >> drop_bits_));
  const py::tuple names = names_of(wanted);
  PyObject* const arguments[] = {point.ptr(), key.ptr(), names.ptr()};
  const std::size_t count = !names_.empty() ? 3 : takes_seed_ ? 2 : 1;
  const pid_t here = ::getpid();
  const auto returned = py::reinterpret_steal<py::object>(PyObject_Vectorcall(fun_.ptr(), arguments, count, nullptr));
  // A process that the function forked came back from it, too: there is one run, and one who answers.
  if (::getpid() != here) ::_exit(0);
  return caught([&] {
    if (!returned) throw py::error_already_set();
    return reader_.read(returned, names_.empty() ? std::span<const std::uint8_t>{} : wanted);
  });
}

py::tuple Callable::arguments(const Query& query) const {
  auto point = new_array(query.x.size());
  space_.to_user(query.x, {point.mutable_data(), query.x.size()});
  if (!names_.empty()) return py::make_tuple(point, query.noise >> drop_bits_, names_of(query.wanted));
  if (!takes_seed_) return py::make_tuple(point);
  return py::make_tuple(point, query.noise >> drop_bits_);
}

Outcome Callable::outcome_of(const std::function<py::object()>& get, const py::object& not_his,
                             const Query& query) const {
  return caught([&] { return reader_.read(get(), names_.empty() ? std::span<const std::uint8_t>{} : query.wanted); },
                not_his);
}

}  // namespace zeroth::python
