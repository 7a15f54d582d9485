// SPDX-License-Identifier: MIT
#include "zeroth/core/sets/nearest_point.hpp"

#include <Eigen/Jacobi>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace zeroth {
namespace {

constexpr double dependent = 1e-10;      // what remains of a unit normal that is a combination of others
constexpr double feasible = 1e-13;       // relative to the size of the numbers
constexpr double as_good_as_met = 1e-9;  // a dependent row violated by no more than this is no contradiction

}  // namespace

NearestPoint::NearestPoint(const Matrix& rows, const Vector& low, const Vector& high, const Vector& cap, bool bounds)
    : scale_(rows.rows()), rows_(rows), low_(low), high_(high), cap_(cap), bounds_(bounds) {
  const Index n = rows.cols();
  for (Index k = 0; k < rows.rows(); ++k) {
    const double length = rows.row(k).norm();
    scale_[k] = length > 0 ? 1 / length : 1;
    rows_.row(k) *= scale_[k];
    low_[k] *= scale_[k];
    high_[k] *= scale_[k];
    cap_[k] *= 1 / scale_[k];
  }
  const Index all = rows.rows() + (bounds ? n : 0);
  assert(low.size() == all && high.size() == all && cap.size() == all);
  state_.assign(static_cast<std::size_t>(all), State::idle);
  side_.assign(static_cast<std::size_t>(all), 0);
  settled_.assign(static_cast<std::size_t>(all), 0);
  y_ = Vector::Zero(all);
}

void NearestPoint::normal_of(Index k, Vector& out) const {
  if (k < rows_.rows()) out = rows_.row(k).transpose();
  else out = Vector::Unit(rows_.cols(), k - rows_.rows());
}

Vector NearestPoint::products(const Vector& w) const {
  Vector all(count());
  all.head(rows_.rows()).noalias() = rows_ * w;
  if (bounds_) all.tail(w.size()) = w;
  return all;
}

NearestPoint::Range NearestPoint::range_of(Index k) const {
  if (low_[k] == high_[k]) return {-cap_[k], cap_[k]};
  return side_[static_cast<std::size_t>(k)] > 0 ? Range{0, cap_[k]} : Range{-cap_[k], 0};
}

double NearestPoint::tolerance_of(double end) const {
  return feasible * (1 + std::abs(end) + w_.lpNorm<Eigen::Infinity>());
}

// Gram-Schmidt, twice: the second pass makes the remainder orthogonal to rounding.
bool NearestPoint::reduce(const Vector& normal) {
  const auto size = static_cast<Index>(working_.size());
  rest_ = normal;
  along_ = Vector::Zero(size);
  for (int pass = 0; pass < 2 && size > 0; ++pass) {
    const Vector part = q_.leftCols(size).transpose() * rest_;
    rest_.noalias() -= q_.leftCols(size) * part;
    along_ += part;
  }
  rest_length_ = rest_.norm();
  return size < normal.size() && rest_length_ > dependent;
}

void NearestPoint::append(Index k) {
  const auto size = static_cast<Index>(working_.size());
  if (q_.cols() <= size) {
    const Index room = std::min(rows_.cols(), std::max<Index>(8, 2 * size));
    q_.conservativeResize(rows_.cols(), room);
    r_.conservativeResize(room, room);
  }
  q_.col(size) = rest_ / rest_length_;
  r_.col(size).head(size) = along_;
  r_(size, size) = rest_length_;
  working_.push_back(k);
  state_[static_cast<std::size_t>(k)] = State::active;
  ++changes_;
}

void NearestPoint::remove(Index position) {
  const auto size = static_cast<Index>(working_.size());
  for (Index j = position; j + 1 < size; ++j) r_.col(j).head(j + 2) = r_.col(j + 1).head(j + 2);
  for (Index j = position; j + 1 < size; ++j) {
    Eigen::JacobiRotation<double> turn;
    turn.makeGivens(r_(j, j), r_(j + 1, j));
    r_.middleCols(j, size - 1 - j).applyOnTheLeft(j, j + 1, turn.adjoint());
    r_(j + 1, j) = 0;
    q_.applyOnTheRight(j, j + 1, turn);
  }
  working_.erase(working_.begin() + position);
  std::ranges::fill(settled_, 0);
  ++changes_;
}

void NearestPoint::refresh() {
  const auto size = static_cast<Index>(working_.size());
  Vector base = from_;
  for (Index k = 0; k < count(); ++k) {
    if (state_[static_cast<std::size_t>(k)] == State::idle) y_[k] = 0;
    if (state_[static_cast<std::size_t>(k)] != State::capped) continue;
    if (k < rows_.rows()) base -= y_[k] * rows_.row(k).transpose();
    else base[k - rows_.rows()] -= y_[k];
  }
  w_ = base;
  if (size == 0) return;
  Vector ends(size);
  for (Index j = 0; j < size; ++j) ends[j] = end_of(working_[static_cast<std::size_t>(j)]);
  const auto triangle = r_.topLeftCorner(size, size).triangularView<Eigen::Upper>();
  const auto basis = q_.leftCols(size);
  const Vector wanted = triangle.transpose().solve(ends);
  w_ += basis * (wanted - basis.transpose() * base);
  w_ += basis * (wanted - basis.transpose() * w_);  // once more, against the rounding of the first
  for (Index j = 0; j < size; ++j) {
    const Index k = working_[static_cast<std::size_t>(j)];
    if (k >= rows_.rows()) w_[k - rows_.rows()] = ends[j];  // a bound is met to the last bit
  }
  const Vector y = triangle.solve(basis.transpose() * (base - w_));
  for (Index j = 0; j < size; ++j) y_[working_[static_cast<std::size_t>(j)]] = y[j];
}

// A guess becomes a start once every multiplier has the sign that its side asks for: wrong ones leave, worst first.
void NearestPoint::begin(const std::vector<std::int8_t>& guess) {
  Vector normal;
  const auto take = [&](Index k, int side) {
    if (!std::isfinite(side > 0 ? high_[k] : low_[k]) || working_.size() >= static_cast<std::size_t>(rows_.cols()))
      return;
    normal_of(k, normal);
    if (!reduce(normal) || rest_length_ < 1e-6) return;
    side_[static_cast<std::size_t>(k)] = static_cast<std::int8_t>(side);
    append(k);
  };
  if (guess.size() == state_.size()) {
    for (Index k = count() - 1; k >= 0; --k)  // bounds first: unit vectors are orthogonal to each other
      if (guess[static_cast<std::size_t>(k)] != 0) take(k, guess[static_cast<std::size_t>(k)]);
  } else if (bounds_) {
    for (Index i = 0; i < rows_.cols(); ++i) {
      const Index k = rows_.rows() + i;
      if (from_[i] > high_[k]) take(k, 1);
      else if (from_[i] < low_[k]) take(k, -1);
    }
  }
  for (;;) {
    refresh();
    Index worst = -1;
    double excess = 0;
    for (std::size_t j = 0; j < working_.size(); ++j) {
      const auto [least, most] = range_of(working_[j]);
      const double y = y_[working_[j]], beyond = std::max(least - y, y - most);
      if (beyond > excess) {
        excess = beyond;
        worst = static_cast<Index>(j);
      }
    }
    if (worst < 0) break;
    const Index k = working_[static_cast<std::size_t>(worst)];
    const auto [least, most] = range_of(k);
    const bool at_cap = std::isfinite(cap_[k]) && cap_[k] > 0 && (y_[k] > most ? most : least) != 0;
    remove(worst);
    state_[static_cast<std::size_t>(k)] = at_cap ? State::capped : State::idle;
    y_[k] = at_cap ? std::clamp(y_[k], least, most) : 0;
  }
}

NearestPoint::Entering NearestPoint::most_violated() const {
  Entering worst;
  const Vector values = products(w_);
  const auto offer = [&](Index k, double direction, double violation, double end) {
    if (violation > worst.violation && violation > tolerance_of(end)) worst = {k, direction, violation};
  };
  for (Index k = 0; k < count(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (state_[i] == State::active || settled_[i]) continue;
    if (state_[i] == State::idle) {
      offer(k, 1, values[k] - high_[k], high_[k]);
      offer(k, -1, low_[k] - values[k], low_[k]);
    } else if (y_[k] > 0) {
      offer(k, -1, high_[k] - values[k], high_[k]);  // at its cap although it is satisfied
    } else {
      offer(k, 1, values[k] - low_[k], low_[k]);
    }
  }
  return worst;
}

// Moves the entering constraint's multiplier until it is met, or cannot go on; those that block on the way leave.
NearestPoint::Step NearestPoint::enter(const Entering& entering) {
  const Index p = entering.k;
  const auto i = static_cast<std::size_t>(p);
  const double direction = entering.direction;
  if (state_[i] == State::idle) side_[i] = static_cast<std::int8_t>(direction > 0 ? 1 : -1);
  else if (low_[p] != high_[p]) side_[i] = static_cast<std::int8_t>(y_[p] > 0 ? 1 : -1);
  Vector normal;
  normal_of(p, normal);
  double violation = entering.violation;
  for (;;) {
    const auto size = static_cast<Index>(working_.size());
    const bool moves = reduce(normal);
    Vector r;
    if (size > 0) r = r_.topLeftCorner(size, size).triangularView<Eigen::Upper>().solve(along_);
    const double full = moves ? violation / (rest_length_ * rest_length_) : infinity;
    const auto [least, most] = range_of(p);
    const double own = direction > 0 ? most - y_[p] : y_[p] - least;
    double blocked = infinity;
    Index blocking = -1;
    for (Index j = 0; j < size; ++j) {
      const Index k = working_[static_cast<std::size_t>(j)];
      const double rate = -direction * r[j];
      if (std::abs(rate) < 1e-14) continue;
      const auto [low, high] = range_of(k);
      const double room = rate > 0 ? (high - y_[k]) / rate : (low - y_[k]) / rate;
      if (room < blocked) {
        blocked = std::max(room, 0.0);
        blocking = j;
      }
    }
    const double step = std::min({full, own, blocked});
    if (std::isinf(step)) {
      if (violation <= as_good_as_met * (1 + std::abs(end_of(p)) + w_.lpNorm<Eigen::Infinity>())) {
        settled_[i] = 1;
        return Step::left;
      }
      conflict_ = Vector::Zero(count());
      conflict_[p] = direction;
      for (Index j = 0; j < size; ++j) conflict_[working_[static_cast<std::size_t>(j)]] = -direction * r[j];
      for (Index k = 0; k < rows_.rows(); ++k) conflict_[k] *= scale_[k];
      return Step::impossible;
    }
    y_[p] += direction * step;
    for (Index j = 0; j < size; ++j) y_[working_[static_cast<std::size_t>(j)]] -= direction * step * r[j];
    if (moves) {
      w_ -= (direction * step) * rest_;
      violation -= step * rest_length_ * rest_length_;
    }
    if (step == full) {
      append(p);
      return Step::entered;
    }
    if (step == own) {
      y_[p] = direction > 0 ? most : least;
      state_[i] = y_[p] == 0 ? State::idle : State::capped;
      ++changes_;
      return Step::left;
    }
    const Index k = working_[static_cast<std::size_t>(blocking)];
    const auto [low, high] = range_of(k);
    y_[k] = -direction * r[blocking] > 0 ? high : low;
    state_[static_cast<std::size_t>(k)] = y_[k] == 0 ? State::idle : State::capped;
    remove(blocking);
  }
}

NearestPoint::Outcome NearestPoint::find(const Vector& from, const std::vector<std::int8_t>& guess) {
  from_ = from;
  for (Index k = 0; k < count(); ++k)
    if (low_[k] > high_[k]) {
      conflict_ = Vector::Zero(count());
      conflict_[k] = k < rows_.rows() ? scale_[k] : 1;
      w_ = from;
      return Outcome::impossible;
    }
  for (Index k = 0; k < rows_.rows(); ++k) {  // a row of zeros cannot enter, only contradict
    if (rows_.row(k).squaredNorm() > 0) continue;
    settled_[static_cast<std::size_t>(k)] = 1;
    if ((low_[k] > 0 || high_[k] < 0) && std::isinf(cap_[k])) {
      conflict_ = Vector::Zero(count());
      conflict_[k] = high_[k] < 0 ? 1 : -1;
      w_ = from;
      return Outcome::impossible;
    }
  }
  const std::vector<std::uint8_t> always_settled = settled_;
  begin(guess);
  settled_ = always_settled;
  const int most_changes = 200 + 40 * static_cast<int>(count() + rows_.cols());
  bool fresh = true;
  while (changes_ < most_changes) {
    const Entering next = most_violated();
    if (next.k < 0) {
      if (fresh) return Outcome::found;
      refresh();
      fresh = true;
      continue;
    }
    fresh = false;
    const Step step = enter(next);
    if (step == Step::impossible) return Outcome::impossible;
    for (std::size_t i = 0; i < settled_.size(); ++i) settled_[i] |= always_settled[i];
  }
  refresh();
  return Outcome::stalled;
}

Vector NearestPoint::multipliers() const {
  Vector y = y_;
  for (Index k = 0; k < count(); ++k) {
    if (state_[static_cast<std::size_t>(k)] == State::idle) {
      y[k] = 0;
      continue;
    }
    const auto [least, most] = range_of(k);
    y[k] = std::clamp(y[k], least, most);  // rounding may have left it a little outside
    if (k < rows_.rows()) y[k] *= scale_[k];
  }
  return y;
}

std::vector<std::int8_t> NearestPoint::working_set() const {
  std::vector<std::int8_t> set(state_.size(), 0);
  for (std::size_t i = 0; i < set.size(); ++i)
    if (state_[i] != State::idle) set[i] = side_[i];
  return set;
}

}  // namespace zeroth
