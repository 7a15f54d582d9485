// SPDX-License-Identifier: MIT
//
// adaptive-conex with answers that are late or state their own errors.
//
// With a lag some rounds are under way at a time. Each is learned from when its answers are all there, as evaluations
// of where it was asked: slopes belong to the point where they were measured anyway (LocalModel's anchors), levels are
// carried from there to here by the model, rows of a regression are what they are. A step is judged by the round that
// was asked where it led, some rounds later; if it proves worse than none, all that followed is taken back with it.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "zeroth/solvers/adaptive_conex/state.hpp"

namespace zeroth::adaptive {
namespace {

constexpr double least_stated_weight = 0.05, most_stated_weight = 20;  // of one evaluation in levels, by what it states
constexpr double least_stated_share = 1e-3;  // of the largest error in a batch: nobody is that much surer

bool states_errors(const Answer& answer) {
  return !answer.se.empty() && std::ranges::all_of(answer.se, [](double e) { return std::isfinite(e); });
}

}  // namespace

void State::put_off() {
  waiting_.push_back({asks_, block_, level_evaluations_, replicate_at_, probe_at_, pair_at_, fresh_, slid_, turned_,
                      w_asked_, x_asked_, centre_w_, before_w_, before_level_, before_variance_, promised_,
                      promised_variance_, step_length_, confined_});
  before_w_.resize(0);  // the next round, planned without a step, has none to judge
}

void State::enter(Round& round) {
  asks_ = std::move(round.asks);
  block_ = round.block;
  level_evaluations_ = round.level_evaluations;
  replicate_at_ = round.replicate_at;
  probe_at_ = round.probe_at;
  pair_at_ = round.pair_at;
  fresh_ = round.fresh;
  slid_ = round.slid;
  turned_ = round.turned;
  w_asked_ = std::move(round.w);
  x_asked_ = std::move(round.x);
  centre_w_ = std::move(round.centre_w);
  before_w_ = std::move(round.before_w);
  before_level_ = std::move(round.before_level);
  before_variance_ = std::move(round.before_variance);
  promised_ = std::move(round.promised);
  promised_variance_ = std::move(round.promised_variance);
  step_length_ = round.step_length;
  confined_ = round.confined;
}

bool State::learn_late(std::vector<Answer>& early) {
  bool any = false;
  while (!waiting_.empty() && early.size() >= waiting_.front().asks.size()) {
    Round round = std::move(waiting_.front());
    waiting_.pop_front();
    const std::size_t size = round.asks.size();
    enter(round);
    learn(std::span(early).first(size));
    early.erase(early.begin(), early.begin() + static_cast<std::ptrdiff_t>(size));
    any = true;
  }
  return any;
}

// Under one key errors cancel, and what is stated says nothing of a difference.
double State::noise_of(const Answer& answer, Index i) const {
  if (common_ || !states_errors(answer)) return difference_noise(i);
  const double se = answer.se[static_cast<std::size_t>(i)];
  return std::max(se * se, least_stated_share * difference_noise(i));
}

double State::weight_of(const Answer& answer) const {
  if (!states_errors(answer)) return 1;
  double sum = 0, count = 0;
  for (Index i = 0; i < functions_; ++i) {
    const double se = answer.se[static_cast<std::size_t>(i)];
    if (!(sigma2_[i] > 0)) continue;
    sum += se > 0 ? std::clamp(sigma2_[i] / (se * se), least_stated_weight, most_stated_weight) : most_stated_weight;
    ++count;
  }
  return count > 0 ? sum / count : 1;
}

// Evaluations at x whose evaluators state their errors: the mean weighted by these, and its variance from them.
void State::weigh_stated(std::span<const Answer> answers) {
  const auto levels = answers.first(level_evaluations_);
  if (here_.evaluations == 0 ||
      std::ranges::any_of(levels, [](const Answer& a) { return !a.failed() && !states_errors(a); }))
    return;
  for (Index i = 0; i < functions_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    double largest = 0, sum = 0, precision = 0;
    for (const Answer& a : levels)
      if (!a.failed()) largest = std::max(largest, a.se[at] * a.se[at]);
    if (!(largest > 0)) continue;
    for (const Answer& a : levels) {
      if (a.failed()) continue;
      const double one = 1 / std::max(a.se[at] * a.se[at], least_stated_share * largest);
      precision += one;
      sum += one * a.values[at];
    }
    here_.mean[i] = sum / precision;
    here_.variance[i] = here_.evaluations / precision;
  }
}

}  // namespace zeroth::adaptive
