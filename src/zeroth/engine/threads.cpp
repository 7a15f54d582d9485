// SPDX-License-Identifier: MIT
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "zeroth/core/iterate.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/engine/limits.hpp"

namespace zeroth {
namespace {

using Clock = std::chrono::steady_clock;

// Threads that live as long as the engine and take the next query of the batch whenever they are free. The oracle is a
// pure function of (x, noise key) and is called from several threads at once.
class ThreadsEngine final : public Engine {
 public:
  ThreadsEngine(Problem problem, int jobs) : problem_(std::move(problem)), jobs_(jobs) {
    for (int j = 0; j < jobs; ++j) try {
        threads_.emplace_back([this, j](const std::stop_token& ending) { serve(ending, j); });
      } catch (const std::system_error& e) {  // a limit of the session: fewer of them do the same work
        if (j == 0) throw OutOfResources(std::string("cannot start a thread: ") + e.what());
        jobs_ = j;
        break;
      }
  }
  ~ThreadsEngine() override {
    for (auto& thread : threads_) thread.request_stop();
    work_.notify_all();
  }
  std::string name() const override { return "threads"; }
  int width() const override { return jobs_; }

  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) override {
    stream(batch, on_answer, stop, {});
  }

  void stream(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop,
              const More& more) override {
    settle(batch);
    std::unique_lock lock(mutex_);
    batch_.assign(batch.begin(), batch.end());
    next_ = 0;
    under_way_ = 0;
    work_.notify_all();
    std::vector<Done> arrived;
    std::vector<Query> added;
    bool stopping = false;
    while (next_ < batch_.size() || under_way_ > 0 || !done_.empty()) {
      if (!lack_.empty()) next_ = batch_.size();  // what is under way may still come to its end
      arrived.swap(done_);
      lock.unlock();
      added.clear();
      for (Done& d : arrived) {
        on_answer(d.position, std::move(d.answer), d.how);
        if (!more) continue;
        const auto further = more();
        added.insert(added.end(), further.begin(), further.end());
      }
      arrived.clear();
      stopping = stopping || (stop && stop());
      lock.lock();
      batch_.insert(batch_.end(), added.begin(), added.end());
      if (stopping) next_ = batch_.size();
      else if (!added.empty()) work_.notify_all();
      // A signal does not wake a condition variable, so `stop` is asked again now and then.
      if (done_.empty() && under_way_ + (batch_.size() - next_) > 0)
        answers_.wait_for(lock, std::chrono::milliseconds(50), [this] { return !done_.empty(); });
    }
    batch_.clear();
    next_ = 0;
    if (!lack_.empty()) throw OutOfResources(std::exchange(lack_, {}));
  }

 private:
  struct Done {
    std::size_t position;
    Answer answer;
    Circumstances how;
  };

  void serve(const std::stop_token& ending, int worker) {
    Vector memory;
    std::unique_lock lock(mutex_);
    while (work_.wait(lock, ending, [this] { return next_ < batch_.size(); })) {
      const std::size_t position = next_++;
      const Query query = batch_[position];  // the batch may grow
      ++under_way_;
      lock.unlock();
      const auto begin = Clock::now();
      Done done{position, {}, {}};
      std::string lack;
      try {
        done.answer = evaluate_once(problem_, query, memory);
      } catch (const OutOfResources& e) {
        lack = e.what();
      }
      done.how.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      done.how.worker = worker;
      lock.lock();
      --under_way_;
      if (lack.empty()) done_.push_back(std::move(done));
      else lack_ = std::move(lack);
      answers_.notify_one();
    }
  }

  Problem problem_;
  int jobs_;
  std::mutex mutex_;
  std::condition_variable_any work_;
  std::condition_variable_any answers_;
  std::vector<Query> batch_;
  std::size_t next_ = 0, under_way_ = 0;
  std::vector<Done> done_;
  std::string lack_;                   // why an evaluation could not be made
  std::vector<std::jthread> threads_;  // last, so that they end before what they use
};

}  // namespace

std::unique_ptr<Engine> threads_engine(Problem problem, int jobs) {
  return std::make_unique<ThreadsEngine>(std::move(problem), jobs);
}

}  // namespace zeroth
