// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <poll.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "zeroth/engine/limits.hpp"
#include "zeroth/python/engines.hpp"
#include "zeroth/python/fork_worker.hpp"

namespace zeroth::python {
namespace {

using Clock = std::chrono::steady_clock;

// One poll loop for all workers; the next question goes to whoever is free. An answer is a function of (x, seed), so
// the run is the one that a single process gives.
class ForkingEngine final : public Engine {
 public:
  ForkingEngine(PythonTask task, int workers, Index dimension)
      : task_(std::move(task)), dimension_(dimension), slots_(static_cast<std::size_t>(workers)) {
    reserve_descriptors(workers, descriptors_of_a_worker);
    for (Slot& slot : slots_) try {
        start(slot);
      } catch (const OutOfResources&) {  // fewer of them do the same work
        if (&slot == &slots_.front()) throw;
        slots_.resize(static_cast<std::size_t>(&slot - slots_.data()));
        break;
      }
  }
  ~ForkingEngine() override {
    for (Slot& slot : slots_) slot.worker.close_questions();  // all of them first, so that they end side by side
    for (Slot& slot : slots_) slot.worker.collect(1000);
  }
  ForkingEngine(const ForkingEngine&) = delete;
  ForkingEngine& operator=(const ForkingEngine&) = delete;

  std::string name() const override { return "python processes"; }
  int width() const override { return static_cast<int>(slots_.size()); }

  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) override {
    stream(batch, on_answer, stop, {});
  }

  void stream(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop,
              const More& more) override {
    batch_.assign(batch.begin(), batch.end());
    next_ = under_way_ = 0;
    returned_.clear();
    stopping_ = stop && stop();
    auto last_life = Clock::now();  // a worker was at work
    bool told = false;
    for (Slot& slot : slots_) feed(slot);
    while (under_way_ > 0 || (!returned_.empty() && !stopping_)) {
      wait();
      if (under_way_ > 0) last_life = Clock::now();
      else if (Clock::now() - last_life > patience) throw OutOfResources(lack_);
      for (Slot& slot : slots_) {
        if (!slot.busy && !returned_.empty()) feed(slot);
        auto outcome = advance(slot);
        if (!outcome) continue;
        --under_way_;
        slot.busy = false;
        if (first_ && slot.position == 0 && outcome->misread) complain_about_first(outcome->answer);
        slot.how.seconds = seconds_since(slot.begun);
        if (outcome->answer.failed()) keep_traceback(task_.tracebacks, outcome->answer, outcome->traceback);
        slot.how.error_output = std::move(outcome->traceback);
        const std::size_t position = slot.position;
        const Circumstances how = slot.how;
        const bool quick = how.seconds < short_evaluation;
        if (quick) feed(slot);
        on_answer(position, std::move(outcome->answer), how);
        if (!quick) feed(slot);
        told = true;
      }
      stopping_ = (stop && stop()) || stopping_;  // asked every time: a second Ctrl-C comes in while it is stopping
      if (task_.interrupts.aborted()) return abandon();
      // The solver thinks in here: whoever was free has been given what there was.
      if (!more || !std::exchange(told, false)) continue;
      const auto added = more();
      batch_.insert(batch_.end(), added.begin(), added.end());
      for (Slot& slot : slots_) feed(slot);
    }
    first_ = false;
  }

 private:
  static constexpr int descriptors_of_a_worker = 3;          // two pipes, and the one that tells of its end
  static constexpr auto patience = std::chrono::seconds(5);  // while no worker can be started

  struct Slot {
    ForkWorker worker;
    bool busy = false;
    std::size_t position = 0;
    Clock::time_point begun, attempt_begun;
    Circumstances how;
  };

  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  void start(Slot& slot) {
    const py::gil_scoped_acquire hold;
    std::vector<int> others;
    for (const Slot& s : slots_)
      if (s.worker.running()) others.insert(others.end(), {s.worker.questions(), s.worker.answers(), s.worker.end()});
    slot.worker.start(task_.callable, dimension_, others);
  }

  void feed(Slot& slot) {
    if (stopping_ || slot.busy || (next_ == batch_.size() && returned_.empty())) return;
    slot.busy = true;
    if (returned_.empty()) {
      slot.position = next_++;
    } else {
      slot.position = returned_.back();
      returned_.pop_back();
    }
    slot.begun = Clock::now();
    slot.how = {};
    slot.how.worker = static_cast<int>(&slot - slots_.data());
    ++under_way_;
    attempt(slot);
  }

  void attempt(Slot& slot) {
    slot.attempt_begun = Clock::now();
    const Query& query = batch_[slot.position];
    for (int tries = 0; tries < 2; ++tries) {  // an idle worker may have died since: then its successor is asked
      try {
        if (!slot.worker.running()) start(slot);
      } catch (const OutOfResources& e) {  // of this machine, not of the question: it is for whoever can be asked
        lack_ = e.what();
        returned_.push_back(slot.position);
        slot.busy = false;
        --under_way_;
        return;
      }
      if (slot.worker.ask(query, task_.callable.functions())) return;
      slot.worker.kill();
    }
  }

  // An outcome once the question has one: the last attempt's.
  std::optional<Outcome> advance(Slot& slot) {
    if (!slot.busy) return {};
    std::optional<Outcome> outcome;
    if (!slot.worker.running()) {
      outcome = failed("the worker process ended before it was asked");
    } else if (readable(slot.worker.answers())) {
      bool gone = false;
      outcome = slot.worker.receive(gone);
      if (gone) outcome = died(slot);
    } else if (slot.worker.ended() && !readable(slot.worker.answers())) {
      outcome = died(slot);  // even if a process that it left behind holds its pipe open
    } else if (task_.timeout > 0 && seconds_since(slot.attempt_begun) > task_.timeout) {
      slot.worker.kill();
      outcome = failed(fmt::format("no answer within {} seconds; the worker process was killed", task_.timeout));
    }
    if (outcome && outcome->answer.failed() && slot.how.attempts <= task_.retries && !stopping_) {
      ++slot.how.attempts;
      attempt(slot);
      return {};
    }
    return outcome;
  }

  static bool readable(int stream) {
    pollfd waiting{stream, POLLIN, 0};
    return ::poll(&waiting, 1, 0) > 0;
  }

  static Outcome failed(std::string reason) { return {Answer::failed_because(std::move(reason)), "", false}; }

  static Outcome died(Slot& slot) {
    // Its pipe is closed, so it is about to end; how it does is worth a moment.
    const Exit exit = slot.worker.collect(200);
    slot.how.exit_code = exit.code;
    slot.how.signal = exit.signal;
    return failed("the worker process " + exit.text());
  }

  void wait() {
    streams_.clear();
    double seconds = returned_.empty() ? 0.5 : 0.02;
    for (Slot& slot : slots_) {
      if (!slot.busy || !slot.worker.running()) continue;
      streams_.push_back({slot.worker.answers(), POLLIN, 0});
      if (slot.worker.end() >= 0) streams_.push_back({slot.worker.end(), POLLIN, 0});
      else seconds = std::min(seconds, 0.01);
      if (task_.timeout > 0) seconds = std::min(seconds, task_.timeout - seconds_since(slot.attempt_begun) + 1e-3);
    }
    if (::poll(streams_.data(), streams_.size(), std::max(0, static_cast<int>(1000 * seconds))) < 0 && errno != EINTR)
      throw OutOfResources(fmt::format("cannot wait for the workers: {}", std::strerror(errno)));
  }

  void abandon() {
    for (Slot& slot : slots_) {
      slot.worker.kill();
      slot.busy = false;
    }
  }

  PythonTask task_;
  Index dimension_;
  std::vector<Slot> slots_;
  std::vector<pollfd> streams_;
  std::vector<Query> batch_;
  std::size_t next_ = 0, under_way_ = 0;
  std::vector<std::size_t> returned_;  // questions that found no worker yet
  std::string lack_;                   // why not
  bool stopping_ = false, first_ = true;
};

}  // namespace

std::unique_ptr<Engine> forking_engine(PythonTask task, int workers, Index dimension) {
  return std::make_unique<ForkingEngine>(std::move(task), workers, dimension);
}

}  // namespace zeroth::python
