// SPDX-License-Identifier: MIT
#include <pybind11/stl.h>

#include "zeroth/python/bindings.hpp"
#include "zeroth/python/engines.hpp"
#include "zeroth/run/result_json.hpp"

namespace zeroth::python {
namespace {

struct Request {
  std::string text, file;
  Overrides overrides;
  py::object fun;
  bool takes_seed = true;
  int workers = 1;
  py::object store;
  bool resume = false;
  Interrupts* interrupts = nullptr;
  py::object callback;
};

std::unique_ptr<Engine> engine_for(const Request& r, const ResolvedProblem& problem, Tracebacks& tracebacks) {
  if (r.fun.is_none()) return local_engine(problem, r.workers);
  PythonTask task{Callable(r.fun, r.takes_seed, problem), *r.interrupts, tracebacks, problem.evaluator->retries,
                  problem.evaluator->timeout};
  // An evaluation in this very process cannot be ended, one in another can.
  if (r.workers > 1 || task.timeout > 0) return forking_engine(std::move(task), r.workers, problem.spec.dimension());
  return calling_engine(std::move(task));
}

void tell_callback(const Request& r, const ResolvedProblem& problem, const Progress& p) {
  const py::gil_scoped_acquire hold;
  py::dict state;
  state["evaluations"] = p.evaluations;
  state["budget"] = p.budget;
  state["failed"] = p.failed;
  state["seconds"] = p.seconds;
  state["checking"] = p.checking;
  state["x"] = p.incumbent && p.incumbent->x.size() > 0 ? py::object(as_array(problem.space.to_user(p.incumbent->x)))
                                                        : py::object(py::none());
  try {
    const py::object answer = r.callback(state);
    if (py::isinstance<py::bool_>(answer) && answer.cast<bool>()) r.interrupts->request();
  } catch (py::error_already_set& e) {
    if (e.matches(PyExc_StopIteration)) r.interrupts->request();
    else r.interrupts->keep(std::move(e));
  }
}

SolveOutcome work(const Request& r, const ProblemSource& source, const ResolvedProblem& problem, Engine& engine,
                  const std::string* store) {
  const auto stop = [&r] { return r.interrupts->asked(); };
  std::function<void(const Progress&)> observe;
  if (!r.callback.is_none())
    observe = [&](const Progress& p) {
      if (p.evaluations > p.replayed) tell_callback(r, problem, p);
    };
  const py::gil_scoped_release others_may_work;
  if (store) {
    SolveRequest request;
    request.store = *store;
    request.resume = r.resume;
    request.stop = stop;
    request.observe = observe;
    return solve(source, problem, engine, request);
  }
  RunRequest request = run_request(problem);
  request.stop = stop;
  request.observe = observe;
  SolveOutcome outcome;
  outcome.result = run(problem.spec, start_solver(problem), engine, request);
  return outcome;
}

py::dict solve_in_python(Request r) {
  const ProblemSource source = source_from(r.text, r.file, r.overrides);
  const ResolvedProblem problem = resolve(source, r.fun.is_none());
  Tracebacks tracebacks;
  // Before the store is opened: worker processes must not inherit its lock.
  const auto engine = engine_for(r, problem, tracebacks);
  std::string path;
  if (!r.store.is_none()) path = r.store.cast<std::string>();
  const SolveOutcome outcome = work(r, source, problem, *engine, r.store.is_none() ? nullptr : &path);
  py::dict answer = as_dict(outcome.result, problem);
  answer["tracebacks"] = tracebacks;
  answer["run"] = outcome.run > 0 ? py::object(py::int_(outcome.run)) : py::object(py::none());
  answer["replayed"] = outcome.replayed;
  return answer;
}

py::dict resolve_in_python(std::string text, std::string file, Overrides overrides, bool must_run) {
  const ResolvedProblem problem =
      resolve(source_from(std::move(text), std::move(file), std::move(overrides)), must_run);
  py::dict d;
  d["name"] = problem.name;
  d["dimension"] = problem.spec.dimension();
  d["names"] = problem.space.names();
  d["constraints"] = problem.constraint_names;
  d["equalities"] = problem.equality_names;
  d["direction"] = problem.maximize ? "maximize" : "minimize";
  d["solver"] = problem.run.name;
  d["budget"] = problem.run.budget;
  d["seed"] = problem.run.seed;
  return d;
}

}  // namespace

py::dict as_dict(const Result& result, const ResolvedProblem& problem) {
  py::dict d;
  d["json"] = result_json(result, problem);
  d["x"] = as_array(problem.space.to_user(result.x));
  d["names"] = problem.space.names();
  d["note"] = result.note;
  d["failures"] = result.failures;
  d["replicates"] = result.replicates;
  d["function_calls"] = result.function_calls;
  d["trace"] = result.trace;
  std::vector<double> multiplier_se;
  for (const ConstraintResult& c : result.constraints) multiplier_se.push_back(c.multiplier.se);
  d["multiplier_se"] = multiplier_se;
  return d;
}

void bind_solve(py::module_& module) {
  py::class_<Interrupts>(module, "Interrupts")
      .def(py::init<>())
      .def("request", &Interrupts::request)
      .def("requested", &Interrupts::requested)
      .def("rethrow", &Interrupts::rethrow);
  module.def(
      "solve",
      [](std::string text, std::string file, Overrides overrides, py::object fun, bool takes_seed, int workers,
         py::object store, bool resume, Interrupts& interrupts, py::object callback) {
        return solve_in_python({std::move(text), std::move(file), std::move(overrides), std::move(fun), takes_seed,
                                workers, std::move(store), resume, &interrupts, std::move(callback)});
      },
      py::arg("text"), py::arg("file"), py::arg("overrides"), py::arg("fun"), py::arg("takes_seed"), py::arg("workers"),
      py::arg("store"), py::arg("resume"), py::arg("interrupts"), py::arg("callback"));
  module.def("resolve", &resolve_in_python, py::arg("text"), py::arg("file"), py::arg("overrides"),
             py::arg("must_run"));
}

}  // namespace zeroth::python
