// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "zeroth/core/search.hpp"
#include "zeroth/solvers/auto/comparison.hpp"

namespace zeroth {

// Answers on their way to one of several searches that ask while others are not answered (Spec::lag).
class Inbox {
 public:
  void clear() { *this = {}; }  // another search takes the place of this one
  // Its questions were passed on.
  void asked(std::size_t count) {
    missing_ += count;
    waiting_ = true;
  }
  void receive(const Answer& answer) {
    answers_.push_back(answer);
    --missing_;
  }
  // Whether it can ask again: who proposes always can, others when all of their answers are there.
  bool ready(bool proposes) const { return !waiting_ || proposes || missing_ == 0; }
  // Tells what has come since the last time; the search then has its next questions.
  template <class S>
  void deliver(S& search) {
    if (!waiting_) return;
    waiting_ = false;
    search.tell(answers_);
    answers_.clear();
  }

 private:
  std::vector<Answer> answers_;
  std::size_t missing_ = 0;
  bool waiting_ = false;
};

// A question without an answer, and who asked it. Whoever asked may be gone when it is answered, so it is a copy.
struct OpenQuestion {
  enum class By : std::uint8_t { model, slopes, probe, comparison };

  OpenQuestion(By asker, std::uint64_t the_start, const Query& query)
      : by(asker),
        start(the_start),
        x(query.x.begin(), query.x.end()),
        wanted(query.wanted.begin(), query.wanted.end()),
        weights(query.weights.begin(), query.weights.end()),
        noise(query.noise) {}
  Query query() const { return {x, noise, wanted, weights}; }

  By by;
  std::uint64_t start;  // of the search by slopes that asked
  std::vector<double> x;
  std::vector<std::uint8_t> wanted;
  std::vector<double> weights;
  std::uint64_t noise;
};

// The two recommendations that are compared, with what is known of them so far.
struct Duel {
  Duel(const Spec& spec, Incumbent slopes, Incumbent model, std::int64_t count)
      : of_slopes(std::move(slopes)),
        of_model(std::move(model)),
        compared(spec, of_slopes.x, of_model.x),
        rounds(compared.ours() == compared.theirs() ? 0 : count) {}
  void add_round(std::uint64_t key, std::vector<Query>& batch) const {
    batch.push_back({as_span(compared.ours()), key, {}, {}, true});
    batch.push_back({as_span(compared.theirs()), key, {}, {}, true});
  }
  void receive(const Answer& answer) {
    if (!half) {
      half = answer;
      return;
    }
    compared.add(*half, answer);
    half.reset();
    --rounds;
  }

  Incumbent of_slopes, of_model;
  Comparison compared;
  std::int64_t rounds;         // that are not answered
  std::optional<Answer> half;  // of a round of which the other one is under way
};

// `auto` with a lag: both of its sides are asked while answers are missing, and so are comparisons and probes; a side
// that needs a whole batch before it goes on leaves its turns to the other. `State` is that of auto.cpp.
template <class State>
class Ahead {
 public:
  using By = OpenQuestion::By;

  // `share` of the evaluations goes into comparisons.
  Ahead(State& state, const Spec& spec, double share) : state_(state), spec_(spec), share_(share) {}

  void learn(std::span<const Answer> answers) {
    for (const Answer& answer : answers) learn_one(answer);
  }
  // What is due between two questions.
  void settle() {
    state_.start_slopes_where_due();
    if (duel_ && duel_->rounds == 0) {
      state_.judge(duel_->compared, std::move(duel_->of_slopes), std::move(duel_->of_model));
      duel_.reset();
    }
    if (state_.exact && state_.duel_due()) state_.lead_without_noise();
    if (starts_ != state_.slopes().starts()) to_slopes_.clear();  // another search than before
    starts_ = state_.slopes().starts();
  }
  // The next questions; none: the oldest is waited for.
  std::span<const Query> ask() {
    By by = By::model;
    batch_.clear();
    if (state_.probe_due()) {
      by = By::probe;
      batch_.push_back(state_.probe());
      state_.done += 1;
    } else if (!duel_ && !state_.exact && state_.duel_due()) {
      by = By::comparison;
      duel_.emplace(spec_, state_.slopes().recommend(), state_.model().recommend(), state_.comparison_rounds(share_));
      for (std::int64_t r = 0; r < duel_->rounds; ++r, state_.done += 2) duel_->add_round(state_.duel_key(), batch_);
    } else {
      bool by_slopes = state_.local_turn();
      if (!ready(by_slopes)) by_slopes = !by_slopes;
      if (ready(by_slopes)) ask_side(by_slopes);
      by = by_slopes ? By::slopes : By::model;
    }
    for (const Query& query : batch_) open_.emplace_back(by, starts_, query);
    return batch_;
  }
  bool over() const { return over_; }

 private:
  bool ready(bool by_slopes) const {
    return by_slopes ? state_.slopes().running() && to_slopes_.ready(state_.slopes().proposes())
                     : state_.modelled() && to_model_.ready(state_.model().proposes());
  }
  void ask_side(bool by_slopes) {
    if (by_slopes) to_slopes_.deliver(state_.slopes());
    else to_model_.deliver(state_.model());
    while (by_slopes && state_.slopes().running() && state_.slopes().done()) {
      over_ = !state_.begin_again();
      if (over_) return;
      to_slopes_.clear();
      starts_ = state_.slopes().starts();
    }
    if (by_slopes && !state_.slopes().running()) return;
    const auto asked = by_slopes ? state_.slopes().ask() : state_.model().ask();
    batch_.assign(asked.begin(), asked.end());
    (by_slopes ? to_slopes_ : to_model_).asked(batch_.size());
  }
  void learn_one(const Answer& answer) {
    const OpenQuestion question = std::move(open_.front());
    open_.pop_front();
    const Query query = question.query();
    const bool by_slopes = question.by == By::slopes;
    if (by_slopes || question.by == By::model) state_.learn({&query, 1}, {&answer, 1}, by_slopes);
    else {
      state_.learn_extra(query, answer);
      --state_.done;  // it was counted when it was asked, since keys hang on that
    }
    if (question.by == By::model) to_model_.receive(answer);
    if (by_slopes && question.start == starts_) to_slopes_.receive(answer);
    if (question.by == By::comparison && duel_) duel_->receive(answer);
  }

  State& state_;
  const Spec& spec_;
  double share_;
  Inbox to_model_, to_slopes_;
  std::deque<OpenQuestion> open_;  // oldest first
  std::optional<Duel> duel_;
  std::uint64_t starts_ = 0;
  std::vector<Query> batch_;
  bool over_ = false;
};

}  // namespace zeroth
