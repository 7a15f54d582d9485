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
void State::put_off() {
  waiting_.push_back(now_);
  now_.before_w.resize(0);  // the next round, planned without a step, has none to judge
}

bool State::learn_late(std::vector<Answer>& early) {
  bool any = false;
  while (!waiting_.empty() && early.size() >= waiting_.front().asks.size()) {
    Round round = std::move(waiting_.front());
    waiting_.pop_front();
    const std::size_t size = round.asks.size();
    now_ = std::move(round);
    learn(std::span(early).first(size));
    early.erase(early.begin(), early.begin() + static_cast<std::ptrdiff_t>(size));
    any = true;
  }
  return any;
}

// Under one key errors cancel, and what is stated says nothing of a difference.
double State::noise_of(const Answer& answer, Index i) const {
  const double usual = difference_noise(i);
  return common_ ? usual : NoiseBelief::stated(answer, i, usual);
}

}  // namespace zeroth::adaptive
