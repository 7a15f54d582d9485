// SPDX-License-Identifier: MIT
#include <chrono>
#include <utility>

#include "zeroth/python/engines.hpp"

namespace zeroth::python {
namespace {

using Clock = std::chrono::steady_clock;

// Evaluations on a pool of workers that somebody else keeps (python/zeroth/_executors.py): as many are under way as it
// has workers at that moment.
class PoolEngine final : public Engine {
 public:
  PoolEngine(PythonTask task, py::object pool) : task_(std::move(task)), pool_(std::move(pool)) {}
  ~PoolEngine() override {
    const py::gil_scoped_acquire hold;
    pool_ = lost_ = py::object();
  }
  PoolEngine(const PoolEngine&) = delete;
  PoolEngine& operator=(const PoolEngine&) = delete;

  std::string name() const override { return "python executor"; }
  int width() const override {
    const py::gil_scoped_acquire hold;
    return pool_.attr("width")().cast<int>();
  }

  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) override {
    stream(batch, on_answer, stop, {});
  }

  void stream(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop,
              const More& more) override {
    questions_.clear();
    for (const Query& q : batch) questions_.push_back({q, {}, {}});
    std::size_t next = 0;
    under_way_ = 0;
    std::vector<Arrived> arrived;
    for (bool stopping = stop && stop(); under_way_ > 0 || (!stopping && next < questions_.size());
         stopping = (stop && stop()) || stopping) {
      arrived.clear();
      try {
        const py::gil_scoped_acquire hold;
        const auto free = static_cast<std::size_t>(pool_.attr("width")().cast<int>());
        while (!stopping && next < questions_.size() && under_way_ < free) submit(next++);
        if (under_way_ > 0) collect(stopping, arrived);
      } catch (py::error_already_set& e) {
        // The pool is gone: neither answers nor failures. The run stops here, and goes on from here when it is resumed.
        const py::gil_scoped_acquire hold;
        task_.interrupts.keep(std::move(e));
      }
      for (Arrived& a : arrived) {
        on_answer(a.position, std::move(a.outcome.answer), questions_[a.position].how);
        if (!more) continue;
        for (const Query& q : more()) questions_.push_back({q, {}, {}});
      }
      if (task_.interrupts.aborted()) return drop();
    }
  }

 private:
  struct Question {
    Query query;
    Circumstances how;
    Clock::time_point begun;
  };
  struct Arrived {
    std::size_t position;
    Outcome outcome;
  };

  void submit(std::size_t position) {
    Question& q = questions_[position];
    q.begun = Clock::now();
    pool_.attr("submit")(position, task_.callable.function(), task_.callable.arguments(q.query));
    ++under_way_;
  }

  // What has arrived; failed evaluations are tried again as often as the task says.
  void collect(bool stopping, std::vector<Arrived>& arrived) {
    constexpr double between_signals = 0.1;  // seconds
    const py::list found = pool_.attr("wait")(between_signals);
    for (const py::handle item : found) {
      const auto pair = py::reinterpret_borrow<py::tuple>(item);
      const auto position = pair[0].cast<std::size_t>();
      Question& q = questions_[position];
      const py::object handle = pair[1];
      Outcome outcome = task_.callable.outcome_of([&] { return pool_.attr("result")(handle); }, lost_, q.query);
      --under_way_;
      if (first_ && position == 0 && outcome.misread) complain_about_first(outcome.answer);
      if (outcome.answer.failed() && q.how.attempts <= task_.retries && !stopping) {
        ++q.how.attempts;
        submit(position);
        continue;
      }
      first_ = false;
      q.how.seconds = std::chrono::duration<double>(Clock::now() - q.begun).count();
      if (outcome.answer.failed()) keep_traceback(task_.tracebacks, outcome.answer, outcome.traceback);
      q.how.error_output = outcome.traceback;
      arrived.push_back({position, std::move(outcome)});
    }
  }

  void drop() {
    const py::gil_scoped_acquire hold;
    try {
      pool_.attr("drop")();
    } catch (py::error_already_set&) {  // it is gone anyway
    }
  }

  PythonTask task_;
  py::object pool_;
  py::object lost_ = py::module_::import("zeroth._executors").attr("WorkersLost");
  std::vector<Question> questions_;
  std::size_t under_way_ = 0;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Engine> pool_engine(PythonTask task, py::object pool) {
  return std::make_unique<PoolEngine>(std::move(task), std::move(pool));
}

}  // namespace zeroth::python
