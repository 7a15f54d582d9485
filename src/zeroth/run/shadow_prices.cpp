// SPDX-License-Identifier: MIT
#include "zeroth/run/shadow_prices.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "zeroth/core/statistics/binomial.hpp"

namespace zeroth {
namespace {

constexpr std::size_t most_log_numbers = std::size_t{1} << 22;  // 32 MB
constexpr std::size_t most_used = 4000;                         // evaluations, the nearest ones
constexpr Index most_priced_variables = 100, full_quadratics = 6, squares_alone = 30;
constexpr double bandwidths[]{0.02, 0.04, 0.08, 0.16, 0.32, 0.64};  // of a variable's range
constexpr int price_draws = 400;
constexpr double price_agreement = 2.2;  // errors of the narrower surroundings
constexpr double chosen_widely = 1.2;    // errors are larger where the surroundings were chosen by the data
constexpr std::uint64_t price_label = 0x7072696365;

// One column of what is regressed on the variables: its mean; the logarithmic odds of a 1; or its quantile, or the mean
// beyond that, at 1 - share.
struct Response {
  enum class Kind : std::uint8_t { mean, odds, quantile, tail };
  Vector values;
  Kind kind = Kind::mean;
  double share = 0;
};

// How a response changes at x, and by how much each evaluation moved that.
struct Slope {
  double level = 0;
  Vector gradient;
  Matrix influence;  // evaluations x (level, gradient)
  Vector fitted, error;
  // Of a quantile: the density of the values there, and each evaluation's part in it.
  double density = 0;
  Vector density_influence = {};
};

struct Surroundings {
  Matrix features;  // evaluations x (1, linear, quadratic)
  Vector weights;
  double size = 1;  // bandwidth: features are in its units
};

Matrix features_of(const Matrix& u) {
  const Index n = u.cols();
  const Index cross = n <= full_quadratics ? n * (n - 1) / 2 : 0, squares = n <= squares_alone ? n : 0;
  Matrix out(u.rows(), 1 + n + squares + cross);
  out.col(0).setOnes();
  out.middleCols(1, n) = u;
  if (squares > 0) out.middleCols(1 + n, n) = u.cwiseAbs2();
  Index column = 1 + n + squares;
  for (Index a = 0; a < n && cross > 0; ++a)
    for (Index b = 0; b < a; ++b) out.col(column++) = u.col(a).cwiseProduct(u.col(b));
  return out;
}

std::optional<Eigen::LDLT<Matrix>> factored(const Matrix& features, const Vector& weights, double ridge) {
  Matrix a = features.transpose() * weights.asDiagonal() * features;
  a.diagonal().array() += ridge;
  Eigen::LDLT<Matrix> solver(a);
  if (solver.info() != Eigen::Success || !(solver.vectorD().minCoeff() > 0)) return {};
  return solver;
}

// Row by row, what one evaluation contributes to level and gradient.
Slope slope_from(const Surroundings& s, const Eigen::LDLT<Matrix>& solver, const Vector& beta, Vector fitted,
                 Vector error, Index n) {
  const Matrix scores = (s.features.array().colwise() * (s.weights.array() * error.array())).matrix().transpose();
  Slope out{beta[0], beta.segment(1, n) / s.size, solver.solve(scores).transpose().leftCols(1 + n), std::move(fitted),
            std::move(error)};
  out.influence.rightCols(n) /= s.size;
  return out;
}

std::optional<Slope> slope_of_mean(const Surroundings& s, const Vector& values, Index n) {
  const auto solver = factored(s.features, s.weights, 1e-9 * s.weights.sum());
  if (!solver) return {};
  const Vector beta = solver->solve(s.features.transpose() * s.weights.cwiseProduct(values));
  if (!beta.allFinite()) return {};
  Vector fitted = s.features * beta;
  return slope_from(s, *solver, beta, fitted, values - fitted, n);
}

// Logistic regression by Newton's method. The slope is that of the probability where it is `share`, as at the limit,
// not where the answer is, which keeps a distance.
std::optional<Slope> slope_of_odds(const Surroundings& s, const Vector& values, double share, Index n) {
  const double mean = std::clamp(s.weights.dot(values) / s.weights.sum(), 0.01, 0.99);
  Vector beta = Vector::Zero(s.features.cols()), error;
  beta[0] = std::log(mean / (1 - mean));
  std::optional<Eigen::LDLT<Matrix>> solver;
  for (int step = 0; step < 12; ++step) {
    const Vector odds = (s.features * beta).cwiseMax(-20.0).cwiseMin(20.0);
    const Vector p = (1 / (1 + (-odds).array().exp())).matrix();
    error = values - p;
    solver = factored(s.features, s.weights.array() * (p.array() * (1 - p.array())).max(1e-6), 1e-3);
    if (!solver) return {};
    const Vector change = solver->solve(s.features.transpose() * s.weights.cwiseProduct(error));
    beta += change * std::min(1.0, 2 / std::max(1e-9, change.norm()));
  }
  if (!beta.allFinite()) return {};
  Slope out = slope_from(s, *solver, beta, Vector(), error, n);
  out.gradient *= share * (1 - share);
  out.influence.rightCols(n) *= share * (1 - share);
  return out;
}

// Values are taken as m(x) + s(x) e with e the same everywhere near x: quantile and tail are m + z s, with z of what
// the fits leave.
std::optional<Slope> slope_of_tail(const Surroundings& s, const Response& response, const Vector& values, Index n) {
  auto middle = slope_of_mean(s, values, n);
  if (!middle) return {};
  const auto spread = slope_of_mean(s, middle->error.cwiseAbs(), n);
  if (!spread || !(spread->level > 0)) return {};
  const Vector e = middle->error.cwiseQuotient(spread->fitted.cwiseMax(0.1 * spread->level));
  std::vector<std::pair<double, double>> sorted;  // with weights
  for (Index k = 0; k < e.size(); ++k) sorted.emplace_back(e[k], s.weights[k]);
  std::ranges::sort(sorted);
  const double all = s.weights.sum();
  double below = 0, z = sorted.back().first;
  for (const auto& [value, weight] : sorted)
    if ((below += weight) >= (1 - response.share) * all) {
      z = value;
      break;
    }
  double factor = z;
  if (response.kind == Response::Kind::tail) {
    double sum = 0, weights = 0;
    for (const auto& [value, weight] : sorted)
      if (value >= z) {
        sum += weight * value;
        weights += weight;
      }
    factor = sum / weights;
  }
  middle->gradient += factor * spread->gradient;
  middle->influence += factor * spread->influence;
  // A kernel as wide as Silverman's rule has it.
  const double deviation = std::sqrt(s.weights.dot(e.cwiseAbs2()) / all);
  const double width = 2.2 * 1.06 * deviation * std::pow(static_cast<double>(e.size()), -0.2);
  Vector kernel = Vector::Zero(e.size());
  for (Index k = 0; k < e.size(); ++k)
    if (const double u = (e[k] - z) / width; std::abs(u) < 1) kernel[k] = 0.75 * (1 - u * u) / width;
  const double density = s.weights.dot(kernel) / all;
  middle->density = density / spread->level;
  middle->density_influence = s.weights.cwiseProduct((kernel.array() - density).matrix()) / (all * spread->level);
  return middle;
}

std::optional<Slope> fitted_slope(const Surroundings& s, const Response& response, Index count, Index n) {
  const Vector values = response.values.head(count);
  switch (response.kind) {
    case Response::Kind::mean:
      return slope_of_mean(s, values, n);
    case Response::Kind::odds:
      return slope_of_odds(s, values, response.share, n);
    case Response::Kind::quantile:
    case Response::Kind::tail:
      break;
  }
  return slope_of_tail(s, response, values, n);
}

// Everything about one problem that does not hang on the surroundings.
class Prices {
 public:
  Prices(const Spec& spec, const CheckedPoint& checked, const EvaluatedPoints& points, const EvaluationLog& log,
         const Vector& x)
      : spec_(spec), checked_(checked), points_(points), log_(log), x_(x) {}

  std::vector<ShadowPrice> find();

 private:
  struct Fit {
    Vector slopes, slope_variance;  // what prices are made of
    Vector price, error;
    Matrix drawn;  // price_draws x active
  };

  void find_scales();
  void find_active();
  bool use_nearest();
  void find_responses();
  std::optional<Fit> fit(double bandwidth) const;
  Vector prices_of(const Vector& slopes) const;
  double measured(Index function, std::span<const double> values) const;
  bool repeats(Index function) const;
  bool no_noise(Index function) const;
  Index free() const { return static_cast<Index>(free_.size()); }

  const Spec& spec_;
  const CheckedPoint& checked_;
  const EvaluatedPoints& points_;
  const EvaluationLog& log_;
  const Vector& x_;
  Vector scale_;                     // range of each variable
  std::vector<Index> moving_;        // variables that were varied
  std::vector<Index> free_;          // of these, places of the real ones that are off their bounds
  std::vector<Index> active_;        // constraints that may hold with equality at x
  std::vector<bool> known_zero_;     // of each constraint
  std::vector<std::size_t> used_;    // evaluations
  std::vector<double> distance_;     // of these
  std::vector<Response> responses_;  // objective, active constraints
  std::vector<bool> per_share_;  // of each active constraint: the unit is a probability, and slopes are of a quantile
  std::vector<bool> withheld_;   // of these: no price can be known
};

void Prices::find_scales() {
  const Index n = spec_.dimension();
  Vector low = x_, high = x_;
  for (std::size_t k = 0; k < log_.size(); ++k) {
    low = low.cwiseMin(as_vector(log_.x(k)));
    high = high.cwiseMax(as_vector(log_.x(k)));
  }
  const Box bounds = spec_.domain.bounds();
  scale_ = high - low;
  for (Index j = 0; j < n; ++j) {
    if (!(scale_[j] > 0)) continue;
    const auto place = static_cast<Index>(moving_.size());
    moving_.push_back(j);
    const bool whole = !spec_.integer.empty() && spec_.integer[static_cast<std::size_t>(j)];
    const double room = std::min(x_[j] - bounds.lower[j], bounds.upper[j] - x_[j]);
    if (!whole && room > 1e-3 * scale_[j]) free_.push_back(place);
  }
}

// What keeps clear of its limit has no price; of those close to theirs at most as many as variables can move.
void Prices::find_active() {
  constexpr double clear_chance = 0.5, clear_value = 0.05;  // of the share allowed; of the values' range
  known_zero_.assign(static_cast<std::size_t>(spec_.functions() - 1), false);
  std::vector<std::pair<double, Index>> close;
  for (Index i = 1; i < spec_.functions(); ++i) {
    const Estimate e = checked_.estimate(i);
    if (i > spec_.constraints) {
      close.emplace_back(-infinity, i);
      continue;
    }
    const Statement* s = checked_.chance(i);
    const double unit = s ? clear_chance * s->share : clear_value * std::max(points_.range(i), 1e-300);
    const double slack = -(e.mean + 3 * (std::isnan(e.se) ? 0 : e.se)) / unit;
    if (slack > 1) known_zero_[static_cast<std::size_t>(i - 1)] = true;
    else close.emplace_back(slack, i);
  }
  std::ranges::sort(close);
  if (static_cast<Index>(close.size()) > free()) close.resize(static_cast<std::size_t>(free()));
  for (const auto& [slack, i] : close) active_.push_back(i);
}

bool Prices::use_nearest() {
  std::vector<std::pair<double, std::size_t>> by_distance;
  for (std::size_t k = 0; k < log_.size(); ++k) {
    if (std::ranges::any_of(log_.values(k), [](double v) { return !std::isfinite(v); })) continue;
    double distance = 0;
    for (const Index j : moving_)
      distance = std::max(distance, std::abs(log_.x(k)[static_cast<std::size_t>(j)] - x_[j]) / scale_[j]);
    by_distance.emplace_back(distance, k);
  }
  std::ranges::sort(by_distance);
  if (by_distance.size() > most_used) by_distance.resize(most_used);
  for (const auto& [distance, k] : by_distance) {
    distance_.push_back(distance);
    used_.push_back(k);
  }
  return used_.size() >= 20;
}

// Of one evaluation: the objective, or how far the value that a constraint is about is beyond its limit.
double Prices::measured(Index function, std::span<const double> values) const {
  const Meaning* meaning = checked_.meaning();
  if (function == 0) return values[0];
  if (!meaning || function > spec_.constraints)
    return values[values.size() - static_cast<std::size_t>(spec_.functions() - function)];
  const Statement& s = meaning->statements[static_cast<std::size_t>(function - 1)];
  return s.excess(s.in(values, meaning->maximize));
}

// Values that repeat have no density: counts, or no noise at all.
bool Prices::repeats(Index function) const {
  std::vector<double> here;
  for (std::size_t k = 0; k < used_.size() && distance_[k] == 0; ++k)
    here.push_back(measured(function, log_.values(used_[k])));
  std::ranges::sort(here);
  return std::ranges::adjacent_find(here) != here.end();
}

// Equal replicates of a value that takes many.
bool Prices::no_noise(Index function) const {
  constexpr std::size_t many = 32;
  std::vector<double> here, all;
  for (std::size_t k = 0; k < used_.size(); ++k) {
    all.push_back(measured(function, log_.values(used_[k])));
    if (distance_[k] == 0) here.push_back(all.back());
  }
  std::ranges::sort(all);
  const auto distinct = std::ranges::unique(all).begin() - all.begin();
  return here.size() >= 3 && std::ranges::adjacent_find(here, std::not_equal_to{}) == here.end() &&
         static_cast<std::size_t>(distinct) > many;
}

void Prices::find_responses() {
  const auto count = static_cast<Index>(used_.size());
  const auto response = [&](Index function, Response::Kind kind, double share = 0) {
    Response r{Vector(count), kind, share};
    for (Index k = 0; k < count; ++k) r.values[k] = measured(function, log_.values(used_[static_cast<std::size_t>(k)]));
    responses_.push_back(std::move(r));
    per_share_.push_back(false);
    withheld_.push_back(false);
  };
  if (const Statement* s = checked_.cvar(0); s && !repeats(0)) response(0, Response::Kind::tail, s->share);
  else response(0, Response::Kind::mean);
  per_share_.clear();
  withheld_.clear();
  for (const Index i : active_) {
    const Statement* chance = checked_.chance(i);
    const Statement* cvar = checked_.cvar(i);
    if (!chance && (!cvar || repeats(i))) {
      response(i, Response::Kind::mean);
    } else if (cvar) {
      response(i, Response::Kind::tail, cvar->share);
    } else if (!repeats(i)) {
      response(i, Response::Kind::quantile, chance->share);
      per_share_.back() = chance->kind == Statement::Kind::probability;
    } else if (no_noise(i) || chance->kind == Statement::Kind::quantile) {
      // Without noise a quantile is the value itself, and a probability a step; quantiles of counts jump.
      response(i, Response::Kind::mean);
      withheld_.back() = !no_noise(i) || chance->kind == Statement::Kind::probability;
    } else {
      response(i, Response::Kind::odds, chance->share);
      for (double& v : responses_.back().values) v = chance->limit_is_bad ? v >= 0 : v > 0;
    }
  }
}

// `slopes`: of the objective and of the active constraints over the free variables, then one density for each.
Vector Prices::prices_of(const Vector& slopes) const {
  const auto a = static_cast<Index>(active_.size());
  Matrix g(free(), a);
  for (Index c = 0; c < a; ++c) g.col(c) = slopes.segment((c + 1) * free(), free());
  // Columns of one size: units of constraints are no reason to trust one more than another.
  Vector unit(a);
  for (Index c = 0; c < a; ++c) {
    unit[c] = std::max(g.col(c).norm(), 1e-300);
    g.col(c) /= unit[c];
  }
  Vector y = g.colPivHouseholderQr().solve(-slopes.head(free())).cwiseQuotient(unit);
  for (Index c = 0; c < a; ++c) {
    const auto k = static_cast<std::size_t>(c);
    if (active_[k] <= spec_.constraints) y[c] = std::max(0.0, y[c]);
    if (withheld_[k]) y[c] = std::nan("");
    // Relaxing the probability by d moves the quantile by d over the density.
    else if (per_share_[k]) y[c] /= std::max(slopes[(a + 1) * free() + c], 1e-300);
  }
  return y;
}

std::optional<Prices::Fit> Prices::fit(double bandwidth) const {
  const auto n = static_cast<Index>(moving_.size()), a = static_cast<Index>(active_.size());
  const auto end = std::ranges::lower_bound(distance_, bandwidth) - distance_.begin();
  Matrix u(end, n);
  Surroundings s;
  s.weights = Vector(end);
  s.size = bandwidth;
  for (Index k = 0; k < end; ++k) {
    const auto at = static_cast<std::size_t>(k);
    for (Index j = 0; j < n; ++j) {
      const Index variable = moving_[static_cast<std::size_t>(j)];
      u(k, j) = (log_.x(used_[at])[static_cast<std::size_t>(variable)] - x_[variable]) / (scale_[variable] * bandwidth);
    }
    s.weights[k] = std::pow(1 - std::pow(distance_[at] / bandwidth, 3), 3);
  }
  s.features = features_of(u);
  if (end < 3 * s.features.cols()) return {};
  // Variables must have been varied within the surroundings.
  const Vector weight = s.weights / s.weights.sum();
  for (Index j = 0; j < n; ++j) {
    const double mean = weight.dot(u.col(j));
    if (!((u.col(j).array() - mean).square().matrix().dot(weight) > 1e-4)) return {};
  }
  const Index densities = a, width = free() * (a + 1) + densities;
  Vector slopes = Vector::Zero(width);
  Matrix influence = Matrix::Zero(end, width);
  for (std::size_t r = 0; r < responses_.size(); ++r) {
    const auto slope = fitted_slope(s, responses_[r], end, n);
    if (!slope) return {};
    const auto place = static_cast<Index>(r);
    if (r > 0 && per_share_[r - 1]) {
      slopes[(a + 1) * free() + place - 1] = slope->density;
      influence.col((a + 1) * free() + place - 1) = slope->density_influence;
    }
    for (Index j = 0; j < free(); ++j) {
      slopes[place * free() + j] = slope->gradient[free_[static_cast<std::size_t>(j)]];
      influence.col(place * free() + j) = slope->influence.col(1 + free_[static_cast<std::size_t>(j)]);
    }
  }
  // Evaluations under one key share their noise.
  std::unordered_map<std::uint64_t, Vector> by_key;
  for (Index k = 0; k < end; ++k) {
    const auto [sum, is_new] =
        by_key.try_emplace(log_.key(used_[static_cast<std::size_t>(k)]), influence.row(k).transpose());
    if (!is_new) sum->second += influence.row(k).transpose();
  }
  Matrix covariance = Matrix::Zero(width, width);
  std::vector<std::uint64_t> keys;  // in an order that does not hang on the library
  for (const auto& entry : by_key) keys.push_back(entry.first);
  std::ranges::sort(keys);
  for (const std::uint64_t key : keys) covariance += by_key[key] * by_key[key].transpose();
  const auto degrees = static_cast<double>(keys.size()) - static_cast<double>(s.features.cols());
  if (!(degrees > 2)) return {};
  covariance *= static_cast<double>(keys.size()) / degrees;
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(covariance);
  const Matrix root = spectrum.eigenvectors() * spectrum.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  Fit out{slopes, covariance.diagonal(), prices_of(slopes), Vector(a), Matrix(price_draws, a)};
  Rng rng(derive_key(price_label, 0));
  for (int d = 0; d < price_draws; ++d) {
    Vector normal(width);
    for (double& v : normal) v = rng.normal();
    out.drawn.row(d) = prices_of(slopes + chosen_widely * root * normal).transpose();
  }
  for (Index c = 0; c < a; ++c) {
    std::vector<double> sorted(out.drawn.col(c).begin(), out.drawn.col(c).end());
    out.error[c] = 0.5 * (sample_quantile(sorted, 0.84) - sample_quantile(sorted, 0.16));
  }
  return out;
}

std::vector<ShadowPrice> Prices::find() {
  std::vector<ShadowPrice> out(static_cast<std::size_t>(spec_.functions() - 1));
  find_scales();
  find_active();
  for (std::size_t i = 0; i < out.size(); ++i)
    if (known_zero_[i]) out[i] = {{0, 0}, {0, 0}};
  if (active_.empty() || free_.empty() || static_cast<Index>(moving_.size()) > most_priced_variables || !use_nearest())
    return out;
  find_responses();
  std::optional<Fit> chosen;
  std::vector<Fit> narrower;
  for (const double bandwidth : bandwidths) {
    auto now = fit(bandwidth);
    if (!now) continue;
    const bool agrees = std::ranges::all_of(narrower, [&](const Fit& before) {
      double sum = 0, count = 0;
      for (Index k = 0; k < now->slopes.size(); ++k) {
        if (!(before.slope_variance[k] > 0)) continue;
        sum += std::pow(now->slopes[k] - before.slopes[k], 2) / before.slope_variance[k];
        ++count;
      }
      return sum <= price_agreement * price_agreement * count;
    });
    if (!narrower.empty() && !agrees) break;
    narrower.push_back(*now);
    chosen = std::move(now);
  }
  if (!chosen) return out;
  for (std::size_t c = 0; c < active_.size(); ++c) {
    const auto column = chosen->drawn.col(static_cast<Index>(c));
    std::vector<double> drawn(column.begin(), column.end());
    if (std::ranges::any_of(drawn, [](double v) { return std::isnan(v); })) continue;
    const double price = chosen->price[static_cast<Index>(c)];
    const Interval interval{sample_quantile(drawn, 0.025), sample_quantile(drawn, 0.975)};
    // As wide as this it is not known.
    constexpr double hopeless = 3;
    if (!(interval.high - interval.low <= 2 * hopeless * std::abs(price))) continue;
    out[static_cast<std::size_t>(active_[c] - 1)] = {{price, chosen->error[static_cast<Index>(c)]}, interval};
  }
  return out;
}

}  // namespace

void EvaluationLog::add(std::span<const double> x, std::uint64_t noise_key, std::span<const double> measured) {
  if (keys_.empty()) {
    dimension_ = x.size();
    functions_ = measured.size();
  }
  if (numbers_.size() + stride() > most_log_numbers || static_cast<Index>(x.size()) > most_priced_variables) return;
  numbers_.insert(numbers_.end(), x.begin(), x.end());
  numbers_.insert(numbers_.end(), measured.begin(), measured.end());
  keys_.push_back(noise_key);
}

std::vector<ShadowPrice> shadow_prices(const Spec& spec, const CheckedPoint& checked, const EvaluatedPoints& points,
                                       const EvaluationLog& log, const Vector& x) {
  return Prices(spec, checked, points, log, x).find();
}

}  // namespace zeroth
