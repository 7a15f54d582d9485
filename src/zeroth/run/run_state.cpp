// SPDX-License-Identifier: MIT
#include "zeroth/run/run_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>

#include "zeroth/adapters/cheap_first.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/run/retreat.hpp"
#include "zeroth/run/verdict.hpp"

namespace zeroth {

RunState::RunState(Spec spec, Search search, RunPlan plan)
    : spec_(std::move(spec)),
      plan_(std::move(plan)),
      search_(std::move(search)),
      rule_(spec_),
      points_(spec_),
      checked_(spec_.functions(), plan_.meaning, &points_),
      calls_(static_cast<std::size_t>(plan_.meaning ? plan_.meaning->measured() : spec_.functions()), 0) {
  spec_.plan_for(affordable(), plan_.check_share);
  given_ = std::move(spec_.known_points);
  spec_.known_points.clear();
  for (const Evaluated& e : spec_.evaluated) {
    const bool as_measured = !plan_.meaning;
    if (!as_measured && e.count > 1) continue;  // of a mean nobody knows how often a value was bad
    const std::vector<double> values = as_measured ? e.values : plan_.meaning->of(e.values);
    if (e.count == 1) log_.add(as_span(e.x), derive_key(log_.size(), 0), e.values);
    points_.know(as_span(e.x), values, as_measured ? std::span<const double>(e.se) : std::span<const double>{},
                 e.count);
  }
  (void)search_.ask();  // throws what ended the search before it began
  settle();
}

std::span<const Query> RunState::batch() const {
  switch (phase_) {
    case Phase::search:
      return spec_.lag > 0 ? window_.queries() : search_.ask();
    case Phase::check:
      return check_->ask();
    case Phase::done:
      break;
  }
  return {};
}

std::vector<std::int64_t> RunState::pending() const {
  std::vector<std::int64_t> numbers;
  for (std::size_t k = 0; k < batch().size(); ++k)
    if (!answered_[k]) numbers.push_back(evaluations_ + static_cast<std::int64_t>(k));
  return numbers;
}

bool RunState::complete() const {
  if (done()) return false;
  if (!windowed()) return received_ == batch().size();
  return std::all_of(answered_.begin(), answered_.begin() + static_cast<std::ptrdiff_t>(due_), std::identity());
}

void RunState::receive(std::int64_t number, Answer answer, const std::string& last_words) {
  const std::int64_t place = number - evaluations_;
  if (place < 0 || place >= static_cast<std::int64_t>(batch().size()))
    throw Error("evaluation " + std::to_string(number) + " is not one of those that wait for an answer");
  const auto k = static_cast<std::size_t>(place);
  if (answered_[k]) throw Error("evaluation " + std::to_string(number) + " has its answer already");
  if (answer.failed()) last_words_ = last_words;
  answers_[k] = std::move(answer);
  answered_[k] = true;
  ++received_;
}

void RunState::advance() {
  if (!complete()) throw Error("the batch is not complete: there are questions without an answer");
  const auto asked = windowed() ? batch().first(due_) : batch();
  for (std::size_t k = 0; k < asked.size(); ++k) {
    if (answers_[k].failed()) note_failure(answers_[k].failure);
    // A sum tells nothing of single values, even where they are known: the run is the same where they are not.
    if (!checking() && asked[k].weights.empty()) see_equalities(asked[k], answers_[k]);
    note_values(asked[k], answers_[k]);
    for (std::size_t i = 0; i < calls_.size(); ++i) calls_[i] += asked[k].wants(static_cast<Index>(i));
  }
  spent_ += cost_of_batch(asked);
  evaluations_ += static_cast<std::int64_t>(asked.size());
  if (failed_ == evaluations_ && plan_.give_up_after > 0 && evaluations_ >= plan_.give_up_after) give_up();
  told_ = asked.size();
  told_check_ = checking();
  told_early_.clear();
  if (windowed()) tell_search();
  else current().tell(checking() ? told() : moderation_.of(told()));  // the check reports what was measured
  settle();
}

// The oldest `due_` of the window are told and leave it.
void RunState::tell_search() {
  const auto count = static_cast<std::ptrdiff_t>(due_);
  told_early_.assign(std::make_move_iterator(answers_.begin()), std::make_move_iterator(answers_.begin() + count));
  answers_.erase(answers_.begin(), answers_.begin() + count);
  answered_.erase(answered_.begin(), answered_.begin() + count);
  received_ -= due_;
  window_.drop(due_);
  // At the end of the budget a solver that waits for a whole batch cannot be told a part of it.
  if (!search_.done() && (!draining_ || search_.proposes())) search_.tell(moderation_.of(told()));
}

// Lets the solver ask until the window is full; true when nothing is open and nothing more will be asked.
bool RunState::ask_ahead() {
  const auto lag = static_cast<std::size_t>(spec_.lag);
  while (!draining_) {
    const auto asked = search_.done() ? std::span<const Query>{} : search_.ask();
    draining_ =
        search_.done() || rules_end_search() || too_dear(cost_of_batch(window_.queries()) + cost_of_batch(asked));
    if (draining_) break;
    lag_used_ = lag_used_ || (window_.size() > 0 && !asked.empty());
    window_.add(asked);
    if (!search_.proposes()) {
      due_ = window_.size();
      return false;
    }
    due_ = window_.size() > lag ? window_.size() - lag : 0;
    if (asked.empty()) due_ = std::max<std::size_t>(due_, 1);  // it waits for the oldest
    if (due_ > 0) return false;
    search_.tell({});
  }
  due_ = window_.size();
  return due_ == 0;
}

// The distance of a described point, where it was measured (core/iterate.hpp), follows the values and is none of them.
void RunState::see_equalities(const Query& query, const Answer& answer) {
  if (!query.described || answer.values.size() <= calls_.size()) return rule_.see(query, answer);
  Answer values = answer;
  values.values.resize(calls_.size());
  rule_.see(query, values);
}

void RunState::import(const Query& query, const Answer& answer) {
  ++imported_;
  rule_.see(query, answer);
}

void RunState::refresh() const {
  if (search_.recommend().refresh) search_.recommend().refresh();
}

const Vector& RunState::recommended() const {
  if (phase_ != Phase::search) return checked_.x;
  refresh();
  return incumbent().x;
}

void RunState::interrupt() {
  if (done()) return;
  if (checked_.x.size() == 0) checked_.x = recommended();
  interrupted_ = true;
  phase_ = Phase::done;
}

double RunState::cost_of_batch(std::span<const Query> batch) const {
  double sum = 0;
  for (const Query& query : batch) sum += cost_of(plan_.cost, query);
  return sum;
}

// Sums of costs that are no integers are off by some last digits.
constexpr double rounding_of_costs = 1e-9;

// Without noise a few replicates say all that there is to say.
std::int64_t RunState::kept_for_check() const {
  constexpr std::int64_t few = 4;
  if (spec_.check <= few || plan_.meaning) return spec_.check;
  // What never changes may be a count that has not moved yet.
  for (Index i = 0; i < spec_.functions(); ++i)
    if (!points_.exact(i) || !(points_.range(i) > 0)) return spec_.check;
  return few;
}

bool RunState::too_dear(double more) const {
  if (plan_.cost.size() == 0) return evaluations_ + static_cast<std::int64_t>(more) > spec_.budget - kept_for_check();
  const double limit = static_cast<double>(plan_.budget) - static_cast<double>(kept_for_check()) * cost_of_all();
  return spent_ + more > limit + rounding_of_costs * cost_of_all();
}

std::int64_t RunState::affordable() const {
  if (plan_.cost.size() == 0) return plan_.budget - evaluations_;
  return affordable_evaluations(static_cast<double>(plan_.budget) - spent_, plan_.cost);
}

void RunState::note_values(const Query& query, const Answer& answer) {
  if (!query.weights.empty()) return;
  if (!query.wanted.empty()) return note_part(query, answer);
  if (answer.failed()) {
    if (!query.described) points_.add_failed(query.x);
    return;
  }
  note_whole(query, std::span(answer.values).first(calls_.size()));
}

// Where costs differ, one evaluation may be asked in parts: under one noise key they are one.
void RunState::note_part(const Query& query, const Answer& answer) {
  if (plan_.cost.size() == 0 || answer.failed()) return;
  const std::pair key{query.noise, std::vector<double>(query.x.begin(), query.x.end())};
  std::vector<double>& known = parts_.try_emplace(key, calls_.size(), std::nan("")).first->second;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (query.wants(static_cast<Index>(i))) known[i] = answer.values[i];
  if (std::ranges::any_of(known, [](double v) { return std::isnan(v); })) return;
  note_whole(query, known);
  parts_.erase(key);
}

void RunState::note_whole(const Query& query, std::span<const double> measured) {
  const std::vector<double> values =
      plan_.meaning ? plan_.meaning->of(measured) : std::vector<double>(measured.begin(), measured.end());
  if (query.described) {
    points_.add_values(values);
  } else {
    points_.add(query.x, query.noise, values);
    log_.add(query.x, query.noise, measured);
  }
  for (Index i = 1; i < spec_.functions(); ++i) {
    const double v = values[static_cast<std::size_t>(i)];
    if ((i <= spec_.constraints ? v : std::abs(v) - rule_.tolerance(i - 1 - spec_.constraints, 0)) >
        points_.rounding(i))
      return;
  }
  if (!(values[0] < best_value_ - std::sqrt(points_.noise_variance(0)))) return;
  best_value_ = values[0];
  progress_at_ = evaluations_;
}

bool RunState::check_is_worth_more() const {
  const Incumbent& now = incumbent();
  const std::int64_t rest = affordable();
  if (spec_.check == 0 || rest == 0 || 2 * rest > spec_.budget || std::isnan(now.expected_improvement)) return false;
  if (evaluations_ < search_until_) return false;
  // With c evaluations the check must keep a distance of 1.64 sd / sqrt(c) from each limit, which costs multiplier
  // times distance: so much does one evaluation more save, against what one more of the search is expected to gain.
  double price = 0;
  for (Index i = 1; i <= spec_.constraints && i <= now.multipliers.size(); ++i)
    price += std::abs(now.multipliers[i - 1]) * 1.64 * std::sqrt(points_.noise_variance(i) / static_cast<double>(rest));
  return now.expected_improvement < 0.5 * price / static_cast<double>(rest);
}

bool RunState::search_ends() {
  if (spec_.lag > 0) return ask_ahead();
  if (search_.done() || too_dear(cost_of_batch(batch()))) return true;
  return rules_end_search();
}

bool RunState::rules_end_search() {
  const StopRules& rules = plan_.stop_rules;
  const bool clock = rules.seconds > 0 && seconds() >= rules.seconds;
  if (rules.seconds > 0 && (plan_.time_is_up ? plan_.time_is_up(evaluations_, batch(), clock) : clock))
    stopped_by_ = "seconds";
  if (rules.evaluations_without_progress > 0 && evaluations_ - progress_at_ >= rules.evaluations_without_progress)
    stopped_by_ = "evaluations_without_progress";
  if (rules.expected_improvement > 0 && incumbent().expected_improvement <= rules.expected_improvement)
    stopped_by_ = "expected_improvement";
  return !stopped_by_.empty() || check_is_worth_more();
}

// Whom the recommendation is compared with. What was confirmed before, and what the user believes in, always is; then
// the start and the best by values alone early: few are compared where evaluations are few.
std::vector<Vector> RunState::challengers(const Incumbent& incumbent, const std::vector<Vector>& best,
                                          CheckPlan& check) const {
  std::vector<Vector> out;
  const auto offer = [&](const Vector& x) {
    // The start may be a centre that known limits do not allow.
    if (x.size() == spec_.dimension() && x.allFinite() && (!spec_.known || spec_.known(as_span(x)))) out.push_back(x);
  };
  for (const Vector& x : checked_before_) offer(x);
  for (const Vector& x : points_.best_of(given_)) offer(x);
  if (!check.confirmed.empty()) offer(check.confirmed.front());
  check.always = out.size();
  if (!incumbent.candidates.empty()) offer(incumbent.candidates.front());
  if (!best.empty()) offer(best.front());
  offer(spec_.first_point());
  for (const Vector& x : incumbent.candidates) offer(x);
  for (const Vector& x : best) offer(x);
  for (const Vector& x : check.confirmed) offer(x);
  return out;
}

void RunState::begin_check() {
  refresh();
  const Incumbent& incumbent = search_.recommend();
  constexpr std::size_t from_values = 3, from_replicates = 3;
  const std::vector<Vector> best = points_.best(from_values);
  bool exact = !best.empty();
  for (Index i = 0; i < spec_.functions(); ++i) exact = exact && points_.exact(i);
  CheckPlan check;
  // Without noise what was evaluated is known, and nothing is better than the best of it.
  check.recommended = exact                                               ? best.front()
                      : incumbent.x.allFinite() && incumbent.x.size() > 0 ? incumbent.x
                                                                          : spec_.first_point();
  check.cautious = exact ? std::vector<Vector>{} : incumbent.cautious;
  if (!exact) check.confirmed = points_.confirmed(plan_.confidence, from_replicates);
  check.nothing_feasible = !points_.feasible_once();
  check.challengers = challengers(incumbent, best, check);
  if (!exact && incumbent.believe && incumbent.cautious_at) {
    check.believe = incumbent.believe;
    check.cautious_at = incumbent.cautious_at;
  }
  if (plan_.safe > 0) keep_safe(incumbent, check);
  check.evaluations = affordable();
  if (!stopped_by_.empty()) check.evaluations = std::min(check.evaluations, spec_.check);
  check.confidence = plan_.confidence;
  check.seed = checks_ == 0 ? plan_.seed : derive_key(plan_.seed, checks_);
  ++checks_;
  check.goals = {plan_.stop_rules.objective_halfwidth, plan_.stop_rules.probability};
  checked_ = CheckedAnswer(spec_.functions(), plan_.meaning, &points_);
  checked_.x = check.recommended;
  phase_ = Phase::done;
  if (spec_.check == 0 || check.evaluations == 0) return;
  check_end_ = evaluations_ + check.evaluations;
  check_.emplace(check_answer(spec_, rule_, std::move(check), &checked_));
  (void)check_->ask();
  phase_ = Phase::check;
}

// Where safety was asked for the check keeps to it, too: it compares what the model holds for safe, and the start, and
// goes nowhere that was not evaluated.
void RunState::keep_safe(const Incumbent& incumbent, CheckPlan& check) const {
  check.cautious.clear();
  check.cautious_at = {};
  const auto safe = [&](const Vector& x) {
    if (!incumbent.believe || !points_.find(x)) return false;
    const Belief belief = incumbent.believe(x);
    return belief.mean.size() > 0 && chance_to_hold(spec_, belief) >= plan_.safe;
  };
  std::erase_if(check.challengers, [&](const Vector& x) { return x != spec_.first_point() && !safe(x); });
  check.always = std::min(check.always, check.challengers.size());
  if (safe(check.recommended)) return;
  check.recommended = check.challengers.empty() ? spec_.first_point() : check.challengers.front();
}

// The check may be sure early: far from every limit, with an objective known well. Then what it left is worth more to a
// search that expects to gain more than the objective's interval is wide.
bool RunState::search_again() {
  const std::int64_t rest = affordable() - spec_.check;
  if (!check_->done() || spec_.lag > 0 || !stopped_by_.empty() || !checked_.met.empty() || search_.done()) return false;
  if (rest < spec_.check || too_dear(cost_of_batch(search_.ask()))) return false;
  if (feasibility_bounds(spec_, rule_, checked_.point).low < plan_.confidence) return false;
  const double gain = search_.recommend().expected_improvement;
  if (!(gain > checked_.point.interval(0).half_width())) return false;
  checked_before_.push_back(checked_.x);
  search_until_ = evaluations_ + rest / 2;
  phase_ = Phase::search;
  return true;
}

// From phase to phase, as the budget, the rules and the searches themselves say; then room for the answers of the open
// batch.
void RunState::settle() {
  if (phase_ == Phase::search && search_ends()) {
    if (evaluations_ > 0 && failed_ == evaluations_ && plan_.give_up_after > 0) give_up();
    begin_check();
  }
  const auto next = [this] { return evaluations_ + static_cast<std::int64_t>(batch().size()); };
  if (phase_ == Phase::check && (check_->done() || next() > check_end_) && !search_again()) phase_ = Phase::done;
  // The protocol promises evaluators seeds below 2^53; every engine gets its questions here.
  for (const Query& query : batch())
    if (query.noise >= noise_key_limit) throw std::logic_error("a solver named noise by a key of more than 53 bits");
  const std::size_t size = batch().size();
  if (answers_.size() < size) answers_.resize(size);
  if (windowed()) {
    answered_.resize(size, false);  // some of the window are answered already
    return;
  }
  answered_.assign(size, false);
  received_ = 0;
}

// Reasons can carry numbers and differ every time; the ledger stays readable.
void RunState::note_failure(const std::string& reason) {
  constexpr std::size_t most_reasons = 50;
  ++failed_;
  last_failure_ = reason;
  ++failures_[failures_.size() < most_reasons || failures_.contains(reason) ? reason : "other reasons"];
}

void RunState::give_up() const {
  std::string message = "every one of the first " + std::to_string(evaluations_) +
                        " evaluations failed, so the run was stopped. The last one: " + last_failure_;
  if (!last_words_.empty()) message += "\nThe evaluator's last words on stderr:\n" + last_words_;
  throw EverythingFailed(message);
}

double RunState::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

}  // namespace zeroth
