// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "zeroth/run/run_state.hpp"

namespace zeroth {

// A run for races and studies, which judge the recommendation as it goes: no final check, no giving up, and whoever
// follows it answers.
inline RunPlan unchecked(std::int64_t budget = std::numeric_limits<std::int64_t>::max()) {
  RunPlan plan;
  plan.budget = budget;
  plan.check_share = 0;
  plan.give_up_after = 0;
  return plan;
}

// `answer_to` is called for every question that has no answer yet, in their order.
template <class AnswerTo>
void receive_batch(RunState& run, AnswerTo&& answer_to) {
  for (const std::int64_t number : run.pending()) run.receive(number, answer_to(run.question(number)));
}

template <class AnswerTo>
void answer_batch(RunState& run, AnswerTo&& answer_to) {
  receive_batch(run, std::forward<AnswerTo>(answer_to));
  run.advance();
}

}  // namespace zeroth
