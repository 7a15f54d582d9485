// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>

#include "zeroth/engine/limits.hpp"
#include "zeroth/engine/worker.hpp"

namespace zeroth {
namespace {

// Evaluators as child processes, one poll loop for all of them. The next question goes to whoever is free.
class ProcessesEngine final : public Engine {
 public:
  ProcessesEngine(Evaluator evaluator, int jobs) : evaluator_(std::move(evaluator)) {
    reserve_descriptors(jobs, descriptors_of_a_worker);
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
    stream(batch, on_answer, stop, {});
  }

  void stream(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop,
              const More& more) override {
    batch_.assign(batch.begin(), batch.end());
    next_ = under_way_ = 0;
    returned_.clear();
    stopping_ = stop && stop();
    auto last_life = Worker::Clock::now();  // a worker was at work
    bool told = false;
    for (Worker& worker : workers_) feed(worker);
    while (under_way_ > 0 || (!returned_.empty() && !stopping_)) {
      wait();
      if (under_way_ > 0) last_life = Worker::Clock::now();
      else if (Worker::Clock::now() - last_life > patience) throw OutOfResources(lack_);
      for (Worker& worker : workers_) {
        done_.clear();
        worker.advance(streams_, done_);
        under_way_ -= done_.size();
        take_back(worker);
        const bool quick = !done_.empty() && done_.back().how.seconds < short_evaluation;
        if (quick) feed(worker);
        for (auto& done : done_) on_answer(done.position, std::move(done.answer), done.how);
        told = told || !done_.empty();
        if (!quick && (!done_.empty() || !returned_.empty())) feed(worker);
      }
      stopping_ = stopping_ || (stop && stop());
      // The solver thinks in here: whoever was free has been given what there was.
      if (!more || !std::exchange(told, false)) continue;
      const auto added = more();
      batch_.insert(batch_.end(), added.begin(), added.end());
      for (Worker& worker : workers_) feed(worker);
    }
  }

 private:
  static constexpr int descriptors_of_a_worker = 4;  // three pipes, and the one that tells of its end
  // How long we wait for descriptors, processes or memory while no worker runs at all.
  static constexpr auto patience = std::chrono::seconds(5);

  void feed(Worker& worker) {
    if (!worker.has_process() && Worker::Clock::now() < rest_until_) return;
    bool asked = false;
    for (; !stopping_ && (!returned_.empty() || next_ < batch_.size()) && worker.wants_more();
         ++under_way_, asked = true) {
      std::size_t position = next_;
      if (returned_.empty()) {
        ++next_;
      } else {
        position = returned_.back();
        returned_.pop_back();
      }
      worker.ask(position, batch_[position], next_id_++);
    }
    if (!asked) return;
    worker.send();
    take_back(worker);
  }

  // A worker that cannot be started leaves its questions to those that can: fewer of them do the same work.
  void take_back(Worker& worker) {
    if (!worker.lack()) return;
    lack_ = *worker.lack();
    rest_until_ = Worker::Clock::now() + std::chrono::milliseconds(20);
    for (const std::size_t position : worker.give_back()) {
      returned_.push_back(position);
      --under_way_;
    }
  }

  // Until a stream has something, the next deadline, a signal, or time to ask `stop` again.
  void wait() {
    streams_.clear();
    std::int64_t milliseconds = returned_.empty() ? 500 : 20;
    for (Worker& worker : workers_) {
      worker.watch(streams_);
      if (worker.blind()) milliseconds = std::min<std::int64_t>(milliseconds, 10);
      if (const auto limit = worker.deadline()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*limit - Worker::Clock::now()).count();
        milliseconds = std::clamp<std::int64_t>(left, 0, milliseconds);
      }
    }
    if (::poll(streams_.data(), streams_.size(), static_cast<int>(milliseconds)) >= 0) return;
    if (errno != EINTR) throw OutOfResources(fmt::format("cannot wait for the evaluators: {}", std::strerror(errno)));
    for (pollfd& stream : streams_) stream.revents = 0;  // a signal came first: nothing is known of any of them
  }

  Evaluator evaluator_;
  std::deque<Worker> workers_;
  std::vector<pollfd> streams_;
  std::vector<Worker::Done> done_;
  std::vector<Query> batch_;
  std::size_t next_ = 0, under_way_ = 0;
  std::vector<std::size_t> returned_;       // questions that found no worker yet
  std::string lack_;                        // why not
  Worker::Clock::time_point rest_until_{};  // until then no further process is tried
  bool stopping_ = false;
  std::uint64_t next_id_ = 0;
};

}  // namespace

std::unique_ptr<Engine> processes_engine(Evaluator evaluator, int jobs) {
  return std::make_unique<ProcessesEngine>(std::move(evaluator), jobs);
}

}  // namespace zeroth
