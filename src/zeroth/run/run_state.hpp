// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "zeroth/adapters/statement.hpp"
#include "zeroth/core/moderation.hpp"
#include "zeroth/core/search.hpp"
#include "zeroth/core/stop_rules.hpp"
#include "zeroth/run/check.hpp"
#include "zeroth/run/result.hpp"
#include "zeroth/run/shadow_prices.hpp"
#include "zeroth/run/window.hpp"

namespace zeroth {

// Every evaluation failed, from the first on: there is nothing to optimise. The message carries the evaluator's words.
class EverythingFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a run is told beside the problem and the solver.
struct RunPlan {
  std::string solver;          // its name, for the result
  std::int64_t budget = 1000;  // evaluations; with `cost` in its units
  std::int64_t carried = 0;    // evaluations of the run that this one continues, beside the budget
  double carried_cost = 0;     // what these have cost
  Vector cost;                 // of every function that is measured, if some can be asked alone; empty: none can
  std::uint64_t seed = 1;
  double check_share = 0.1;  // of the budget, kept at least for fresh evaluations of the candidates for the answer
  double confidence = 0.95;  // that a constraint holds or does not, before either is said
  double safe = 0;  // every evaluated point is to be feasible with this probability, by the model; 0: not asked
  StopRules stop_rules;
  // Whether the time of [stop] is up before evaluation `number`, the first of `batch`; empty: the clock says so. A run
  // that is replayed ends where it ended.
  std::function<bool(std::int64_t number, std::span<const Query> batch, bool clock)> time_is_up;
  FunctionNames names;
  const Meaning* meaning = nullptr;  // null: what is measured are the constraints themselves
  std::int64_t give_up_after = 20;   // failures from the first evaluation on; 0: never
};

// One run as a state machine: it asks the solver's questions first and then those of the final check, takes answers
// one by one in any order, and says what the run ends with. It evaluates nothing, so that the loop, Python's ask/tell,
// studies and benches all are this one run with somebody else who evaluates.
//
// Evaluations are numbered 0, 1, .. in the order in which they are asked. The questions that are open are one batch;
// when the last of its answers has been received, `advance` tells the solver and opens the next.
//
// With Spec::lag > 0 and a solver that proposes (core/search.hpp) the open questions are a window: as soon as the
// oldest ones are answered that more than `lag` others follow, `advance` tells the solver these and lets it ask again.
// Answers that came before their turn wait for it, so that what is asked depends on the lag, not on who was quick.
class RunState {
 public:
  enum class Phase : std::uint8_t { search, check, done };

  RunState(Spec spec, Search search, RunPlan plan);
  // The final check writes into this object.
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  Phase phase() const { return phase_; }
  bool done() const { return phase_ == Phase::done; }
  bool checking() const { return phase_ == Phase::check; }
  bool asks_ahead() const { return windowed(); }        // the open questions are a window
  bool search_ended() const { return search_.done(); }  // the solver itself had no more to ask

  // The open questions, answered or not; empty when the run is done. The first has the number `evaluations()`. Valid
  // until `advance`; what those of them point to that stay open, for as long as they do.
  std::span<const Query> batch() const;
  std::vector<std::int64_t> pending() const;  // the numbers of the questions without an answer yet
  const Query& question(std::int64_t number) const { return batch()[static_cast<std::size_t>(number - evaluations_)]; }
  bool answered(std::int64_t number) const { return answered_[static_cast<std::size_t>(number - evaluations_)]; }
  bool complete() const;  // what the solver is told next has been received

  // The answer to question `number`: whole, partial (NaN where the query did not want a function) or failed. An Error
  // if that question is not open or has been answered. `last_words` is what a failed evaluator wrote to stderr.
  void receive(std::int64_t number, Answer answer, const std::string& last_words = {});
  // Tells the solver what is due, once that is complete. Throws EverythingFailed after so many failures from the start
  // on.
  void advance();
  // An evaluation from elsewhere, which nobody asked for here: it is no part of the budget, but it is evidence about
  // the scale of the equalities.
  void import(const Query& query, const Answer& answer);

  // Ends the run where it is; what is open stays unanswered.
  void interrupt();

  std::int64_t evaluations() const { return evaluations_; }  // that the solver was told
  double spent() const { return plan_.cost.size() > 0 ? spent_ : static_cast<double>(evaluations_); }  // of the budget
  std::int64_t failed() const { return failed_; }
  std::int64_t imported() const { return imported_; }
  double seconds() const;
  const Incumbent& incumbent() const { return search_.recommend(); }  // its x: see Incumbent::refresh
  const Vector& recommended() const;
  // Of the batch that was told last: its answers, and what whoever asked for them recommends since.
  std::span<const Answer> told() const { return {told_early_.empty() ? answers_.data() : told_early_.data(), told_}; }
  const Incumbent& told_incumbent() const { return told_check_ ? check_->recommend() : incumbent(); }
  const RunPlan& plan() const { return plan_; }

  // What the run ends with; before its end, what it would end with if it was interrupted now.
  Result result() const;

 private:
  void refresh() const;
  void see_equalities(const Query& query, const Answer& answer);
  Search& current() { return phase_ == Phase::check ? *check_ : search_; }
  bool windowed() const { return spec_.lag > 0 && phase_ == Phase::search; }
  bool ask_ahead();
  void tell_search();
  void settle();
  bool search_ends();
  // Of costs, in their units; without them one evaluation is one unit.
  double cost_of_all() const { return plan_.cost.size() > 0 ? plan_.cost.sum() : 1; }
  double cost_of_batch(std::span<const Query> batch) const;
  std::int64_t kept_for_check() const;
  bool too_dear(double more) const;  // for the search, which leaves the check its share
  std::int64_t affordable() const;   // evaluations of all functions with what is left
  bool rules_end_search();           // [stop], or what the next evaluation is worth
  // The check would make more of the next evaluation than the search.
  bool check_is_worth_more() const;
  void begin_check();
  std::vector<Vector> challengers(const Incumbent& incumbent, const std::vector<Vector>& best, CheckPlan& check) const;
  void keep_safe(const Incumbent& incumbent, CheckPlan& check) const;
  bool search_again();  // the check is done, and the search would make more of what it left
  void note_values(const Query& query, const Answer& answer);
  void note_part(const Query& query, const Answer& answer);
  void note_whole(const Query& query, std::span<const double> measured);
  void note_failure(const std::string& reason);
  std::optional<SafePromise> safe_promise(const Incumbent& incumbent) const;
  void price(const Incumbent& incumbent, Result& result) const;
  Status status_of(const Result& result, const Incumbent& incumbent) const;
  [[noreturn]] void give_up() const;

  Spec spec_;
  RunPlan plan_;
  Search search_;
  std::optional<Search> check_;
  EqualityRule rule_;
  EvaluatedPoints points_;
  EvaluationLog log_;
  CheckedAnswer checked_;
  std::vector<Vector> given_;           // points that the user gave
  std::vector<Vector> checked_before_;  // answers of earlier checks
  std::uint64_t checks_ = 0;
  std::int64_t search_until_ = 0;  // evaluations before which the search is not left for the check again
  std::int64_t check_end_ = 0;     // evaluations when the check must be done
  std::string stopped_by_;
  double best_value_ = std::numeric_limits<double>::infinity();
  std::int64_t progress_at_ = 0;  // evaluations when the best value last fell beyond the noise
  Phase phase_ = Phase::search;
  bool interrupted_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::int64_t evaluations_ = 0, failed_ = 0, imported_ = 0;
  double spent_ = 0;                                                                    // in units of cost
  std::map<std::pair<std::uint64_t, std::vector<double>>, std::vector<double>> parts_;  // by noise and point
  std::map<std::string, std::int64_t> failures_;
  std::string last_failure_, last_words_;
  std::vector<std::int64_t> calls_;
  std::vector<Answer> answers_;
  Moderation moderation_;
  std::vector<bool> answered_;
  Window window_;                   // with a lag: what is open while the solver searches
  std::size_t due_ = 0;             // of these, how many the solver is told next
  bool draining_ = false;           // nothing more is asked: the open ones are the last
  bool lag_used_ = false;           // some question was asked while another was open
  std::vector<Answer> told_early_;  // of a window: told, while later ones are open
  std::size_t received_ = 0;
  std::size_t told_ = 0;
  bool told_check_ = false;
};

}  // namespace zeroth
