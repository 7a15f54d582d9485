// SPDX-License-Identifier: MIT
#include "zeroth/core/estimator.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "zeroth/core/signs.hpp"

namespace zeroth {
namespace {

struct EstimatorLabel {
  enum : std::uint64_t { direction, noise };
};

std::span<double> block_of(Vector& v, Index begin, Index size) {
  return {v.data() + begin, static_cast<std::size_t>(size)};
}

std::vector<std::uint8_t> flags(const std::vector<Index>& members, Index functions) {
  if (static_cast<Index>(members.size()) == functions) return {};  // all: the short form
  std::vector<std::uint8_t> wanted(static_cast<std::size_t>(functions), 0);
  for (Index i : members) wanted[static_cast<std::size_t>(i)] = 1;
  return wanted;
}

}  // namespace

GradientSample::GradientSample(const Spec& spec, const Estimator& estimator, std::vector<double> nu,
                               std::vector<Index> functions, ProxIterate* iterate)
    : domain_(spec.defined_everywhere ? Domain::whole_space(spec.dimension()) : spec.domain),
      inside_only_(!spec.defined_everywhere),
      estimator_(estimator),
      functions_(std::move(functions)),
      draws_(static_cast<std::size_t>(estimator.batch)),
      values_(static_cast<std::size_t>(spec.functions()), 0),
      past_(values_),
      iterate_(iterate) {
  assert(static_cast<Index>(nu.size()) == spec.functions());
  const Index n = spec.dimension();

  std::vector<Probe> pattern;  // of one draw
  for (const Index i : functions_) {
    const double radius = nu[static_cast<std::size_t>(i)];
    const auto same =
        std::ranges::find_if(pattern, [&](const Probe& p) { return estimator_.shared_directions && p.nu == radius; });
    if (same != pattern.end()) {
      same->members.push_back(i);
      continue;
    }
    Probe probe;
    probe.members = {i};
    probe.nu = radius;
    pattern.push_back(std::move(probe));
  }
  probes_per_draw_ = pattern.size();
  const bool forward = estimator_.difference == "forward";
  shared_base_ = forward && !inside_only_;
  paired_ = estimator_.difference == "central" || (forward && inside_only_);
  base_wanted_ = flags(functions_, spec.functions());

  // A pair slid into X may have its step cut, so there each probe keeps its own copy of a shared direction.
  copies_ = estimator_.shared_directions && inside_only_ ? std::max<std::size_t>(1, pattern.size()) : 1;
  const std::size_t directions_per_draw = estimator_.shared_directions ? copies_ : pattern.size();
  if (!iterate_) directions_.assign(draws_ * directions_per_draw, Vector(n));
  if (inside_only_ && !iterate_) step_.resize(n);
  at_x_ = {iterate_, {0, 0, ProxIterate::base}};
  for (std::size_t k = 0; k < draws_; ++k) {
    for (std::size_t p = 0; p < pattern.size(); ++p) {
      Probe probe = pattern[p];
      probe.wanted = flags(probe.members, spec.functions());
      probe.direction = k * directions_per_draw + (estimator_.shared_directions ? p % copies_ : p);
      probe.slopes.assign(probe.members.size(), 0);
      if (!iterate_) probe.forward.resize(n);
      if (!iterate_ && paired_) probe.backward.resize(n);
      calls_ += static_cast<std::int64_t>(probe.members.size()) * (paired_ ? 2 : 1);
      probes_.push_back(std::move(probe));
    }
    if (shared_base_) calls_ += static_cast<std::int64_t>(functions_.size());
  }
  if (!functions_.empty()) queries_ = draws_ * (pattern.size() * (paired_ ? 2 : 1) + (shared_base_ ? 1 : 0));
}

// Directions and points are made together, in blocks that stay in cache: at n = 10^6 memory traffic is what costs.
void GradientSample::draw(const Vector& x, std::uint64_t key) {
  const Index n = x.size();
  const bool signs = estimator_.directions == "signs";
  if (estimator_.directions == "gaussian" || signs) {
    constexpr Index block = 2048;
    for (std::size_t d = 0; d < directions_.size(); d += copies_) {
      const std::uint64_t stream = derive_key(key, EstimatorLabel::direction, d);
      for (Index begin = 0; begin < n; begin += block) {
        const Index size = std::min(block, n - begin);
        const auto part = block_of(directions_[d], begin, size);
        if (signs) fill_signs(stream, part, static_cast<std::uint64_t>(begin));
        else fill_normal(stream, part, static_cast<std::uint64_t>(begin));
        if (inside_only_) continue;
        for (Probe& p : probes_) {
          if (p.direction != d) continue;
          p.forward.segment(begin, size) = x.segment(begin, size) + p.nu * directions_[d].segment(begin, size);
          if (paired_)
            p.backward.segment(begin, size) = x.segment(begin, size) - p.nu * directions_[d].segment(begin, size);
        }
      }
    }
  } else {
    for (std::size_t d = 0; d < directions_.size(); d += copies_)
      fill_normal(derive_key(key, EstimatorLabel::direction, d), block_of(directions_[d], 0, n));
    if (estimator_.directions == "sphere") {
      const double length = std::sqrt(static_cast<double>(n));
      for (std::size_t d = 0; d < directions_.size(); d += copies_) directions_[d] *= length / directions_[d].norm();
    } else {
      orthonormalize();
    }
  }
  for (std::size_t d = 0; d < directions_.size(); ++d)
    if (d % copies_ != 0) directions_[d] = directions_[d - d % copies_];
  if (inside_only_ || (estimator_.directions != "gaussian" && !signs))
    for (Probe& p : probes_) place(x, p);
}

// Frames of at most n directions, uniformly distributed: the Q factor of a Gaussian matrix with the signs of R undone.
void GradientSample::orthonormalize() {
  const Index n = directions_.front().size();
  const double length = std::sqrt(static_cast<double>(n));
  const std::size_t total = directions_.size() / copies_;
  for (std::size_t begin = 0; begin < total; begin += static_cast<std::size_t>(n)) {
    const auto count = static_cast<Index>(std::min(total - begin, static_cast<std::size_t>(n)));
    const auto direction = [&](Index c) -> Vector& {
      return directions_[(begin + static_cast<std::size_t>(c)) * copies_];
    };
    Matrix frame(n, count);
    for (Index c = 0; c < count; ++c) frame.col(c) = direction(c);
    const Eigen::HouseholderQR<Matrix> qr(frame);
    const Matrix q = qr.householderQ() * Matrix::Identity(n, count);
    for (Index c = 0; c < count; ++c) direction(c) = (qr.matrixQR()(c, c) < 0 ? -length : length) * q.col(c);
  }
}

void GradientSample::place(const Vector& x, Probe& p) {
  Vector& u = directions_[p.direction];
  if (!inside_only_) {
    p.forward = x + p.nu * u;
    if (paired_) p.backward = x - p.nu * u;
    return;
  }
  const bool central = estimator_.difference == "central";
  Vector& base = p.forward;
  base = x;
  step_ = p.nu * u;
  domain_.make_room(base, step_, central);
  u = step_ / p.nu;  // a cut step is the direction that was really used
  if (paired_) {
    p.backward = base;
    if (central) p.backward -= step_;
    domain_.project(p.backward);  // rounding only: the pair already fits
  }
  p.forward += step_;
  domain_.project(p.forward);
  if (estimator_.difference == "one-point") u = (p.forward - x) / p.nu;
}

void GradientSample::propose(const Vector& x, std::uint64_t key, std::vector<Query>& batch) {
  summed_.clear();
  if (functions_.empty()) return;
  if (iterate_) describe(key);
  else draw(x, key);
  const auto ask = [&](const Vector& point, const DescribedPoint& description, std::uint64_t noise,
                       const std::vector<std::uint8_t>& wanted) {
    if (iterate_) batch.push_back({{}, noise, wanted, {}, false, &description});
    else batch.push_back({as_span(point), noise, wanted});
  };
  for (std::size_t k = 0; k < draws_; ++k) {
    const std::uint64_t noise = noise_key(key, EstimatorLabel::noise, k);
    if (shared_base_) ask(x, at_x_, noise, base_wanted_);
    for (std::size_t j = k * probes_per_draw_; j < (k + 1) * probes_per_draw_; ++j) {
      const Probe& p = probes_[j];
      ask(p.forward, p.ahead, noise, p.wanted);
      if (paired_) ask(p.backward, p.behind, noise, p.wanted);
    }
  }
}

bool GradientSample::read(std::span<const Answer> answers) {
  assert(answers.size() == queries_);
  if (std::ranges::any_of(answers, [](const Answer& a) { return a.failed(); })) return false;
  for (const Index i : functions_) values_[static_cast<std::size_t>(i)] = 0;
  const bool central = estimator_.difference == "central";
  const bool compared_with_past = estimator_.difference == "one-point" && estimator_.baseline;
  const double share = 1 / static_cast<double>(draws_);
  std::size_t next = 0;
  for (std::size_t k = 0; k < draws_; ++k) {
    const Answer* base = shared_base_ ? &answers[next++] : nullptr;
    for (std::size_t j = k * probes_per_draw_; j < (k + 1) * probes_per_draw_; ++j) {
      Probe& p = probes_[j];
      const Answer& forward = answers[next++];
      const Answer* backward = paired_ ? &answers[next++] : base;
      for (std::size_t q = 0; q < p.members.size(); ++q) {
        const auto i = static_cast<std::size_t>(p.members[q]);
        const double ahead = forward.values[i];
        const double behind = backward ? backward->values[i] : compared_with_past ? past_[i] : 0;
        p.slopes[q] = (ahead - behind) / (central ? 2 * p.nu : p.nu);
        if (compared_with_past && pasts_ == 0) p.slopes[q] = 0;
        values_[i] += share * (central ? 0.5 * (ahead + behind) : ahead);
      }
    }
  }
  if (compared_with_past) {
    const double weight = std::max(0.1, 1 / ++pasts_);  // x moves on: about the last ten samples count
    for (const Index i : functions_) {
      const auto k = static_cast<std::size_t>(i);
      past_[k] += weight * (values_[k] - past_[k]);
    }
  }
  return true;
}

void GradientSample::propose_sums(const Vector& x, std::uint64_t key, const Vector& weights,
                                  std::vector<Query>& batch) {
  assert(can_sum() && estimator_.difference != "one-point");
  propose(x, key, batch);
  for (Query& q : std::span(batch).last(queries_)) {
    q.weights = as_span(weights);
    summed_.push_back(q);
  }
}

bool GradientSample::read_sums(std::span<const Answer> answers) {
  assert(answers.size() == summed_.size());
  if (std::ranges::any_of(answers, [](const Answer& a) { return a.failed(); })) return false;
  const bool central = estimator_.difference == "central";
  std::size_t next = 0;
  const auto sum = [&] {
    const std::size_t k = next++;
    return weighted_sum(summed_[k], answers[k]);
  };
  for (Probe& p : probes_) {
    const double base = shared_base_ ? sum() : 0;
    const double ahead = sum(), behind = paired_ ? sum() : base;
    p.summed_slope = (ahead - behind) / (central ? 2 * p.nu : p.nu);
  }
  return true;
}

double GradientSample::value(Index function) const { return values_[static_cast<std::size_t>(function)]; }

double GradientSample::squared_slope(Index function) const {
  double sum = 0;
  for (const Probe& p : probes_)
    for (std::size_t q = 0; q < p.members.size(); ++q)
      if (p.members[q] == function) sum += p.slopes[q] * p.slopes[q];
  return sum / static_cast<double>(draws_);
}

void GradientSample::direction_part(const Probe& p, Index begin, Eigen::Ref<Vector> u) const {
  if (iterate_) iterate_->direction(p.key, p.nu, begin, u);
  else u = directions_[p.direction].segment(begin, u.size());
}

void GradientSample::add_along(const Eigen::Ref<const Vector>& step, Index begin, Vector& result) const {
  if (estimator_.directions == "signs") return add_along_signs(step, begin, result);
  thread_local Vector drawn;
  if (iterate_) drawn.resize(step.size());
  for (const Probe& p : probes_) {
    if (iterate_) iterate_->direction(p.key, p.nu, begin, drawn);
    const double product = iterate_ ? drawn.dot(step) : directions_[p.direction].segment(begin, step.size()).dot(step);
    const double length = product / static_cast<double>(draws_);
    for (std::size_t q = 0; q < p.members.size(); ++q) result[p.members[q]] += p.slopes[q] * length;
  }
}

// Adding up signs costs less than drawing them one direction after the other, so G_i is made first where there are more
// directions than functions.
void GradientSample::add_along_signs(const Eigen::Ref<const Vector>& step, Index begin, Vector& result) const {
  thread_local Vector sum, weights;
  sum.resize(step.size());
  weights.setZero(result.size());
  if (probes_.size() > functions_.size() && can_sum()) {
    for (const Index i : functions_) {
      weights[i] = 1;
      combine(weights, begin, sum);
      result[i] += sum.dot(step);
      weights[i] = 0;
    }
    return;
  }
  for (const Probe& p : probes_) {
    direction_part(p, begin, sum);
    const double length = sum.dot(step) / static_cast<double>(draws_);
    for (std::size_t q = 0; q < p.members.size(); ++q) result[p.members[q]] += p.slopes[q] * length;
  }
}

double GradientSample::weighted_slope(const Probe& p, const Vector& weights) const {
  double slope = 0;
  if (!summed_.empty()) slope = p.summed_slope;
  else
    for (std::size_t q = 0; q < p.members.size(); ++q) slope += weights[p.members[q]] * p.slopes[q];
  return slope / static_cast<double>(draws_);
}

void GradientSample::directions_of(const Vector& weights, std::vector<ProxIterate::Along>& along) const {
  assert(summed_.empty() || weights.data() == summed_.front().weights.data());
  along.clear();
  for (const Probe& p : probes_) along.push_back({p.key, p.nu, weighted_slope(p, weights)});
}

void GradientSample::combine(const Vector& weights, Index begin, Eigen::Ref<Vector> gradient) const {
  if (iterate_) {
    thread_local std::vector<ProxIterate::Along> along;
    directions_of(weights, along);
    return iterate_->combine(along, begin, gradient);
  }
  assert(summed_.empty() || weights.data() == summed_.front().weights.data());
  bool first = true;
  for (const Probe& p : probes_) {
    const double slope = weighted_slope(p, weights);
    if (first) gradient = slope * directions_[p.direction].segment(begin, gradient.size());
    else gradient += slope * directions_[p.direction].segment(begin, gradient.size());
    first = false;
  }
}

void GradientSample::describe(std::uint64_t key) {
  for (Probe& p : probes_) {
    p.key = derive_key(key, EstimatorLabel::direction, p.direction - p.direction % copies_);
    p.ahead = {iterate_, {p.key, word_of(p.nu), ProxIterate::forward}};
    p.behind = {iterate_, {p.key, word_of(p.nu), ProxIterate::backward}};
  }
}

ProxIterate::Rule rule_of(const Estimator& e, const Spec& spec) {
  ProxIterate::Rule rule;
  rule.law = e.directions == "signs"      ? ProxIterate::Law::signs
             : e.directions == "gaussian" ? ProxIterate::Law::gaussian
                                          : ProxIterate::Law::other;
  rule.difference = e.difference == "central"     ? ProxIterate::Difference::central
                    : e.difference == "one-point" ? ProxIterate::Difference::one_point
                                                  : ProxIterate::Difference::forward;
  rule.inside_only = !spec.defined_everywhere;
  return rule;
}

bool worth_describing(const Estimator& e, const Spec& spec) {
  constexpr Index many = 1000, very_many = 100'000;  // a normal vector costs some twenty times one of signs
  if (!spec.described_points || !spec.domain.separable()) return false;
  return (e.directions == "signs" && spec.dimension() > many) ||
         (e.directions == "gaussian" && spec.dimension() >= very_many);
}

}  // namespace zeroth
