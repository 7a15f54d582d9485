// SPDX-License-Identifier: MIT
#include <poll.h>

#include <algorithm>
#include <deque>

#include "zeroth/engine/worker.hpp"

namespace zeroth {
namespace {

// Evaluators as child processes, one poll loop for all of them. The next question goes to whoever is free.
class ProcessesEngine final : public Engine {
 public:
  ProcessesEngine(Evaluator evaluator, int jobs) : evaluator_(std::move(evaluator)) {
    for (int j = 0; j < jobs; ++j) workers_.emplace_back(evaluator_, j);
  }
  ~ProcessesEngine() override {
    for (Worker& worker : workers_) worker.close();  // all of them first, so that they end side by side
    for (Worker& worker : workers_) worker.finish();
  }
  ProcessesEngine(const ProcessesEngine&) = delete;
  ProcessesEngine& operator=(const ProcessesEngine&) = delete;

  std::string name() const override { return "processes"; }
  int width() const override { return static_cast<int>(workers_.size()); }

  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) override {
    std::size_t next = 0, under_way = 0;
    bool stopping = stop && stop();
    const auto feed = [&](Worker& worker) {
      const auto before = next;
      for (; !stopping && next < batch.size() && worker.wants_more(); ++next, ++under_way)
        worker.ask(next, batch[next], next_id_++);
      if (next > before) worker.send();
    };
    for (Worker& worker : workers_) feed(worker);
    while (under_way > 0) {
      wait();
      for (Worker& worker : workers_) {
        done_.clear();
        worker.advance(streams_, done_);
        if (done_.empty()) continue;
        under_way -= done_.size();
        const bool quick = done_.back().how.seconds < short_evaluation;
        if (quick) feed(worker);
        for (auto& done : done_) on_answer(done.position, std::move(done.answer), done.how);
        if (!quick) feed(worker);
      }
      stopping = stopping || (stop && stop());
    }
  }

 private:
  // Until a stream has something, the next deadline, a signal, or time to ask `stop` again.
  void wait() {
    streams_.clear();
    std::int64_t milliseconds = 500;
    for (Worker& worker : workers_) {
      worker.watch(streams_);
      if (worker.blind()) milliseconds = std::min<std::int64_t>(milliseconds, 10);
      if (const auto limit = worker.deadline()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*limit - Worker::Clock::now()).count();
        milliseconds = std::clamp<std::int64_t>(left, 0, milliseconds);
      }
    }
    ::poll(streams_.data(), streams_.size(), static_cast<int>(milliseconds));
  }

  Evaluator evaluator_;
  std::deque<Worker> workers_;
  std::vector<pollfd> streams_;
  std::vector<Worker::Done> done_;
  std::uint64_t next_id_ = 0;
};

}  // namespace

std::unique_ptr<Engine> processes_engine(Evaluator evaluator, int jobs) {
  return std::make_unique<ProcessesEngine>(std::move(evaluator), jobs);
}

}  // namespace zeroth
