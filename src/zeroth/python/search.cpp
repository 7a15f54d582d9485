// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <optional>

#include "zeroth/core/error.hpp"
#include "zeroth/python/bindings.hpp"
#include "zeroth/python/callable.hpp"
#include "zeroth/run/check.hpp"

namespace zeroth::python {
namespace {

// The run turned inside out: whoever holds it evaluates. It asks what run() would ask, first the solver's questions and
// then the check's, so that the same answers give the same result.
class AskTell {
 public:
  AskTell(std::string text, std::string file, Overrides overrides)
      : problem_(resolve(source_from(std::move(text), std::move(file), std::move(overrides)), false)),
        request_(run_request(problem_)),
        reader_(problem_),
        search_(start_solver(problem_)),
        rule_(problem_.spec),
        checked_(problem_.spec.functions(), request_.meaning) {
    settle();
  }

  bool done() const { return phase_ == Phase::done; }
  bool checking() const { return phase_ == Phase::check; }
  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t failed() const { return failed_; }

  py::list ask() const {
    const Turn turn(busy_);
    py::list questions;
    for (const Query& q : batch()) {
      py::array_t<double> x(static_cast<py::ssize_t>(q.x.size()));
      problem_.space.to_user(q.x, {x.mutable_data(), q.x.size()});
      questions.append(py::make_tuple(x, q.noise));
    }
    return questions;
  }

  // None or an exception stands for a failed evaluation.
  void tell(const py::sequence& told) {
    const Turn turn(busy_);
    const auto asked = batch();
    if (done()) throw Error("tell: the search is done; nothing was asked");
    if (told.size() != asked.size())
      throw Error(fmt::format("tell: {} answers to {} questions; give one for each, in their order", told.size(),
                              asked.size()));
    std::vector<Answer> answers;
    for (const py::handle item : told) {
      Outcome outcome;
      if (item.is_none()) outcome.answer = Answer::failed_because("no answer");
      else if (PyExceptionInstance_Check(item.ptr()))
        outcome.answer = Answer::failed_because(
            fmt::format("{}: {}", Py_TYPE(item.ptr())->tp_name, py::str(item).cast<std::string>()));
      else outcome = reader_.read(item);
      if (outcome.misread) throw Error("tell: " + outcome.answer.failure);
      answers.push_back(std::move(outcome.answer));
    }
    for (std::size_t k = 0; k < answers.size(); ++k) {
      if (answers[k].failed()) {
        ++failed_;
        ++failures_[answers[k].failure];
      }
      if (!checking()) rule_.see(asked[k], answers[k]);
    }
    evaluations_ += static_cast<std::int64_t>(answers.size());
    const py::gil_scoped_release others_may_work;  // taken again before `turn` ends
    current().tell(answers);
    settle();
  }

  py::dict recommend() const {
    const Turn turn(busy_);
    const Incumbent& i = search_.recommend();
    py::dict d;
    d["x"] = as_array(problem_.space.to_user(checking() || done() ? checked_.x : i.x));
    d["multipliers"] = as_array(i.multipliers);
    d["note"] = i.note;
    d["trace"] = i.trace;
    return d;
  }

  py::dict result() const {
    const Turn turn(busy_);
    Result result;
    const Incumbent incumbent = believable(problem_.spec, search_.recommend());
    result.solver = request_.solver;
    result.seed = request_.seed;
    result.note = incumbent.note;
    result.trace = incumbent.trace;
    result.x = checked_.x.size() > 0 ? checked_.x : incumbent.x;
    summarize(problem_.spec, rule_, checked_.point, incumbent, request_.names, result);
    const std::string status = honest_status(incumbent, probability_all_feasible(result), request_.confidence,
                                             relative_price_of_caution(result), result.note);
    result.status = done() ? status : "interrupted";
    result.evaluations = evaluations_;
    result.failed = failed_;
    result.failures = failures_;
    py::dict d = as_dict(result, problem_);
    d["tracebacks"] = py::dict();
    d["run"] = py::none();
    d["replayed"] = 0;
    return d;
  }

 private:
  // The solver works without the GIL; another thread must not come in meanwhile. Taken and given back with the GIL
  // held.
  class Turn {
   public:
    explicit Turn(bool& busy) : busy_(busy) {
      if (busy_) throw Error("another thread is telling this search; one thread at a time");
      busy_ = true;
    }
    ~Turn() { busy_ = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    bool& busy_;
  };

  enum class Phase { search, check, done };

  Search& current() { return phase_ == Phase::check ? *check_ : search_; }
  std::span<const Query> batch() const {
    if (phase_ == Phase::done) return {};
    return phase_ == Phase::check ? check_->ask() : search_.ask();
  }
  std::int64_t next() const { return evaluations_ + static_cast<std::int64_t>(batch().size()); }

  // From phase to phase, as the budget and the searches themselves say.
  void settle() {
    const std::int64_t limit = search_budget(request_.budget, request_.check_share);
    if (phase_ == Phase::search && (search_.done() || next() > limit)) {
      const Incumbent& incumbent = search_.recommend();
      checked_.x = incumbent.x;
      phase_ = request_.check_share > 0 ? Phase::check : Phase::done;
      if (phase_ == Phase::check)
        check_.emplace(check_answer(problem_.spec, rule_, incumbent.x, incumbent.cautious, request_.budget - limit,
                                    request_.confidence, request_.seed, &checked_));
    }
    if (phase_ == Phase::check && (check_->done() || next() > request_.budget)) phase_ = Phase::done;
  }

  ResolvedProblem problem_;
  RunRequest request_;
  ValueReader reader_;
  Search search_;
  EqualityRule rule_;
  CheckedAnswer checked_;
  std::optional<Search> check_;
  Phase phase_ = Phase::search;
  std::int64_t evaluations_ = 0, failed_ = 0;
  std::map<std::string, std::int64_t> failures_;
  mutable bool busy_ = false;
};

}  // namespace

void bind_search(py::module_& module) {
  py::class_<AskTell>(module, "AskTell")
      .def(py::init<std::string, std::string, Overrides>(), py::arg("text"), py::arg("file"), py::arg("overrides"))
      .def_property_readonly("done", &AskTell::done)
      .def_property_readonly("checking", &AskTell::checking)
      .def_property_readonly("evaluations", &AskTell::evaluations)
      .def_property_readonly("failed", &AskTell::failed)
      .def("ask", &AskTell::ask)
      .def("tell", &AskTell::tell, py::arg("answers"))
      .def("recommend", &AskTell::recommend)
      .def("result", &AskTell::result);
}

}  // namespace zeroth::python
