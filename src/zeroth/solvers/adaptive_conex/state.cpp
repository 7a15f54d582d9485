// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/solvers/adaptive_conex/subproblem.hpp"

namespace zeroth::adaptive {
namespace {

constexpr std::uint64_t direction_label = 7;  // the frame uses 0 and 1

Vector inside(const Spec& spec) {
  Vector x = spec.first_point();
  spec.domain.project(x);
  return x;
}

// A fit of p parameters to N rows costs N p^2 operations per function, and comes once in N / (rows per evaluation)
// evaluations.
bool affordable(const Tuning& tune, Index dimension, Index functions, int degree) {
  double p = 1;
  for (int k = 1; k <= degree; ++k) p = p * static_cast<double>(dimension + k) / k;
  const double one = tune.regression_rows_per_evaluation * p * p;
  return one <= tune.regression_flops && one * static_cast<double>(functions) <= tune.regression_flops_in_all;
}

Index default_block(const Spec& spec, const AdaptiveConexOptions& options, Index n, bool regression) {
  if (options.block > 0) return std::min<Index>(options.block, n);
  return std::min(n, std::max<Index>({4, regression ? n / 3 : n / 8, spec.width}));
}

// Independent noise asks for many evaluations from afar. Of these more are kept (batches grow along with them, so that
// an evaluation costs the same), and where it is affordable a fourth order stands beside the second, which sees around
// the corner of a bent valley. Where noise is shared, slopes are exact and nearby; and indicators are no polynomials
// from afar.
Orders orders_for(const Spec& spec, Index dimension, const Tuning& tune) {
  const Index functions = spec.functions(), nearby = static_cast<Index>(tune.regression_rows_nearby),
              all = static_cast<Index>(tune.regression_rows);
  const auto order = [&](int degree, Index rows, double caution) {
    return Regression(dimension, functions, degree, rows, caution, tune);
  };
  std::vector<Regression> orders;
  if (spec.common_noise || spec.indicators) {
    orders.push_back(order(2, nearby, 2));
  } else if (!affordable(tune, dimension, functions, 4)) {
    orders.push_back(order(2, all, 2));
  } else {
    orders.push_back(order(2, all, 0));
    orders.push_back(order(4, all, 0));
  }
  return Orders(std::move(orders));
}

}  // namespace

State::State(const Spec& spec, const AdaptiveConexOptions& options, std::uint64_t seed)
    : spec_(spec),
      options_(options),
      tune_(options.tuning),
      frame_(spec, inside(spec), seed),
      rng_(derive_key(seed, direction_label)),
      n_(frame_.dimension()),
      functions_(spec.functions()),
      count_(functions_ - 1),
      x_(inside(spec)),
      y_(Vector::Zero(count_)),
      model_(frame_.to_w(x_), functions_, default_block(spec, options, n_, affordable(tune_, n_, functions_, 2)),
             tune_),
      rule_(functions_, frame_.largest_radius(), tune_.radius_forget),
      noise_(functions_, tune_),
      cap_(static_cast<std::size_t>(n_), std::numeric_limits<double>::infinity()),
      paired_(static_cast<std::size_t>(n_), 0),
      sign_(static_cast<std::size_t>(n_), 1),
      trust_(tune_.first_trust * std::sqrt(static_cast<double>(n_))),
      penalty_(Vector::Zero(count_)),
      steepest_(Vector::Zero(functions_)) {
  standing_.x = x_;
  standing_.y = y_;
  if (affordable(tune_, n_, functions_, 2)) regression_ = orders_for(spec, n_, tune_);
  if (regression_ && Opening::pays(spec_, tune_)) {
    opening_.emplace(spec_, frame_, x_, frame_.fresh_key(), tune_);
    phase_ = Phase::opening;
  }
}

Vector State::random_direction() {
  Vector u(n_);
  for (Index j = 0; j < n_; ++j) u[j] = rng_.normal();
  return u / u.norm();
}

Index State::size_of(Index block) const { return std::min(model_.block_size(), n_ - block * model_.block_size()); }

const std::vector<Query>& State::plan() {
  now_.asks.clear();
  switch (phase_) {
    case Phase::opening:
      now_.asks = opening_->plan();
      break;
    case Phase::noise:
      plan_noise();
      break;
    case Phase::curvature:
      plan_curvature();
      break;
    case Phase::sweeps:
      regression_ ? plan_regression() : plan_block();
      break;
  }
  batch_ = queries(now_.asks);
  now_.w = model_.w;
  now_.x = x_;
  now_.turned = false;
  if (!now_.asks.empty()) planned_ = {now_.asks.front().key, model_.w, {}};
  return batch_;
}

void State::learn(std::span<const Answer> answers) {
  switch (phase_) {
    case Phase::opening:
      learn_opening(answers);
      break;
    case Phase::noise:
      learn_noise(answers);
      break;
    case Phase::curvature:
      learn_curvature(answers);
      break;
    case Phase::sweeps:
      regression_ ? learn_regression(answers) : learn_block(answers);
      break;
  }
}

// What an evaluation along a direction varies by: replicates tell; five stand for the belief that it is the noise at x.
double State::difference_noise(Index i) const {
  if (common_) return noise_.replicates > 0 ? radius_ * radius_ * noise_.replicate_squares[i] / noise_.replicates : 0;
  return (tune_.replicate_prior * noise_.variance[i] + noise_.replicate_squares[i]) /
         (tune_.replicate_prior + noise_.replicates);
}

// Function i counts in the Lagrangian's slope by its multiplier; before that is known, by the inverse of its slopes.
Vector State::function_weights() const {
  Vector weight = Vector::Ones(functions_);
  const double objective = model_.slope.col(0).squaredNorm();
  for (Index i = 0; i < count_; ++i) {
    const double own = model_.slope.col(i + 1).squaredNorm();
    weight[i + 1] = std::max(y_[i] * y_[i], own > 0 ? tune_.known_weight * objective / own : 0.0);
  }
  return weight;
}

void State::step() {
  if (phase_ != Phase::sweeps) return;
  if (regression_ && !fitted_) return;
  if (!trusted_) judge();
  model_.gradients(model_.w, g_);
  Subproblem sub;
  sub.constraints = spec_.constraints;
  sub.equalities = spec_.equalities;
  sub.margin = Vector::Zero(count_);
  double tau2 = model_.tau_squared[0];
  for (Index i = 0; i < count_; ++i) {
    if (i < spec_.constraints) sub.margin[i] = options_.caution * std::sqrt(model_.level_variance[i + 1]);
    tau2 += y_[i] * y_[i] * model_.tau_squared[i + 1];
  }
  tau_ = std::sqrt(tau2 * static_cast<double>(n_));
  double typical = model_.typical_curvature(0);
  for (Index i = 0; i < count_; ++i) typical += std::abs(y_[i]) * model_.typical_curvature(i + 1);
  sub.prox = std::max((regression_ ? tune_.regression_prox : tune_.prox) * options_.damping * tau_,
                      tune_.least_prox * typical) *
             boost_;
  sub.price = elastic_prices(model_, g_, y_, tune_);
  sub.frame = &frame_;
  // (The regression keeps what it has seen wherever it moves; but on a simplex its steps lead from corner to corner.)
  if (!regression_ || frame_.dimension() < spec_.dimension()) {
    sub.noise = model_.slope_variance.col(0);
    for (Index i = 0; i < count_; ++i) sub.noise += y_[i] * y_[i] * model_.slope_variance.col(i + 1);
    for (Index j = 0; j < n_; ++j)
      sub.noise[j] = rng_.below(2) == 0 ? std::sqrt(sub.noise[j]) : -std::sqrt(sub.noise[j]);
  }
  Proposal p = propose(model_, g_, sub, y_, held_);
  now_.confined = common_ && !regression_ && p.d.norm() > trust_;
  for (int shorter = 0; shorter < 4 && p.d.norm() > tune_.overlong * trust_; ++shorter) {
    sub.prox = std::max(tune_.more_prox * sub.prox, tune_.more_prox_least * typical);
    p = propose(model_, g_, sub, y_, held_);
  }
  if (const double length = p.d.norm(); length > trust_) p.d *= trust_ / length;
  else if (p.worth_by_noise > 0) {
    // A step that noise alone would explain is not worth what moving costs: slopes measured here are known less well
    // there, by tau |d|. (Stein's shrinkage, as far as moving costs more than there is noise.)
    const double lost = tune_.moving_cost * tau2 * p.d.squaredNorm(),
                 noise = sub.noise.squaredNorm() / static_cast<double>(n_);
    p.d *= std::max(tune_.shortest, 1 - p.worth_by_noise / std::max(p.worth, 1e-300) * lost / (lost + noise));
  }

  Vector next = frame_.to_x(model_.w + p.d);
  spec_.domain.project(next);
  if (!next.allFinite()) return;
  const Vector next_w = frame_.to_w(next), d = next_w - model_.w;
  double change = model_.predict(0, g_, d) - model_.level[0];
  for (Index i = 0; i < count_; ++i)
    if (p.multipliers[i] != 0) change += p.multipliers[i] * (model_.predict(i + 1, g_, d) - model_.level[i + 1]);
  decrease_ = tune_.gain_memory * decrease_ + (1 - tune_.gain_memory) * std::abs(change);
  recent_moves_ = tune_.moves_memory * recent_moves_ + d.squaredNorm();
  now_.step_length = d.norm();
  now_.before_w = model_.w;
  now_.before_level = model_.level;
  now_.before_variance = model_.level_variance;
  now_.promised.resize(functions_);
  now_.promised_variance.resize(functions_);
  for (Index i = 0; i < functions_; ++i) {
    now_.promised[i] = model_.predict(i, g_, d);
    now_.promised_variance[i] = model_.level_variance[i] + model_.slope_variance.col(i).dot(d.cwiseAbs2()) +
                                model_.tau_squared[i] * d.squaredNorm() * (recent_moves_ + 0.5 * d.squaredNorm());
  }
  model_.move_to(next_w, g_);
  x_ = next;
  y_ = p.multipliers;
  elastic_ = p.elastic;
  weigh_penalties();
  if (trusted_) judge();
}

// What a unit of violation costs in the merit function: more than the multipliers say, and never nothing, lest a step
// into the infeasible that no multiplier foresaw pass for progress.
void State::weigh_penalties() {
  for (Index i = 0; i < functions_; ++i) steepest_[i] = std::max(tune_.steepest_keep * steepest_[i], g_.col(i).norm());
  for (Index i = 0; i < count_; ++i) {
    const double exchange = steepest_[i + 1] > 0 ? tune_.penalty_exchange * steepest_[0] / steepest_[i + 1] : 0;
    penalty_[i] = std::max({tune_.penalty * std::abs(y_[i]), tune_.penalty_keep * penalty_[i], exchange});
  }
}

void State::show(Incumbent& incumbent) const {
  incumbent.x = standing_.x;
  incumbent.multipliers = standing_.y;
  incumbent.cautious = standing_.cautious;
  incumbent.multiplier_se = standing_.multiplier_se;
  incumbent.kkt_residual = standing_.kkt;
  incumbent.kkt_se = standing_.kkt_se;
  incumbent.kkt_fallback = standing_.kkt_fallback;
  incumbent.trace["radius"] = radius_;
  incumbent.trace["hessian_error"] = tau_;
  incumbent.trace["step"] = now_.step_length;
  incumbent.trace["boost"] = boost_;
  incumbent.trace["trust"] = trust_;
  incumbent.trace["rejected"] = static_cast<double>(rejected_);
  incumbent.trace["restarts"] = static_cast<double>(restarts_);
  if (count_ > 0 && phase_ == Phase::sweeps) incumbent.trace["level_se"] = std::sqrt(model_.level_variance[1]);
  incumbent.note = phase_ == Phase::opening ? "quadratic steps under one key"
                   : phase_ == Phase::noise ? "measuring the noise"
                   : common_                ? "differences under shared noise"
                                            : "differences against independent noise";
}

}  // namespace zeroth::adaptive
