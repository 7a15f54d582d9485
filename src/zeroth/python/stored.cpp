// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "zeroth/core/error.hpp"
#include "zeroth/python/bindings.hpp"

namespace zeroth::python {
namespace {

RunRow row_of(Store& store, std::int64_t id) {
  const auto row = store.run(id);
  if (!row) throw Error(store.path(), fmt::format("there is no run {}; runs() lists what there is", id));
  return *row;
}

py::dict as_dict(const RunRow& r) {
  py::dict d;
  d["id"] = r.id;
  d["name"] = r.name;
  d["solver"] = r.solver;
  d["seed"] = r.seed;
  d["budget"] = r.budget;
  d["dimension"] = r.dimension;
  d["functions"] = r.functions;
  d["maximize"] = r.maximize;
  d["names"] = r.names;
  d["version"] = r.version;
  d["started"] = r.started;
  d["finished"] = r.finished;
  d["status"] = r.status;
  d["result"] = r.result;
  d["continues"] = r.continues;
  d["file"] = r.file;
  d["document"] = r.document;
  return d;
}

// Columns of numpy arrays; a failed evaluation has NaN for values and its reason in `failure`.
py::dict answers(Store& store, std::int64_t run) {
  const RunRow row = row_of(store, run);
  const auto n = static_cast<std::size_t>(row.dimension), m = static_cast<std::size_t>(row.functions);
  const bool has_x = row.dimension <= Store::x_limit;
  std::vector<std::int64_t> number, worker, attempts;
  std::vector<std::uint64_t> seed;
  std::vector<double> x, values, seconds;
  std::vector<std::string> failure, error_output;
  {
    const py::gil_scoped_release others_may_work;
    store.each_answer(run, [&](const StoredAnswer& a) {
      // Rows of a table are as wide as the run says; a store that says so without having the numbers is damaged.
      if ((has_x && a.x.size() != n) ||
          (!a.answer.failed() && a.answer.values.size() != m && a.answer.values.size() != m + 1))
        throw sqlite::Failure(
            fmt::format("answer {} of run {} does not have {} coordinates and {} values", a.number, run, n, m));
      number.push_back(a.number);
      seed.push_back(a.noise);
      if (has_x) x.insert(x.end(), a.x.begin(), a.x.end());
      if (has_x) x.resize(number.size() * n, std::nan(""));
      values.insert(values.end(), a.answer.values.begin(),
                    a.answer.values.begin() + static_cast<std::ptrdiff_t>(std::min(m, a.answer.values.size())));
      values.resize(number.size() * m, std::nan(""));
      failure.push_back(a.answer.failure);
      error_output.push_back(a.how.error_output);
      seconds.push_back(a.how.seconds);
      worker.push_back(a.how.worker);
      attempts.push_back(a.how.attempts);
    });
  }
  const auto rows = static_cast<py::ssize_t>(number.size());
  py::dict d;
  d["number"] = as_array(std::move(number));
  d["seed"] = as_array(std::move(seed));
  if (has_x) d["x"] = as_array(std::move(x), {rows, static_cast<py::ssize_t>(n)});
  else d["x"] = py::none();
  d["values"] = as_array(std::move(values), {rows, static_cast<py::ssize_t>(m)});
  d["failure"] = failure;
  d["traceback"] = error_output;
  d["seconds"] = as_array(std::move(seconds));
  d["worker"] = as_array(std::move(worker));
  d["attempts"] = as_array(std::move(attempts));
  return d;
}

py::dict trace(Store& store, std::int64_t run) {
  row_of(store, run);
  std::vector<std::int64_t> evaluations;
  std::vector<double> x, multipliers;
  std::vector<std::string> figures;
  {
    const py::gil_scoped_release others_may_work;
    store.each_trace(run, [&](const StoredTrace& t) {
      evaluations.push_back(t.evaluations);
      x.insert(x.end(), t.x.begin(), t.x.end());
      multipliers.insert(multipliers.end(), t.multipliers.begin(), t.multipliers.end());
      figures.push_back(t.figures);
    });
  }
  const auto rows = static_cast<py::ssize_t>(evaluations.size());
  // A table where every row has as many entries; a solver without multipliers has a table of no columns.
  const auto table = [rows](std::vector<double> v) {
    const py::ssize_t columns = rows > 0 ? static_cast<py::ssize_t>(v.size()) / rows : 0;
    v.resize(static_cast<std::size_t>(rows * columns));
    return as_array(std::move(v), {rows, columns});
  };
  py::dict d;
  d["evaluations"] = as_array(std::move(evaluations));
  d["x"] = table(std::move(x));
  d["multipliers"] = table(std::move(multipliers));
  d["figures"] = figures;
  return d;
}

}  // namespace

void bind_store(py::module_& module) {
  py::class_<Store>(module, "Store")
      .def(py::init([](const std::string& path) { return Store(path, Store::Access::existing); }), py::arg("path"))
      .def_property_readonly("path", &Store::path)
      .def("runs",
           [](Store& store) {
             py::list rows;
             for (const RunRow& r : store.runs()) rows.append(as_dict(r));
             return rows;
           })
      .def("answers", &answers, py::arg("run"))
      .def("trace", &trace, py::arg("run"));
}

}  // namespace zeroth::python
