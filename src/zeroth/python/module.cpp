// SPDX-License-Identifier: MIT
#include "zeroth/core/error.hpp"
#include "zeroth/python/bindings.hpp"
#include "zeroth/run/result_json.hpp"

// The translation alone; docs, defaults and checks of arguments live in the package around it (python/zeroth).
PYBIND11_MODULE(_zeroth, module) {
  using namespace zeroth;
  using namespace zeroth::python;
  module.attr("version") = version();
  py::register_exception<Error>(module, "Error", PyExc_ValueError);
  py::register_exception<EverythingFailed>(module, "EvaluationsFailed", PyExc_RuntimeError);
  py::register_exception<ReplayDiverged>(module, "ReplayDiverged", PyExc_RuntimeError);
  py::register_exception<sqlite::Failure>(module, "StoreError", PyExc_RuntimeError);
  bind_catalog(module);
  bind_solve(module);
  bind_search(module);
  bind_store(module);
}
