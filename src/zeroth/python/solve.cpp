// SPDX-License-Identifier: MIT
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/python/bindings.hpp"
#include "zeroth/python/engines.hpp"
#include "zeroth/run/result_json.hpp"
#include "zeroth/run/stored/continued.hpp"

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
  std::vector<py::object> known;
  py::object pool;
  py::object warn;  // called with what the user may not have meant
};

// What a run has seen so far, for callbacks, charts and the note about idle workers. Kept without the GIL.
class Witnessed {
 public:
  Witnessed(const ResolvedProblem& problem, bool told) : problem_(problem), told_(told) {}

  void see(const Progress& p) {
    if (!p.checking) largest_batch_ = std::max(largest_batch_, p.answers.size());
    for (const Answer& a : p.answers) {
      if (told_) last_ = a;
      const double sign = problem_.maximize ? -1 : 1;
      objective_.push_back(a.failed() ? std::nan("") : sign * a.values[0]);
      feasible_.push_back(!a.failed() && feasible(a));
      if (feasible_.back() && !p.checking && !(sign * best_ <= sign * objective_.back())) best_ = objective_.back();
    }
  }
  const Answer& last() const { return last_; }
  double best() const { return best_; }  // the best objective of an evaluation that saw every constraint hold, or NaN
  std::size_t largest_batch() const { return largest_batch_; }
  py::dict history() {
    py::dict d;
    d["objective"] = as_array(std::move(objective_));
    d["feasible"] = as_array(std::move(feasible_));
    return d;
  }

 private:
  bool feasible(const Answer& a) const {
    std::vector<double> meant;
    if (problem_.meaning) meant = problem_.meaning->of(a.values);
    const std::span<const double> values = problem_.meaning ? meant : a.values;
    for (Index i = 1; i <= problem_.spec.constraints; ++i)
      if (!(values[static_cast<std::size_t>(i)] <= 0)) return false;  // not known is not seen to hold
    return true;
  }

  const ResolvedProblem& problem_;
  bool told_;  // somebody wants to know the last answer
  Answer last_ = Answer::failed_because("nothing was evaluated yet");
  std::vector<double> objective_;
  std::vector<std::uint8_t> feasible_;
  double best_ = std::nan("");
  std::size_t largest_batch_ = 0;
};

std::unique_ptr<Engine> engine_for(const Request& r, const ResolvedProblem& problem, Tracebacks& tracebacks) {
  if (r.fun.is_none()) return local_engine(problem, r.workers);
  PythonTask task{Callable(r.fun, r.takes_seed, problem), *r.interrupts, tracebacks, problem.evaluator->retries,
                  problem.evaluator->timeout};
  if (!r.pool.is_none()) return pool_engine(std::move(task), r.pool);
  // An evaluation in this very process cannot be ended, one in another can.
  if (r.workers > 1 || task.timeout > 0) return forking_engine(std::move(task), r.workers, problem.spec.dimension());
  return calling_engine(std::move(task));
}

void tell_callback(const Request& r, const ResolvedProblem& problem, const Progress& p, const Witnessed& witnessed) {
  const py::gil_scoped_acquire hold;
  py::dict state;
  state["evaluations"] = p.evaluations;
  state["budget"] = p.budget;
  state["spent"] = p.spent;
  state["failed"] = p.failed;
  state["seconds"] = p.seconds;
  state["checking"] = p.checking;
  if (p.incumbent && p.incumbent->refresh) p.incumbent->refresh();
  state["x"] = p.incumbent && p.incumbent->x.size() > 0 ? py::object(as_array(problem.space.to_user(p.incumbent->x)))
                                                        : py::object(py::none());
  const Answer& last = witnessed.last();
  std::vector<double> values = last.values;
  if (!last.failed() && problem.maximize) values[0] = -values[0];
  state["values"] = last.failed() ? py::object(py::none()) : py::object(py::cast(values));
  state["failure"] = last.failed() ? py::object(py::str(last.failure)) : py::object(py::none());
  state["best"] = std::isnan(witnessed.best()) ? py::object(py::none()) : py::object(py::float_(witnessed.best()));
  try {
    const py::object answer = r.callback(state);
    if (py::isinstance<py::bool_>(answer) && answer.cast<bool>()) r.interrupts->request();
  } catch (py::error_already_set& e) {
    if (e.matches(PyExc_StopIteration)) r.interrupts->request();
    else r.interrupts->keep(std::move(e));
  }
}

SolveOutcome work(const Request& r, const ProblemSource& source, const ResolvedProblem& problem, Engine& engine,
                  const std::string* store, Witnessed& witnessed) {
  const auto stop = [&r] { return r.interrupts->asked(); };
  const auto observe = [&](const Progress& p) {
    witnessed.see(p);
    if (!r.callback.is_none() && p.evaluations > p.replayed) tell_callback(r, problem, p, witnessed);
  };
  const py::gil_scoped_release others_may_work;
  if (store) {
    SolveRequest request;
    request.store = *store;
    request.resume = r.resume;
    request.stop = stop;
    request.observe = observe;
    if (!r.warn.is_none())
      request.warn = [&](const std::string& words) {
        const py::gil_scoped_acquire hold;
        r.warn(words);
      };
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
  ProblemSource source = source_from(r.text, r.file, r.overrides);
  ResolvedProblem problem = resolve(source, r.fun.is_none(), known_limits(r.known));
  if (r.resume && !r.store.is_none()) {
    (void)continue_earlier_run(source, r.store.cast<std::string>(), problem);
    problem = resolve(source, r.fun.is_none(), known_limits(r.known));
  }
  Tracebacks tracebacks;
  // Before the store is opened: worker processes must not inherit its lock.
  const auto engine = engine_for(r, problem, tracebacks);
  std::string path;
  if (!r.store.is_none()) path = r.store.cast<std::string>();
  Witnessed witnessed(problem, !r.callback.is_none());
  const SolveOutcome outcome = work(r, source, problem, *engine, r.store.is_none() ? nullptr : &path, witnessed);
  py::dict answer = as_dict(outcome.result, problem);
  answer["tracebacks"] = tracebacks;
  answer["run"] = outcome.run > 0 ? py::object(py::int_(outcome.run)) : py::object(py::none());
  answer["replayed"] = outcome.replayed;
  answer["largest_batch"] = witnessed.largest_batch();
  answer["history"] = witnessed.history();
  return answer;
}

py::dict resolve_in_python(std::string text, std::string file, Overrides overrides, bool must_run,
                           const std::vector<py::object>& known) {
  const ResolvedProblem problem =
      resolve(source_from(std::move(text), std::move(file), std::move(overrides)), must_run, known_limits(known));
  py::dict d;
  d["name"] = problem.name;
  d["dimension"] = problem.spec.dimension();
  d["names"] = problem.space.names();
  d["constraints"] = problem.constraint_names;
  d["values"] = problem.value_names();
  d["equalities"] = problem.equality_names;
  std::vector<std::vector<std::string>> choices;
  std::vector<bool> whole;
  const Variables& variables = problem.space.variables();
  for (Index i = 0; i < problem.spec.dimension(); ++i) {
    choices.push_back(variables.values_of(i));
    whole.push_back(i < variables.size() && variables.type[static_cast<std::size_t>(i)] != VariableType::real);
  }
  d["choices"] = choices;
  d["whole"] = whole;
  d["conditional"] = problem.space.conditional();
  d["partial"] = problem.partial();
  d["direction"] = problem.maximize ? "maximize" : "minimize";
  d["solver"] = problem.run.name;
  d["budget"] = problem.run.budget;
  d["seed"] = problem.run.seed;
  return d;
}

}  // namespace

// A known limit that is a Python function: asked wherever a point is about to be proposed, so it takes the GIL itself.
// One that raises does not allow the point.
std::vector<KnownLimit> known_limits(const std::vector<py::object>& functions) {
  std::vector<KnownLimit> limits;
  for (const py::object& function : functions) {
    // Deleted with the GIL held, wherever the last copy goes.
    const std::shared_ptr<py::object> held(new py::object(function), [](py::object* o) {
      const py::gil_scoped_acquire hold;
      delete o;
    });
    const std::string name = py::str(py::getattr(function, "__qualname__", py::str("a function")));
    limits.push_back({name, [held](std::span<const double> x) {
                        const py::gil_scoped_acquire hold;
                        auto point = new_array(x.size());
                        std::ranges::copy(x, point.mutable_data());
                        try {
                          const py::object value = (*held)(point);
                          if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? -1.0 : 1.0;
                          return value.cast<double>();
                        } catch (py::error_already_set& e) {
                          if (!e.matches(PyExc_Exception)) throw;
                          return std::numeric_limits<double>::quiet_NaN();
                        }
                      }});
  }
  return limits;
}

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
         py::object store, bool resume, Interrupts& interrupts, py::object callback, std::vector<py::object> known,
         py::object pool, py::object warn) {
        return solve_in_python({std::move(text), std::move(file), std::move(overrides), std::move(fun), takes_seed,
                                workers, std::move(store), resume, &interrupts, std::move(callback), std::move(known),
                                std::move(pool), std::move(warn)});
      },
      py::arg("text"), py::arg("file"), py::arg("overrides"), py::arg("fun"), py::arg("takes_seed"), py::arg("workers"),
      py::arg("store"), py::arg("resume"), py::arg("interrupts"), py::arg("callback"),
      py::arg("known") = std::vector<py::object>(), py::arg("pool") = py::none(), py::arg("warn") = py::none());
  module.def("resolve", &resolve_in_python, py::arg("text"), py::arg("file"), py::arg("overrides"), py::arg("must_run"),
             py::arg("known") = std::vector<py::object>());
}

}  // namespace zeroth::python
