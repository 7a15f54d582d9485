// SPDX-License-Identifier: MIT
#include "zeroth/solvers/conex/conex_position.hpp"

#include <algorithm>

namespace zeroth {
namespace {

ProxIterate::Rule rule_for(const Spec& spec, const ConexOptions& options) {
  ProxIterate::Rule rule = rule_of(options.estimator, spec);
  const bool described = worth_describing(options.estimator, spec);
  rule.centred = described && options.measure_distance;
  if (options.precision == "float")
    rule.precision = described ? StoredVector::Precision::single : StoredVector::Precision::rounded;
  return rule;
}

}  // namespace

ConexPosition::ConexPosition(const Spec& spec, const ConexOptions& options, Incumbent& incumbent)
    : functions_(spec.functions()),
      described_(worth_describing(options.estimator, spec)),
      iterate_(spec.domain, rule_for(spec, options), spec.first_point()),
      answered_(iterate_.x()),
      incumbent_(incumbent),
      change_(Vector::Zero(functions_)),
      moved_(iterate_.block()) {
  incumbent.x.resize(spec.dimension());
  iterate_.x().load(0, incumbent.x);
  if (described_) refreshed_.emplace(incumbent, iterate_);
}

void ConexPosition::retreat() {
  iterate_.settle();
  const Index n = iterate_.dimension(), block = std::min<Index>(n, 4096);
  Vector here(block), there(block);
  for (Index begin = 0; begin < n; begin += block) {
    auto now = here.head(std::min(block, n - begin)), before = there.head(now.size());
    iterate_.x().load(begin, now);
    answered_.load(begin, before);
    now = 0.5 * (now + before);
    iterate_.x().store(begin, now);
  }
  iterate_.replaced();
}

double ConexPosition::distance_from(const Vector& start) const {
  if (x().size() > 0) return iterate_.domain().distance(x(), start);
  const Index n = iterate_.dimension(), block = iterate_.block();
  Vector part(block);
  double sum = 0;
  for (Index begin = 0; begin < n; begin += block) {
    auto now = part.head(std::min(block, n - begin));
    iterate_.x().load(begin, now);
    sum += (now - start.segment(begin, now.size())).squaredNorm();
  }
  return 0.5 * sum;
}

double ConexPosition::squared_gradient(const GradientSample& G, const Vector& y) const {
  const Index n = iterate_.dimension(), block = iterate_.block();
  thread_local Vector direction;
  direction.resize(block);
  double squared = 0;
  for (Index begin = 0; begin < n; begin += block) {
    auto d = direction.head(std::min(block, n - begin));
    G.combine(y, begin, d);
    squared += d.squaredNorm();
  }
  return squared;
}

void ConexPosition::move(const GradientSample& G_bar, double share, const auto& gradient_part, double eta) {
  change_.setZero();
  iterate_.step(eta, gradient_part, [&](Index begin, const auto& now, const auto& next) {
    auto moved = moved_.head(now.size());
    moved = next - now;
    G_bar.add_along(moved, begin, change_);
    answered_.store(begin, now);
    auto average = incumbent_.x.segment(begin, now.size());
    average += share * (next - average);  // 7, kept as a running average
  });
}

void ConexPosition::step(const GradientSample& G, const GradientSample& G_bar, const Vector& y, double eta,
                         double share) {
  if (!described_) {
    move(
        G_bar, share, [&](Index begin, Eigen::Ref<Vector> v) { G.combine(y, begin, v); }, eta);
    return;
  }
  iterate_.settle();
  G.directions_of(y, along_);
  G_bar_ = G_bar;
  iterate_.moved(ProxIterate::words_of(along_, eta), [this, eta, share] {
    move(
        *G_bar_, share, [&](Index begin, Eigen::Ref<Vector> v) { iterate_.combine(along_, begin, v); }, eta);
  });
}

const Vector& ConexPosition::change() {
  iterate_.settle();
  return change_;
}

}  // namespace zeroth
