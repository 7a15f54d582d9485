// SPDX-License-Identifier: MIT
#include "zeroth/catalog/catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include "zeroth/core/error.hpp"
#include "zeroth/lab/studies/reproduce.hpp"
#include "zeroth/python/bindings.hpp"

namespace zeroth::python {
namespace {

py::list as_list(const OptionList& options) {
  py::list list;
  for (const Option& o : options) {
    py::dict d;
    d["name"] = o.name();
    d["type"] = o.type();
    d["default"] = o.value();
    d["allowed"] = o.allowed();
    d["help"] = o.help();
    list.append(d);
  }
  return list;
}

template <class Entries>
py::list entries(const Entries& all) {
  py::list list;
  for (const auto& e : all) {
    py::dict d;
    d["name"] = e.name;
    d["summary"] = e.summary;
    d["reference"] = e.reference;
    e.describe([&](const OptionList& options) { d["options"] = as_list(options); });
    list.append(d);
  }
  return list;
}

std::string reproduce_named(const std::string& name, std::int64_t trials, bool full, bool smoke, int jobs,
                            const std::string& out, const py::object& progress) {
  std::vector<std::string> names;
  for (const Reproduction& r : reproductions()) {
    if (r.name != name) {
      names.push_back(r.name);
      continue;
    }
    ReproduceOptions options;
    options.trials = trials;
    options.full = full;
    options.smoke = smoke;
    options.jobs = jobs;
    options.out = out;
    if (!progress.is_none())
      options.progress = [&](const std::string& line) {
        const py::gil_scoped_acquire hold;
        progress(line);
      };
    const py::gil_scoped_release others_may_work;
    return r.run(options);
  }
  const std::string near = nearest_name(name, names);
  throw Error(fmt::format(
      "name: there is no experiment '{}'; {}", name,
      near.empty() ? fmt::format("there are: {}", fmt::join(names, ", ")) : fmt::format("did you mean '{}'?", near)));
}

}  // namespace

void bind_catalog(py::module_& module) {
  module.def("solvers", [] { return entries(solvers()); });
  module.def("problems", [] { return entries(problems()); });
  module.def("run_options", [] {
    RunSettings run;
    return as_list(options_of(run));
  });
  module.def("nearest_name", [](const std::string& name, const std::vector<std::string>& candidates) {
    return nearest_name(name, candidates);
  });
  module.def("reproduce", &reproduce_named, py::arg("name"), py::arg("trials"), py::arg("full"), py::arg("smoke"),
             py::arg("jobs"), py::arg("out"), py::arg("progress"));
}

}  // namespace zeroth::python
