// SPDX-License-Identifier: MIT
#include <chrono>

#include "zeroth/core/error.hpp"
#include "zeroth/python/engines.hpp"

namespace zeroth::python {
namespace {

class CallingEngine final : public Engine {
 public:
  explicit CallingEngine(PythonTask task) : task_(std::move(task)) {}
  std::string name() const override { return "python"; }
  int width() const override { return 1; }

  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) override {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (stop && stop()) return;
      const auto begin = std::chrono::steady_clock::now();
      Circumstances how;
      Outcome outcome;
      try {
        const py::gil_scoped_acquire hold;
        outcome = task_.callable(batch[i]);
        for (; outcome.answer.failed() && how.attempts <= task_.retries; ++how.attempts)
          outcome = task_.callable(batch[i]);
      } catch (py::error_already_set& e) {
        // Neither an answer nor a failure: the run stops here, and this question is asked again when it is resumed.
        const py::gil_scoped_acquire hold;
        task_.interrupts.keep(std::move(e));
        return;
      }
      if (first_ && outcome.misread) complain_about_first(outcome.answer);
      first_ = false;
      how.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (outcome.answer.failed()) keep_traceback(task_.tracebacks, outcome.answer, outcome.traceback);
      how.error_output = std::move(outcome.traceback);
      on_answer(i, std::move(outcome.answer), how);
    }
  }

 private:
  PythonTask task_;
  bool first_ = true;
};

}  // namespace

void complain_about_first(const Answer& answer) { throw Error("fun: " + answer.failure); }

void keep_traceback(Tracebacks& kept, const Answer& answer, const std::string& traceback) {
  if (!traceback.empty() && kept.size() < most_tracebacks) kept.emplace(answer.failure, traceback);
}

std::unique_ptr<Engine> calling_engine(PythonTask task) { return std::make_unique<CallingEngine>(std::move(task)); }

}  // namespace zeroth::python
