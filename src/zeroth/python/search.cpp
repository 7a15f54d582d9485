// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "zeroth/core/error.hpp"
#include "zeroth/problem_file/read_cost.hpp"
#include "zeroth/python/bindings.hpp"
#include "zeroth/python/callable.hpp"
#include "zeroth/run/run_state.hpp"

namespace zeroth::python {
namespace {

// The run turned inside out: whoever holds it evaluates. It is the RunState of run(), so that the same answers give the
// same result.
class AskTell {
 public:
  AskTell(std::string text, std::string file, Overrides overrides, const std::vector<py::object>& known)
      : problem_(
            resolve(source_from(std::move(text), std::move(file), std::move(overrides)), false, known_limits(known))),
        reader_(problem_),
        run_(problem_.spec, start_solver(problem_, true), run_request(problem_)) {}

  bool done() const { return run_.done(); }
  bool checking() const { return run_.checking(); }
  std::int64_t evaluations() const { return run_.evaluations(); }
  std::int64_t failed() const { return run_.failed(); }

  py::list ask() const {
    const Turn turn(busy_);
    py::list questions;
    for (const std::int64_t number : run_.pending()) {
      const Query& q = run_.question(number);
      auto x = new_array(q.x.size());
      problem_.space.to_user(q.x, {x.mutable_data(), q.x.size()});
      py::list wanted;
      const auto names = measured_names(problem_);
      for (std::size_t i = 0; i < names.size(); ++i)
        if (q.wants(static_cast<Index>(i))) wanted.append(py::str(names[i]));
      questions.append(py::make_tuple(x, problem_.seed_of(q.noise), number, py::tuple(wanted)));
    }
    return questions;
  }

  // None or an exception stands for a failed evaluation.
  void tell(const py::sequence& told) {
    const Turn turn(busy_);
    if (done()) throw Error("tell: the search is done; nothing was asked");
    const std::vector<std::int64_t> open = run_.pending();
    if (told.size() != open.size())
      throw Error(
          fmt::format("tell: {} answers to {} questions; give one for each, in their order", told.size(), open.size()));
    std::vector<Answer> answers;
    for (std::size_t k = 0; k < open.size(); ++k) answers.push_back(answer_of(told[k], open[k]));
    for (std::size_t k = 0; k < answers.size(); ++k) run_.receive(open[k], std::move(answers[k]));
    go_on();
  }

  // One answer, in whatever order they come.
  void tell_one(std::int64_t number, const py::handle item) {
    const Turn turn(busy_);
    if (done()) throw Error("tell: the search is done; nothing was asked");
    try {
      run_.receive(number, answer_of(item, number));
    } catch (const Error& e) {
      throw Error(std::string("tell: ") + e.what());
    }
    go_on();
  }

  py::dict recommend() const {
    const Turn turn(busy_);
    const Incumbent& i = run_.incumbent();
    py::dict d;
    d["x"] = as_array(problem_.space.to_user(run_.recommended()));
    d["multipliers"] = as_array(i.multipliers);
    d["note"] = i.note;
    d["trace"] = i.trace;
    return d;
  }

  py::dict result() const {
    const Turn turn(busy_);
    py::dict d = as_dict(run_.result(), problem_);
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

  void go_on() {
    const py::gil_scoped_release others_may_work;  // taken again before `turn` ends
    while (run_.complete()) run_.advance();
  }

  Answer answer_of(const py::handle item, std::int64_t number) {
    if (item.is_none()) return Answer::failed_because("no answer");
    if (PyExceptionInstance_Check(item.ptr()))
      return Answer::failed_because(
          fmt::format("{}: {}", Py_TYPE(item.ptr())->tp_name, py::str(item).cast<std::string>()));
    // receive() complains about a question that is not open.
    const std::int64_t place = number - run_.evaluations();
    const bool open = place >= 0 && place < static_cast<std::int64_t>(run_.batch().size());
    Outcome outcome =
        reader_.read(item, open && problem_.partial() ? run_.question(number).wanted : std::span<const std::uint8_t>{});
    if (outcome.misread) throw Error("tell: " + outcome.answer.failure);
    return std::move(outcome.answer);
  }

  ResolvedProblem problem_;
  ValueReader reader_;
  RunState run_;
  mutable bool busy_ = false;
};

}  // namespace

void bind_search(py::module_& module) {
  py::class_<AskTell>(module, "AskTell")
      .def(py::init<std::string, std::string, Overrides, const std::vector<py::object>&>(), py::arg("text"),
           py::arg("file"), py::arg("overrides"), py::arg("known") = std::vector<py::object>())
      .def_property_readonly("done", &AskTell::done)
      .def_property_readonly("checking", &AskTell::checking)
      .def_property_readonly("evaluations", &AskTell::evaluations)
      .def_property_readonly("failed", &AskTell::failed)
      .def("ask", &AskTell::ask)
      .def("tell", &AskTell::tell, py::arg("answers"))
      .def("tell_one", &AskTell::tell_one, py::arg("number"), py::arg("answer"))
      .def("recommend", &AskTell::recommend)
      .def("result", &AskTell::result);
}

}  // namespace zeroth::python
