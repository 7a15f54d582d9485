// SPDX-License-Identifier: MIT
#include "zeroth/run/loop.hpp"

namespace zeroth {
namespace {

class Loop {
 public:
  Loop(RunState& state, Engine& engine, const RunRequest& request)
      : state_(state), engine_(engine), request_(request) {}

  // Answers the open batch from the journal where it can and from the engine where it must; false if somebody said
  // stop before all of it was answered.
  bool answer() { return request_.journal ? answer_with_journal(*request_.journal) : answer_with_engine(); }

  // While the solver asks ahead (see RunState): new questions go to workers as soon as it has asked them, whatever is
  // still under way. Ends when it asks no more ahead; false if somebody said stop before.
  bool answer_ahead() {
    while (state_.asks_ahead()) {
      const std::int64_t before = state_.evaluations();
      asked_ = before;
      positions_.clear();
      fed_ = 0;
      const auto first = further();
      const std::vector<Query> batch(first.begin(), first.end());
      if (batch.empty()) continue;
      engine_.stream(
          batch,
          [&](std::size_t j, Answer a, const Circumstances& how) {
            const auto number = static_cast<std::int64_t>(positions_[j]);
            if (request_.journal) request_.journal->record(number, state_.question(number), a, how);
            state_.receive(number, std::move(a), how.error_output);
          },
          [&] {
            if (request_.journal) request_.journal->idle();
            return request_.stop && request_.stop();
          },
          [&] { return further(); });
      if (request_.journal) request_.journal->commit();
      if (!state_.pending().empty() && state_.asks_ahead() && !full()) return false;
    }
    return true;
  }

  // After the solver was told.
  void announce(bool checking) {
    const Incumbent& incumbent = state_.told_incumbent();
    if (request_.journal && !checking) request_.journal->trace(state_.evaluations(), incumbent);
    if (request_.observe)
      request_.observe({state_.evaluations(), request_.budget, state_.failed(), replayed_, state_.spent(),
                        state_.seconds(), &incumbent, state_.told(), checking});
  }

 private:
  static constexpr std::size_t most_fed = 10'000;  // then the engine gets to its end, and what it kept is let go
  bool full() const { return fed_ >= most_fed; }

  // Tells the solver what is due and returns what it asks then and no journal knows.
  std::span<const Query> further() {
    fresh_.clear();
    do {
      if (state_.asks_ahead() && state_.complete()) {
        if (request_.journal) request_.journal->commit();
        state_.advance();
        announce(false);
      }
      if (!state_.asks_ahead() || full()) break;
      const auto open = state_.batch();
      const std::int64_t end = state_.evaluations() + static_cast<std::int64_t>(open.size());
      for (asked_ = std::max(asked_, state_.evaluations()); asked_ < end; ++asked_) {
        const Query& query = open[static_cast<std::size_t>(asked_ - state_.evaluations())];
        if (state_.answered(asked_)) continue;
        if (const Answer* known = request_.journal ? request_.journal->recall(asked_, query) : nullptr) {
          state_.receive(asked_, *known);
          ++replayed_;
          continue;
        }
        fresh_.push_back(query);
        positions_.push_back(static_cast<std::size_t>(asked_));
        ++fed_;
      }
    } while (state_.complete());
    return fresh_;
  }

  std::int64_t number(std::size_t k) const { return state_.evaluations() + static_cast<std::int64_t>(k); }

  bool answer_with_engine() {
    engine_.evaluate(
        state_.batch(),
        [&](std::size_t k, Answer a, const Circumstances& how) {
          state_.receive(number(k), std::move(a), how.error_output);
        },
        request_.stop);
    return state_.complete();
  }

  bool answer_with_journal(Journal& journal) {
    const auto batch = state_.batch();
    fresh_.clear();
    positions_.clear();
    for (std::size_t k = 0; k < batch.size(); ++k) {
      if (const Answer* known = journal.recall(number(k), batch[k])) {
        state_.receive(number(k), *known);
        ++replayed_;
      } else {
        fresh_.push_back(batch[k]);
        positions_.push_back(k);
      }
    }
    if (!fresh_.empty())
      engine_.evaluate(
          fresh_,
          [&](std::size_t j, Answer a, const Circumstances& how) {
            const std::size_t k = positions_[j];
            journal.record(number(k), batch[k], a, how);
            state_.receive(number(k), std::move(a), how.error_output);
          },
          [&] {
            journal.idle();
            return request_.stop && request_.stop();
          });
    journal.commit();
    return state_.complete();
  }

  RunState& state_;
  Engine& engine_;
  const RunRequest& request_;
  std::int64_t replayed_ = 0;
  std::int64_t asked_ = 0;  // questions below this number were given to the engine, or known
  std::size_t fed_ = 0;
  std::vector<Query> fresh_;
  std::vector<std::size_t> positions_;
};

}  // namespace

Result run(const Spec& spec, Search search, Engine& engine, const RunRequest& request) {
  RunPlan plan = request;
  if (Journal* journal = request.journal)
    plan.time_is_up = [journal](std::int64_t number, std::span<const Query> batch, bool clock) {
      const auto same = batch.empty() ? std::nullopt : journal->belongs(number, batch.front());
      return same ? !*same : clock;
    };
  RunState state(spec, std::move(search), std::move(plan));
  Loop loop(state, engine, request);
  while (!state.done()) {
    if (state.asks_ahead()) {
      if (loop.answer_ahead()) continue;
      state.interrupt();
      break;
    }
    const bool checking = state.checking();
    if (!loop.answer()) {
      state.interrupt();
      break;
    }
    state.advance();
    loop.announce(checking);
  }
  return state.result();
}

}  // namespace zeroth
