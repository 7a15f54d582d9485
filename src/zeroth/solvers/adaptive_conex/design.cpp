// SPDX-License-Identifier: MIT
//
// What adaptive-conex evaluates next.
#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/solvers/adaptive_conex/state.hpp"

namespace zeroth::adaptive {

// Four evaluations at one point under different keys, then -t, t, 2t along two directions under the key of the first:
// third differences there are as large as the noise unless keys are honoured (or there is no noise).
void State::plan_noise() {
  const double t = tune_.key_probe * frame_.largest_radius();
  for (int k = 0; k < 4; ++k) now_.asks.push_back(frame_.here(x_));
  if (opening_ && opening_->converged()) {
    // Keys are honoured. Two slopes again, under other keys: does the noise tilt the functions?
    for (Index q = 0; q < 2; ++q) {
      const Index j = q % n_;
      const double r = frame_.room(x_, j, t) > 0.5 * t ? t : -t;
      now_.asks.push_back(frame_.along(x_, j, r, now_.asks[static_cast<std::size_t>(q)].key));
    }
    return;
  }
  for (Index q = 0; q < 2; ++q)
    for (const double r : {-t, t, 2 * t}) now_.asks.push_back(frame_.along(x_, q % n_, r, now_.asks[0].key));
}

// Second differences for a first guess of the Hessians; against independent noise also differences at three radii, for
// the radius.
void State::plan_curvature() {
  const double largest = frame_.largest_radius();
  const Index directions = std::min<Index>(n_, common_ ? 2 : 4);
  const std::uint64_t shared = frame_.fresh_key();
  if (common_) now_.asks.push_back({x_, -1, 0, shared});
  for (Index j = 0; j < directions; ++j)
    for (const double r : {largest, largest / 3, largest / 9}) {
      if (common_ && r != largest / 9) continue;
      const Vector centre = common_ ? x_ : frame_.centre(x_, r);
      for (const double side : {r, -r})
        now_.asks.push_back(frame_.along(centre, j, side, common_ ? shared : frame_.fresh_key()));
    }
}

// Evaluations at x beyond the one of every batch: where the level of an active constraint limits the answer more than
// the slopes do. In units of the objective a level with variance v costs y sqrt(v), an evaluation more takes y v^1.5 /
// (2 sigma^2) off that; an evaluation along a direction takes off what the last steps were worth per evaluation.
int State::level_evaluations_worth_it(double directions) const {
  const double slope_rate = decrease_ / directions;
  double extra = 0;
  for (Index i = 0; i < count_; ++i) {
    const double v = model_.level_variance[i + 1], noise = noise_.variance[i + 1];
    if (!(noise > 0)) continue;
    const double rate = 0.5 * std::abs(y_[i]) * std::pow(v, 1.5) / noise;
    if (!(rate > slope_rate)) continue;
    const double wanted = v * std::pow(std::max(slope_rate, 1e-12 * rate) / rate, 2.0 / 3);
    extra = std::max(extra, std::ceil(noise * (1 / wanted - 1 / v)));
  }
  return static_cast<int>(std::min(tune_.levels_per_direction * directions, extra));
}

// From dense directions to the variables' own, for good.
void State::evaluate_along_variables() {
  const Matrix turn = frame_.directions();
  model_.turn(turn);
  frame_.evaluate_along_variables();
  radius_ = std::min(radius_, frame_.largest_radius());
  rule_ = RadiusRule(functions_, frame_.largest_radius(), tune_.radius_forget);
  std::fill(cap_.begin(), cap_.end(), std::numeric_limits<double>::infinity());
  std::fill(paired_.begin(), paired_.end(), radius_);
  for (Round& round : waiting_) {
    round.turned = true;
    round.w = turn * round.w;
    if (round.before_w.size() > 0) round.before_w = turn * round.before_w;
  }
}

// One evaluation per direction where its curvature is known, on the side with more room, the sides in turn. Plans
// nothing at first visits, where the curvature has become doubtful, or where X leaves no room: pairs are needed there.
bool State::plan_single_sided(Index first, Index size) {
  std::vector<double> reach(static_cast<std::size_t>(size));
  bool single = !now_.fresh;
  for (Index k = 0; k < size && single; ++k) {
    const auto j = static_cast<std::size_t>(first + k);
    const double r = std::min(radius_, cap_[j]);
    const double ahead = frame_.room(x_, first + k, r * sign_[j]), back = frame_.room(x_, first + k, -r * sign_[j]);
    reach[static_cast<std::size_t>(k)] = std::abs(ahead) >= tune_.room_preference * std::abs(back) ? ahead : back;
    const double length = std::abs(reach[static_cast<std::size_t>(k)]);
    single = length > tune_.single_least * r && length < tune_.single_most * paired_[j] &&
             length > tune_.single_fall * paired_[j];
  }
  for (Index k = 0; k < size && single; ++k) {
    now_.asks.push_back(frame_.along(x_, first + k, reach[static_cast<std::size_t>(k)], frame_.fresh_key()));
    sign_[static_cast<std::size_t>(first + k)] = reach[static_cast<std::size_t>(k)] > 0 ? -1 : 1;
  }
  return single;
}

// Two evaluations per direction, from a centre with room for them. Plans nothing where that centre is so far away that
// evaluations along the variables would tell more.
bool State::plan_pairs(Index first, Index size) {
  // The wider the radius the less noise in the slopes, the longer the slide that the Hessians must bridge.
  const Vector weight = function_weights();
  Vector evaluation_noise(functions_);
  for (Index i = 0; i < functions_; ++i) evaluation_noise[i] = difference_noise(i);
  double best = std::numeric_limits<double>::infinity(), length = radius_;
  Vector centre = x_;
  for (double r = radius_; r > tune_.pair_narrowest * radius_; r *= 0.8) {
    const Vector c = frame_.centre(x_, r);
    const double slide2 = (frame_.to_w(c) - model_.w).squaredNorm();
    double error = 0;
    for (Index i = 0; i < functions_; ++i)
      error += weight[i] * (evaluation_noise[i] / (2 * r * r) + model_.tau_squared[i] * slide2);
    if (error < best) {
      best = error;
      length = r;
      centre = c;
    }
  }
  // Near many walls of a box the slide is long. Along a variable there is always room for an evaluation at distance
  // one.
  const double ahead = std::min(1.0, radius_);
  if (frame_.dense() && spec_.domain.separable() && best > weight.dot(evaluation_noise) / (ahead * ahead)) return false;
  now_.fresh = true;
  now_.slid = centre != x_;
  if (now_.slid) now_.centre_w = frame_.to_w(centre);
  for (Index j = first; j < first + size; ++j) {
    const double r = std::min(length, cap_[static_cast<std::size_t>(j)]);
    for (const double side : {r, -r}) now_.asks.push_back(frame_.along(centre, j, side, frame_.fresh_key()));
  }
  return true;
}

void State::plan_block() {
  const Index blocks = model_.blocks();
  now_.block = static_cast<Index>(turn_++ % blocks);
  const Index first = now_.block * model_.block_size(), size = size_of(now_.block);
  // Under shared noise a replicate only tells whether slopes vary from key to key, and costs two evaluations.
  const bool replicate =
      turn_ % std::max<std::int64_t>(common_ ? 4 : 1, static_cast<std::int64_t>(tune_.replicate_every) / size) == 0;
  now_.fresh = !model_.visited_before(now_.block);
  now_.slid = false;
  now_.centre_w = model_.w;
  now_.probe_at = now_.replicate_at = now_.pair_at = 0;

  now_.asks.push_back(frame_.here(x_));
  const std::uint64_t shared = now_.asks[0].key;
  int extra = turn_ > 1 ? level_evaluations_worth_it(static_cast<double>(size)) : 0;
  // The reference may be under way: it is answered before what is asked now.
  const Reference& reference = asks_ahead() ? planned_ : reference_;
  const bool paired = common_ && now_.before_w.size() > 0 && reference.w.size() > 0 && reference.w == now_.before_w;
  if (replicate || (!trusted_ && !paired)) extra = std::max(extra, 1);
  const auto width = static_cast<int>(spec_.width);
  if (width > 1) extra += (width - static_cast<int>(1 + extra + size + (paired ? 1 : 0)) % width) % width;
  for (int k = 0; k < extra; ++k) now_.asks.push_back(frame_.here(x_));
  now_.level_evaluations = now_.asks.size();

  if (common_) {
    for (Index j = first; j < first + size; ++j) {
      const double forward = frame_.room(x_, j, radius_);
      now_.asks.push_back(frame_.along(x_, j, forward > 0.5 * radius_ ? radius_ : -radius_, shared));
    }
  } else if (!plan_single_sided(first, size) && !plan_pairs(first, size)) {
    evaluate_along_variables();
    --turn_;
    now_.asks.clear();
    return plan_block();
  }
  if (replicate) {  // one of them again under other noise
    now_.replicate_at = now_.asks.size();
    now_.asks.push_back(now_.asks[now_.level_evaluations]);
    now_.asks.back().key = common_ ? now_.asks[1].key : frame_.fresh_key();
  }
  if (paired) {
    now_.pair_at = now_.asks.size();
    now_.asks.push_back({x_, -1, 0, reference.key});
  }
  since_probe_ += static_cast<double>(size);
  if (!common_ && since_probe_ >= std::max(static_cast<double>(n_), tune_.probe_every)) plan_probe();
}

// In few dimensions: evaluations at x, and along directions at random, which between them tell all of the Hessians.
// Under shared noise slopes along the basis are free of noise at a tiny radius; a few wider evaluations tell the
// Hessians on the scale of the steps.
void State::plan_regression() {
  // A fit through N rows costs as much as it did a few evaluations before and says much the same: batches grow along
  // with N.
  const auto rows = static_cast<Index>(regression_->best().rows());
  const Index size =
      common_ ? std::min(n_, model_.block_size())
              : std::max(model_.block_size(), rows / static_cast<Index>(tune_.regression_rows_per_evaluation));
  now_.block = static_cast<Index>(turn_++ % model_.blocks());
  now_.probe_at = now_.replicate_at = 0;
  now_.asks.push_back(frame_.here(x_));
  const std::uint64_t shared = now_.asks[0].key;
  int extra = turn_ > 1 ? level_evaluations_worth_it(static_cast<double>(size)) : 0;
  extra = std::max(extra, static_cast<int>(size / 4) - 1);
  extra = std::max(
      extra,
      !trusted_ || turn_ % std::max<std::int64_t>(1, static_cast<std::int64_t>(tune_.replicate_every) / size) == 0 ? 1
                                                                                                                   : 0);
  const auto width = static_cast<int>(spec_.width);
  if (width > 1) extra += (width - static_cast<int>(1 + extra + size) % width) % width;
  for (int k = 0; k < extra; ++k) now_.asks.push_back(frame_.here(x_));
  now_.level_evaluations = now_.asks.size();
  if (common_) {
    const Index first = now_.block * model_.block_size();
    for (Index j = first; j < first + size_of(now_.block); ++j) {
      const double forward = frame_.room(x_, j, radius_);
      now_.asks.push_back(frame_.along(x_, j, forward > 0.5 * radius_ ? radius_ : -radius_, shared));
    }
    const double wide = std::clamp(2 * std::sqrt(recent_moves_), tune_.wide_reach * radius_, frame_.largest_radius());
    for (Index k = 0; k < std::max<Index>(1, size / 4); ++k)
      now_.asks.push_back(frame_.toward(x_, random_direction(), wide, shared));
  } else {
    for (Index k = 0; k < size; ++k) {
      const Vector u = random_direction();
      const double r = k % 4 == 3 ? 0.5 * radius_ : radius_;  // at two distances third derivatives show
      Ask one = frame_.toward(x_, u, r, 0), other = frame_.toward(x_, -u, r, 0);
      now_.asks.push_back(other.radius > 1.5 * one.radius ? other : one);
      now_.asks.back().key = frame_.fresh_key();
    }
  }
  if (now_.level_evaluations > 1) {  // one of them again under other noise
    now_.replicate_at = now_.asks.size();
    now_.asks.push_back(now_.asks[now_.level_evaluations]);
    now_.asks.back().key = common_ ? now_.asks[1].key : frame_.fresh_key();
  }
}

// Differences at twice the radius and at the radius along two directions: do higher derivatives matter? At the best
// radius noise hides them in a single difference (they are as large as what is left of noise after many visits), so
// that only wider ones tell: the gap grows with the radius while the noise falls.
void State::plan_probe() {
  since_probe_ = 0;
  now_.probe_at = now_.asks.size();
  for (int q = 0; q < 2; ++q) {
    const Index j = static_cast<Index>(frame_.fresh_key() % static_cast<std::uint64_t>(n_));
    const double r = std::min({tune_.probe_reach * radius_, rule_.largest(), cap_[static_cast<std::size_t>(j)]});
    const Vector centre = frame_.centre(x_, r);
    now_.asks.push_back({centre, -1, 0, frame_.fresh_key()});
    for (const double side : {r, -r, 0.5 * r, -0.5 * r})
      now_.asks.push_back(frame_.along(centre, j, side, frame_.fresh_key()));
  }
}

}  // namespace zeroth::adaptive
