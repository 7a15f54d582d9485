// SPDX-License-Identifier: MIT
#include "zeroth/solvers/auto/auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "zeroth/core/statistics/distinct_values.hpp"
#include "zeroth/model/site_model.hpp"
#include "zeroth/model/unit_box.hpp"
#include "zeroth/solvers/auto/asking_ahead.hpp"
#include "zeroth/solvers/auto/comparison.hpp"
#include "zeroth/solvers/auto/log_scale.hpp"
#include "zeroth/solvers/auto/slope_side.hpp"
#include "zeroth/solvers/best_evaluation.hpp"
#include "zeroth/solvers/trust_bo/trust_bo.hpp"

// One turn: whoever is furthest behind the share that it deserves asks (the model of the whole set, or the search by
// slopes), and both learn. Now and then the best point is evaluated again, as long as no noise is in sight; and the two
// recommendations are compared, which moves the shares.
namespace zeroth {
namespace {

struct AutoLabel {
  enum : std::uint64_t { global = 0x6175746f, local, duel, restart, probe };
};

const double noisy_odds = -std::log(4.0);  // of slopes under noise, before they have shown anything
const double exact_odds = std::log(3.0);   // of slopes without
constexpr double near = 0.1;               // of the set's width: taken for one basin
constexpr double narrow_gain = 1e-6;       // of what was gained since the first evaluation
constexpr double exact_growth = 1.1;      // of the evaluations, from one comparison to the next, where it costs nothing
constexpr double duel_growth = 1.4;       // the same under noise
constexpr std::size_t most_shared = 200;  // local evaluations that the model takes in at a time
constexpr std::size_t most_kept = 8;      // winners of comparisons that stay candidates

std::uint64_t hash_of(std::span<const double> x) {
  std::uint64_t h = 0;
  for (const double v : x) h = derive_key(h, std::bit_cast<std::uint64_t>(v));
  return h;
}

// Which points one side asked for.
class Asked {
 public:
  void add(std::span<const double> x) { seen_.insert(hash_of(x)); }
  bool contains(std::span<const double> x) const { return seen_.contains(hash_of(x)); }

 private:
  std::unordered_set<std::uint64_t> seen_;
};

// Whether every evaluation of a point gave the values of the first one there.
class Repeats {
 public:
  bool agree(std::span<const double> x, std::span<const double> values) {
    const std::uint64_t now = hash_of(values);
    const auto [known, is_new] = first_.emplace(hash_of(x), now);
    return is_new || known->second == now;
  }
  std::size_t points() const { return first_.size(); }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> first_;
};

// The two sides, what has been evaluated and what follows from it.
class Auto {
 public:
  // `design`: points of the model's initial design; 0: as many as it likes.
  Auto(const Spec& spec, const AutoOptions& options, std::uint64_t seed, std::int64_t design = 0)
      : spec_(spec),
        seed_(seed),
        distinct_(static_cast<std::size_t>(spec.functions())),
        best_(spec.constraints),
        best_of_local_(spec.constraints),
        best_x_(spec.first_point()),
        scale_(Vector::Zero(spec.functions())),
        most_odds_(std::log((1 - options.least_share) / std::max(options.least_share, 1e-9))) {
    const bool bounded = std::isfinite(spec.domain.diameter());
    if (bounded) box_.emplace(spec);
    // Functions that are asked for one by one cannot share a kernel.
    const Index kernels = affordable_kernels(spec.dimension(), spec.functions());
    const bool modelled = bounded && kernels > 0 && (!spares() || kernels == spec.functions());
    slopes_.emplace(spec_, modelled || (bounded && interpolation_is_affordable(spec.dimension())) ? &*box_ : nullptr,
                    derive_key(seed, AutoLabel::local));
    safe_ = options.safe > 0;
    if (safe_ && !modelled) throw Error("'safe' needs a model of all functions, which costs too much here");
    if (modelled || !slopes_->possible())
      model_.emplace(trust_bo_beside_others(spec, {.start = design, .safe = options.safe},
                                            derive_key(seed, AutoLabel::global), exchange_));
    // No noise in sight: no replicate has differed yet.
    exact = was_exact_ = model_.has_value() || (bounded && interpolation_is_affordable(spec.dimension()));
    // Slopes do not move integer variables: there the model keeps half.
    most_local_odds_ = slopes_->moves_everything() ? most_odds_ : std::min(most_odds_, 0.0);
    local_leads_ = !model_;
    const auto n = static_cast<double>(spec.dimension());
    design_ = static_cast<std::int64_t>(std::lround(6 * std::sqrt(n)) + 1);
    local_first_ = 2 * (spec.dimension() + 2);
    next_duel_ =
        std::min<std::int64_t>(design_ + 2 * local_first_, std::max<std::int64_t>(design_ + 4, spec.budget / 2));
    next_probe_ = 4 * design_;
  }

  bool modelled() const { return model_.has_value(); }
  SlopeSide& slopes() { return *slopes_; }
  Search& model() { return *model_; }
  bool exact;
  std::int64_t done = 0;

  double local_share() const { return !model_ ? 1 : !slopes_->running() ? 0 : 1 / (1 + std::exp(-log_odds_)); }
  bool local_turn() const {
    const double share = local_share();
    return slopes_->running() && (!model_ || static_cast<double>(local_spent_) * (1 - share) <=
                                                 static_cast<double>(global_spent_ - design_) * share);
  }

  void begin_local(const Vector& from) {
    slopes_->begin(from,
                   exact                                ? SlopeSide::Noise::none
                   : spec_.common_noise && share_seeds_ ? SlopeSide::Noise::shared
                                                        : SlopeSide::Noise::independent,
                   from == best_x_ ? best_values_ : std::vector<double>{});
    local_since_ = 0;
    began_at_ = from;
    global_at_begin_ = global_spent_;
    best_at_begin_ = best_.value();
    best_of_local_ = BestEvaluation(spec_.constraints);
  }

  // A search by slopes has ended: false if there is nowhere to begin another one.
  bool begin_again() {
    // Without noise a search may end on a narrow way down: as long as it gains, the next one goes on from there.
    if (exact && !first_.values.empty() &&
        best_at_begin_ - best_.value() > narrow_gain * std::abs(first_.values[0] - best_.value())) {
      begin_local(best_x_);
      return true;
    }
    if (!box_) return false;
    // A local optimum is reached. The next search begins away from those that are known: at what the model thinks
    // best, or anywhere.
    ends_.push_back(slopes_->recommend().x);
    const auto away = [&](const Vector& point) {
      return std::ranges::all_of(ends_, [&](const Vector& end) { return !same_basin(point, end); });
    };
    Rng rng(derive_key(seed_, AutoLabel::restart, slopes_->starts()));
    Vector next = spec_.domain.sample(rng);
    if (model_)
      for (const Vector& candidate : model_->recommend().candidates)
        if (away(candidate)) {
          next = candidate;
          break;
        }
    if (box_->any_categories() || box_->conditional()) next = box_->to_domain(box_->to_unit(next));
    begin_local(next);
    return true;
  }

  void learn(std::span<const Query> batch, std::span<const Answer> answers, bool by_slopes) {
    for (std::size_t k = 0; k < batch.size(); ++k) {
      if (!by_slopes) by_model_.add(batch[k].x);
      else if (model_ && !by_model_.contains(batch[k].x)) by_local_.add(batch[k].x);
      learn_one(batch[k], answers[k], by_slopes);
    }
    // Evaluations under one key share their noise, which a model would take for the function: one of each key.
    if (by_slopes && model_)
      for (std::size_t k = 0; k < batch.size() && exchange_->x.size() < most_shared; ++k)
        if (batch[k].wanted.empty() && batch[k].weights.empty() &&
            (exact || !spec_.common_noise || keys_.insert(batch[k].noise).second))
          exchange_->add(as_vector(batch[k].x), answers[k], batch[k].noise);
    // What never changes may be a count that has not moved yet.
    exchange_->exact = exact && !counted() && std::ranges::all_of(distinct_, &DistinctValues::any_change);
    const auto count = static_cast<std::int64_t>(batch.size());
    done += count;
    (by_slopes ? local_spent_ : global_spent_) += count;
    if (by_slopes) local_since_ += count;
  }
  // Evaluations that neither side asked for.
  void learn_extra(const Query& query, const Answer& answer) {
    learn_one(query, answer, false);
    if (model_) exchange_->add(as_vector(query.x), answer, query.noise);
    ++done;
  }

  // The first search by slopes, when the design is through; another one where what it rests on has changed.
  void start_slopes_where_due() {
    if (!slopes_->possible() || safe_) return;  // slopes know nothing of safety
    if (!slopes_->running() && (!model_ || global_spent_ >= design_)) {
      begin_local(exact || !model_ ? best_x_ : model_->recommend().x);
      // Without noise slopes are what they are; under noise, where they cost more, or where integers and categories
      // must be right first, they have to earn their share.
      log_odds_ = slopes_finish() ? exact_odds : noisy_odds;
    } else if (slopes_->running() && was_exact_ && !exact) {  // slopes under noise need another search
      begin_local(model_ ? model_->recommend().x : best_x_);
    }
    was_exact_ = exact;
  }

  // Counts, shares, yes or no repeat under noise, too, and the best of them are lucky: each is evaluated once more.
  bool probe_due() const { return exact && (done >= next_probe_ || (best_moved_ && counted())); }
  Query probe() {
    next_probe_ = std::max(next_probe_, static_cast<std::int64_t>(duel_growth * static_cast<double>(done)) + 1);
    probed_ = best_x_;
    best_moved_ = false;
    Query q{as_span(probed_), noise_key(seed_, AutoLabel::probe, static_cast<std::uint64_t>(done)), {}};
    q.whole = true;
    return q;
  }

  bool duel_due() const { return model_ && slopes_->running() && done >= next_duel_; }
  std::uint64_t duel_key() const { return noise_key(seed_, AutoLabel::duel, static_cast<std::uint64_t>(done)); }
  std::int64_t comparison_rounds(double share) const {
    return std::max<std::int64_t>(
        3, static_cast<std::int64_t>(share * (1 - 1 / duel_growth) * static_cast<double>(done)) / 2);
  }
  const Vector& scale() const { return scale_; }

  // Without noise the best that was seen is known. In one basin the model only helps along; in another it has found
  // something.
  double lead_without_noise() {
    const bool helped = !first_.values.empty() && same_basin(slopes_->recommend().x, best_x_) &&
                        best_of_local_.violation() <= best_.violation() &&
                        best_of_local_.value() - best_.value() <= near * (first_.values[0] - best_.value());
    const double lead = by_local_.contains(as_span(best_x_)) || helped ? 1 : -Comparison::clearly;
    local_leads_ = lead > 0;
    kept_.insert(kept_.begin(), best_x_);
    settle(lead, best_x_, exact_growth);
    return lead;
  }

  void judge(const Comparison& compared, Incumbent of_slopes, Incumbent of_model) {
    double lead = compared.lead(of_model, scale_);
    local_leads_ = lead > 0;
    const Vector theirs = of_model.x;
    champion_ = lead > 0 ? std::move(of_slopes) : std::move(of_model);
    // What the model recommends may have been found by slopes: then they lead, whoever recommends it.
    if (by_local_.contains(as_span(theirs))) lead = std::max(lead, 1.0);
    // Slopes may be behind and yet gain more with every evaluation.
    else if (lead < 0 && lead > -Comparison::clearly && gains_faster(compared.ours(), theirs)) lead = 1;
    kept_.insert(kept_.begin(), champion_.x);
    settle(lead, theirs, duel_growth);
  }

  void show(Incumbent& incumbent) const {
    const bool running = slopes_->running();
    // Under noise a local search is believed as far as it was compared: on its way it may wander anywhere.
    if (local_leads_ && running) incumbent = model_ && !exact ? champion_ : slopes_->recommend();
    else if (model_) incumbent = model_->recommend();
    const std::string leader = local_leads_ && running ? (exact ? "slopes" : "adaptive-conex") : "trust-bo";
    incumbent.chosen = leader;
    if (exact) incumbent.x = best_x_;  // without noise what was seen is what it is
    if (model_) {
      // Of all that is known: the model learns from both sides.
      const Incumbent& model = model_->recommend();
      incumbent.believe = model.believe;
      incumbent.cautious_at = model.cautious_at;
      incumbent.expected_improvement = model.expected_improvement;
      incumbent.possible_gain = model.possible_gain;
      incumbent.several_optima = model.several_optima;
      if (incumbent.multipliers.size() == 0) incumbent.multipliers = model.multipliers;
      if (running) incumbent.candidates.insert(incumbent.candidates.begin(), slopes_->recommend().x);
      incumbent.candidates.insert(incumbent.candidates.begin(), model.x);
      incumbent.candidates.insert(incumbent.candidates.begin(), kept_.begin(), kept_.end());
    }
    incumbent.trace["local_share"] = local_share();
    const std::string own = incumbent.note.empty() ? "" : "; " + incumbent.note;
    incumbent.note = !model_ ? leader + ": a model of the whole set would cost too much here" + own
                     : !running
                         ? "trust-bo: no real variables to follow slopes in" + own
                         : fmt::format(
                               "{}: {} of {} comparisons went to the search by slopes, which gets {:.0f} % of the "
                               "evaluations now{}",
                               leader, local_wins_, duels_, 100 * local_share(), own);
  }

 private:
  bool slopes_finish() const { return exact && !spares() && slopes_->moves_everything(); }
  bool spares() const { return spec_.cost.size() > 0; }  // the model does without dear values, slopes need every one
  bool same_basin(const Vector& a, const Vector& b) const {
    return (box_->to_unit(a) - box_->to_unit(b)).lpNorm<Eigen::Infinity>() <= near;
  }

  void learn_one(const Query& query, const Answer& answer, bool by_slopes) {
    if (answer.failed() || !query.wanted.empty() || !query.weights.empty()) return;
    if (std::ranges::any_of(answer.values, [](double v) { return std::isnan(v); })) return;  // not asked for
    if (first_.values.empty()) first_ = answer;
    if (exact && !repeats_.agree(query.x, answer.values)) exact = false;
    if (by_slopes) best_of_local_.offer(answer.values);
    if (best_.offer(answer.values)) {
      best_x_ = as_vector(query.x);
      best_values_ = answer.values;
      best_moved_ = true;
    }
    for (Index i = 0; i < spec_.functions(); ++i)
      distinct_[static_cast<std::size_t>(i)].add(answer.values[static_cast<std::size_t>(i)]);
    for (Index i = 0; i < spec_.functions(); ++i)
      scale_[i] = std::max(scale_[i], std::min(Sites::largest, std::abs(answer.values[static_cast<std::size_t>(i)])));
  }

  bool counted() const {
    return std::ranges::any_of(distinct_, [&](const DistinctValues& v) { return v.few(repeats_.points()); });
  }

  // Whether slopes gained more per evaluation since they began than the model did, by what the model now believes.
  bool gains_faster(const Vector& ours, const Vector& theirs) const {
    const Incumbent& model = model_->recommend();
    if (!model.believe) return false;
    const Belief begin = model.believe(began_at_), here = model.believe(ours), there = model.believe(theirs);
    if (begin.mean.size() == 0) return false;
    const double ours_gained = begin.mean[0] - here.mean[0], theirs_gained = begin.mean[0] - there.mean[0];
    const auto by_slopes = static_cast<double>(std::max<std::int64_t>(1, local_since_));
    const auto by_model = static_cast<double>(std::max<std::int64_t>(1, global_spent_ - global_at_begin_));
    return ours_gained > 2 * here.sd[0] && ours_gained / by_slopes > theirs_gained / by_model;
  }

  // What a comparison changes: shares, where slopes go on, when the next one is due.
  void settle(double lead, const Vector& better, double growth) {
    ++duels_;
    local_wins_ += lead > 0;
    const double undecided = exact ? 0.0 : noisy_odds;
    log_odds_ = std::abs(lead) < 1 ? 0.5 * (log_odds_ + undecided) : log_odds_ + std::copysign(std::log(2.0), lead);
    // Without noise nothing finishes like slopes: a better basin is where they begin anew, and they keep half.
    log_odds_ =
        std::clamp(log_odds_, slopes_finish() ? std::min(0.0, most_local_odds_) : -most_odds_, most_local_odds_);
    if (kept_.size() > most_kept) kept_.pop_back();
    // Clearly beaten: slopes led elsewhere. Under one seed they may be biased by jumps, so the next start does
    // without sharing seeds.
    const bool beaten = lead < -2 && local_since_ >= (exact ? 1 : 4) * local_first_;
    if (beaten) share_seeds_ = !share_seeds_;
    if (beaten) begin_local(better);
    next_duel_ = std::max(done + 2, static_cast<std::int64_t>(growth * static_cast<double>(done)));
    // The last word is a fresh one.
    const auto last = spec_.search_budget() - std::max<std::int64_t>(4, spec_.search_budget() / 20);
    if (done < last) next_duel_ = std::min(next_duel_, last);
  }

  const Spec& spec_;
  std::uint64_t seed_;
  std::optional<UnitBox> box_;
  std::optional<SlopeSide> slopes_;
  std::shared_ptr<Elsewhere> exchange_ = std::make_shared<Elsewhere>();
  std::optional<Search> model_;

  Answer first_;
  Repeats repeats_;
  std::vector<DistinctValues> distinct_;  // by function
  BestEvaluation best_, best_of_local_;
  Vector best_x_, probed_, began_at_;
  std::vector<double> best_values_;
  Vector scale_;                            // largest values seen
  std::vector<Vector> ends_;                // of local searches that finished
  Asked by_model_, by_local_;               // whoever asked first
  std::unordered_set<std::uint64_t> keys_;  // of evaluations by slopes that the model has learned from
  std::vector<Vector> kept_;                // what won a comparison stays a candidate
  Incumbent champion_;                      // the winner of the last comparison

  double log_odds_ = 0, most_odds_, most_local_odds_ = 0;  // of the local side's share
  double best_at_begin_ = 0;                               // the best value when the present local search began
  std::int64_t global_at_begin_ = 0;                       // evaluations of the model then
  std::int64_t local_since_ = 0;                           // evaluations of the present local search
  std::int64_t global_spent_ = 0, local_spent_ = 0, duels_ = 0, local_wins_ = 0;
  std::int64_t design_ = 0, local_first_ = 0, next_duel_ = 0, next_probe_ = 0;
  bool safe_ = false;        // the model alone asks
  bool best_moved_ = false;  // since the last probe
  bool local_leads_ = false, share_seeds_ = true, was_exact_ = true;
};

}  // namespace

Search auto_solver(Spec spec, AutoOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  spec.described_points = false;  // what one search asks, the others learn from
  incumbent.x = spec.first_point();
  // Bounds that are positive and far apart are a scale: steps are factors there, and walls at the lower ends are far
  // away. With a lag questions stay open, so the scale is the problem's own.
  std::optional<LogScale> logarithms;
  if (spec.lag == 0 && LogScale::possible(spec)) logarithms.emplace(spec);
  const Spec seen = logarithms ? logarithms->spec() : spec;
  auto state = std::make_unique<Auto>(seen, options, seed);
  const auto in_problem = [&](std::span<const Query> batch) {
    return logarithms ? logarithms->to_problem(batch) : batch;
  };
  std::vector<Query> batch;
  if (!state->modelled() && state->exact) {
    // The first word on the noise, which the model would have asked for: the start, twice.
    const Vector start = seen.first_point();
    for (std::uint64_t k = 0; k < 2; ++k)
      batch.push_back({as_span(start), noise_key(seed, AutoLabel::probe, k), {}, {}, true});
    const auto answers = co_await evaluate(in_problem(batch));
    for (std::size_t k = 0; k < batch.size(); ++k) state->learn_extra(batch[k], answers[k]);
  }
  if (spec.lag > 0) {
    Ahead<Auto> ahead(*state, spec, options.compare);
    for (;;) {
      ahead.settle();
      if (state->done > 0) state->show(incumbent);
      const auto asked = ahead.ask();
      if (ahead.over()) co_return;
      ahead.learn(co_await propose(asked));
    }
  }
  state->start_slopes_where_due();
  for (;;) {
    const bool by_slopes = state->local_turn();
    if (by_slopes ? state->slopes().done() : state->model().done()) {
      if (!by_slopes || !state->begin_again()) co_return;
      continue;
    }
    {
      const auto asked = by_slopes ? state->slopes().ask() : state->model().ask();
      const auto sent = in_problem(asked);
      const auto answers = co_await evaluate(sent);
      state->learn(asked, answers, by_slopes);
      if (by_slopes) state->slopes().tell(answers);
      else state->model().tell(answers);
    }
    if (state->probe_due()) {
      batch.assign(1, state->probe());
      const auto sent = in_problem(batch);
      const auto answers = co_await evaluate(sent);
      state->learn_extra(batch[0], answers[0]);
    }
    state->start_slopes_where_due();
    if (state->duel_due() && state->exact) {
      state->lead_without_noise();
    } else if (state->duel_due()) {
      Incumbent of_slopes = state->slopes().recommend(), of_model = state->model().recommend();
      Comparison compared(seen, of_slopes.x, of_model.x);
      const auto rounds = state->comparison_rounds(options.compare);
      for (std::int64_t r = 0; r < rounds && compared.ours() != compared.theirs(); ++r) {
        const std::uint64_t key = state->duel_key();
        batch = {{as_span(compared.ours()), key, {}, {}, true}, {as_span(compared.theirs()), key, {}, {}, true}};
        const auto sent = in_problem(batch);
        const auto answers = co_await evaluate(sent);
        compared.add(answers[0], answers[1]);
        for (std::size_t k = 0; k < 2; ++k) state->learn_extra(batch[k], answers[k]);
      }
      state->judge(compared, std::move(of_slopes), std::move(of_model));
    }
    state->show(incumbent);
    if (logarithms) {
      logarithms->to_problem(incumbent);
      incumbent.note += "; on a logarithmic scale";
    }
  }
}

}  // namespace zeroth
