// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/basis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace zeroth::adaptive {

Basis::Basis(Index n, std::uint64_t key)
    : n_(n), order_(static_cast<std::size_t>(n)), sign_(static_cast<std::size_t>(n)) {
  std::iota(order_.begin(), order_.end(), 0u);
  Rng rng(key);
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[rng.below(i)]);
  for (auto& s : sign_) s = rng.below(2) == 0 ? 1 : -1;
}

void Basis::direction(Index k, Vector& u) const {
  u.resize(n_);
  const double n = static_cast<double>(n_);
  const auto frequency = static_cast<std::uint64_t>(order_[static_cast<std::size_t>(k)]);
  const double scale = 1 / std::sqrt(n);
  const double turn = 2 * std::numbers::pi * static_cast<double>(frequency) / n;
  const double turn_cos = std::cos(turn), turn_sin = std::sin(turn);
  double c = 1, s = 0;
  for (Index j = 0; j < n_; ++j) {
    if (j % 64 == 0) {  // the rotation below is exact to a few units in the last place over 64 steps
      const auto phase = frequency * static_cast<std::uint64_t>(j) % static_cast<std::uint64_t>(n_);
      const double angle = 2 * std::numbers::pi * static_cast<double>(phase) / n;
      c = std::cos(angle);
      s = std::sin(angle);
    }
    u[j] = scale * sign_[static_cast<std::size_t>(j)] * (c + s);
    const double next = c * turn_cos - s * turn_sin;
    s = s * turn_cos + c * turn_sin;
    c = next;
  }
}

// cos(a + b) + sin(a + b) = cos a (cos b + sin b) + sin a (cos b - sin b): the angles b of 64 elements are the same in
// every stretch of 64, so that a stretch costs two multiplications an element.
void Basis::part(Index k, Index begin, Eigen::Ref<Vector> u) const {
  constexpr Index stretch = 64;
  using Stretch = Eigen::Array<double, stretch, 1>;
  const double n = static_cast<double>(n_), scale = 1 / std::sqrt(n);
  const auto frequency = static_cast<std::uint64_t>(order_[static_cast<std::size_t>(k)]);
  const auto angle_of = [&](Index j) {
    const auto phase = frequency * static_cast<std::uint64_t>(j) % static_cast<std::uint64_t>(n_);
    return 2 * std::numbers::pi * static_cast<double>(phase) / n;
  };
  const double turn_cos = std::cos(angle_of(1)), turn_sin = std::sin(angle_of(1));
  Stretch both, apart;
  double c = scale, s = 0;
  for (Index j = 0; j < stretch; ++j) {
    both[j] = c + s;
    apart[j] = c - s;
    const double next = c * turn_cos - s * turn_sin;
    s = s * turn_cos + c * turn_sin;
    c = next;
  }
  for (Index j = 0; j < u.size(); j += stretch) {
    const Index size = std::min(stretch, u.size() - j);
    const double a = angle_of(begin + j), cosine = std::cos(a), sine = std::sin(a);
    const signed char* const sign = sign_.data() + begin + j;
    double* const out = u.data() + j;
    for (Index i = 0; i < size; ++i) out[i] = sign[i] * (cosine * both[i] + sine * apart[i]);
  }
}

Matrix Basis::matrix() const {
  Matrix q(n_, n_);
  Vector u;
  for (Index k = 0; k < n_; ++k) {
    direction(k, u);
    q.col(k) = u;
  }
  return q;
}

double Basis::largest_entry() const { return std::min(1.0, std::sqrt(2 / static_cast<double>(n_))); }

Vector scales(const Domain& domain, const Vector& start) {
  // The corners of a box are where very large points project to; sets without corners answer with their own size.
  constexpr double far = 1e150;
  Vector high = Vector::Constant(start.size(), far), low = -high;
  domain.project(high);
  domain.project(low);
  Vector scale(start.size());
  for (Index j = 0; j < scale.size(); ++j) {
    const double width = high[j] - low[j];
    const double fallback = std::max(1.0, std::abs(start[j]));
    scale[j] = std::isfinite(width) && width > 0 && width < 1e100 ? 0.5 * width : fallback;
  }
  return scale;
}

}  // namespace zeroth::adaptive
