// SPDX-License-Identifier: MIT
#include "zeroth/report/incumbent_path.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "zeroth/core/text.hpp"

namespace zeroth {
namespace {

using Matrix = Eigen::MatrixXd;
constexpr std::size_t most_neighbours = 2000;
constexpr std::size_t enough_replicates = 8;

// Shares of the declared range, so that variables of different units can be compared.
double scaled(const VariableInfo& v, double x) {
  if (std::isnan(v.lower) || !(v.upper > v.lower)) return x;
  if (v.log_scale && v.lower > 0 && x > 0) return std::log(x / v.lower) / std::log(v.upper / v.lower);
  return (x - v.lower) / (v.upper - v.lower);
}

struct Neighbour {
  double distance;
  std::size_t number;
  bool operator<(const Neighbour& other) const {
    return distance != other.distance ? distance < other.distance : number > other.number;  // newer first
  }
};

std::vector<Neighbour> neighbours_of(const RunHistory& h, std::span<const double> x, std::size_t before) {
  const auto& variables = h.variables();
  std::vector<double> center(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) center[i] = scaled(variables[i], x[i]);
  std::vector<Neighbour> all;
  all.reserve(before);
  for (std::size_t k = 0; k < before; ++k) {
    if (h.state(k) != RunHistory::State::answered) continue;
    const auto point = h.point(k);
    double distance = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double d = scaled(variables[i], point[i]) - center[i];
      distance += d * d;
    }
    if (!std::isnan(distance)) all.push_back({distance, k});
  }
  const std::size_t wanted =
      std::min({all.size(), most_neighbours, std::max(4 * (x.size() + 1) + 10, all.size() / 20)});
  if (wanted < all.size()) std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(wanted), all.end());
  all.resize(wanted);
  return all;
}

Estimate mean_of(const std::vector<double>& sample, double& deviation) {
  const double n = static_cast<double>(sample.size());
  const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / n;
  double squares = 0;
  for (const double v : sample) squares += (v - mean) * (v - mean);
  deviation = n > 1 ? std::sqrt(squares / (n - 1)) : std::nan("");
  return {mean, deviation / std::sqrt(n)};
}

// A level, slopes and, in the last columns, squares: one row per evaluation, in units of the farthest evaluation's
// distance.
struct Surface {
  Matrix at;
  Matrix normal;  // at' * at

  Index slopes() const { return (at.cols() - 1) / 2; }
};

struct LinearFit {
  Estimate value;  // at the origin
  double deviation = 0, rest = 0, freedom = 0;
};

// Least squares with the first `columns` of the surface. Evaluations may all lie on one side of the origin, or in a
// subspace: the fit alone would then extrapolate without end. So slopes and squares are held to what the evaluations
// themselves span (a normal prior with their range as its deviation), which the noise found in a first pass puts into
// proportion.
LinearFit fit(const Surface& surface, Index columns, const Vector& centered, double span) {
  const auto at = surface.at.leftCols(columns);
  const Vector right = at.transpose() * centered;
  LinearFit result;
  result.deviation = 0.1 * span;
  Vector first = Vector::Zero(columns);
  first[0] = 1;
  for (int pass = 0; pass < 2; ++pass) {
    Matrix penalized = surface.normal.topLeftCorner(columns, columns);
    penalized.diagonal().tail(columns - 1).array() +=
        std::max(1e-9, result.deviation * result.deviation / (span * span));
    const Eigen::LLT<Matrix> factor(penalized);
    const Vector coefficients = factor.solve(right);
    result.rest = (centered - at * coefficients).squaredNorm();
    // Held back, the columns fit less than their number.
    result.freedom =
        static_cast<double>(centered.size()) - factor.solve(surface.normal.topLeftCorner(columns, columns)).trace();
    result.deviation = std::sqrt(result.rest / std::max(1.0, result.freedom));
    result.value = {coefficients[0], result.deviation * std::sqrt(std::max(0.0, factor.solve(first)[0]))};
  }
  return result;
}

// The plane through the evaluations; with squares where these explain what noise would not (F test at 0.1 %): then the
// evaluations are so far apart that a plane's value at their middle is biased, and its standard error knows nothing of
// it.
Estimate value_at_origin(const Surface& surface, const std::vector<double>& y, double& deviation) {
  deviation = std::nan("");
  const Index rows = static_cast<Index>(y.size()), plane = surface.slopes() + 1;
  if (rows < plane + 2) return {};
  const Eigen::Map<const Vector> values(y.data(), rows);
  const double level = values.mean(), span = values.maxCoeff() - values.minCoeff();
  const Vector centered = (values.array() - level).matrix();
  LinearFit best;
  if (span > 0) {
    best = fit(surface, plane, centered, span);
    if (rows > 2 * surface.at.cols()) {
      const LinearFit curved = fit(surface, surface.at.cols(), centered, span);
      const double more = best.freedom - curved.freedom;
      if (more > 0.5 && curved.rest > 0) {
        const double ratio = (best.rest - curved.rest) / more / (curved.rest / curved.freedom);
        if (ratio > 0 &&
            boost::math::cdf(boost::math::complement(boost::math::fisher_f(more, curved.freedom), ratio)) < 1e-3)
          best = curved;
      }
    }
  } else {
    best.value = {0, 0};
  }
  deviation = best.deviation;
  return {level + best.value.mean, best.value.se};
}

}  // namespace

Estimate violation_of(const std::vector<Estimate>& values, std::size_t constraints) {
  Estimate worst{0, 0};
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (std::isnan(values[i].mean)) return {};
    const double v = i <= constraints ? values[i].mean : std::abs(values[i].mean);
    if (v > highest) {
      highest = v;
      worst = {std::max(0.0, v), values[i].se};
    }
  }
  return worst;
}

std::vector<Estimate> last_replicates(const RunHistory& h) {
  std::vector<Estimate> means(h.functions().size());
  if (h.size() == 0) return means;
  for (std::size_t f = 0; f < means.size(); ++f) {
    std::vector<double> sample;
    for (std::size_t k = h.size(); k-- > 0 && h.point_hash(k) == h.point_hash(h.size() - 1);)
      if (h.state(k) == RunHistory::State::answered && std::isfinite(h.value(k, f))) sample.push_back(h.value(k, f));
    double deviation = 0;
    if (!sample.empty()) means[f] = mean_of(sample, deviation);
  }
  return means;
}

PathPoint estimate_at(const RunHistory& h, std::span<const double> x, std::int64_t before) {
  PathPoint p;
  p.evaluations = before;
  p.values.resize(h.functions().size());
  p.noise.resize(h.functions().size(), std::nan(""));
  if (!h.has_points() || x.size() != h.variables().size()) return p;
  const auto near =
      neighbours_of(h, x, std::min(h.size(), static_cast<std::size_t>(std::max<std::int64_t>(0, before))));
  if (near.empty()) return p;
  double radius = 0;
  for (const auto& n : near) radius = std::max(radius, n.distance);
  radius = radius > 0 ? std::sqrt(radius) : 1;
  const Index dimension = static_cast<Index>(x.size());
  Surface surface;
  std::vector<std::size_t> rows;  // of the surface: solvers may ask for some functions only, so they can differ
  for (std::size_t f = 0; f < p.values.size(); ++f) {
    std::vector<std::size_t> answered;
    std::vector<double> y, here;
    for (const auto& n : near) {
      const double value = h.value(n.number, f);
      if (!std::isfinite(value)) continue;
      answered.push_back(n.number);
      y.push_back(value);
      if (n.distance == 0) here.push_back(value);
    }
    if (here.size() >= enough_replicates) {
      p.values[f] = mean_of(here, p.noise[f]);
      continue;
    }
    if (answered != rows) {
      rows = answered;
      surface.at.resize(static_cast<Index>(rows.size()), 2 * dimension + 1);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto row = static_cast<Index>(r);
        surface.at(row, 0) = 1;
        for (Index i = 0; i < dimension; ++i) {
          const auto k = static_cast<std::size_t>(i);
          const double u = (scaled(h.variables()[k], h.point(rows[r])[k]) - scaled(h.variables()[k], x[k])) / radius;
          surface.at(row, 1 + i) = u;
          surface.at(row, 1 + dimension + i) = u * u;
        }
      }
      surface.normal = surface.at.transpose() * surface.at;
    }
    p.values[f] = value_at_origin(surface, y, p.noise[f]);
  }
  p.violation = violation_of(p.values, h.constraints());
  return p;
}

void IncumbentPath::add(const RunHistory& h, const StoredTrace& t) {
  PathPoint p = estimate_at(h, t.x, t.evaluations);
  p.multipliers = t.multipliers;
  if (last_x_.size() == t.x.size() && !t.x.empty()) {
    double sum = 0;
    for (std::size_t i = 0; i < t.x.size(); ++i) {
      const double d = scaled(h.variables()[i], t.x[i]) - scaled(h.variables()[i], last_x_[i]);
      sum += d * d;
    }
    p.moved = std::sqrt(sum / static_cast<double>(t.x.size()));
  }
  last_x_ = t.x;
  // Where solver and user speak alike, the point of the trace is the oracle's own.
  const ResolvedProblem* problem = h.problem();
  if (problem && problem->builtin && problem->builtin->units.empty() && problem->builtin->truth &&
      problem->builtin->truth->expected && static_cast<Index>(t.x.size()) == problem->spec.dimension()) {
    std::vector<double> values(h.functions().size());
    problem->builtin->truth->expected(t.x, values);
    p.exact_objective = problem->maximize ? -values[0] : values[0];
    p.exact_violation = 0;
    for (std::size_t i = 1; i < values.size(); ++i)
      p.exact_violation = std::max(p.exact_violation, i <= h.constraints() ? values[i] : std::abs(values[i]));
  }
  points_.push_back(std::move(p));
}

void IncumbentPath::extend(const RunHistory& h) {
  if (!points_.empty() && points_.back().checked) points_.pop_back();
  const double stride = static_cast<double>(std::max<std::int64_t>(1, h.row().budget)) / resolution;
  for (; used_ < h.trace().size(); ++used_) {
    const StoredTrace& t = h.trace()[used_];
    const double last = points_.empty() ? -1 : static_cast<double>(points_.back().evaluations);
    if (static_cast<double>(t.evaluations) >= last + std::min(stride, std::max(1.0, 0.06 * last))) add(h, t);
  }
  const auto result = parse_json<nlohmann::json>(h.row().result);
  const auto number = [](const nlohmann::json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>()
                                                                                 : std::nan("");
  };
  if (!result.is_object() || !result.contains("objective") || std::isnan(number(result["objective"], "mean"))) return;
  PathPoint p;
  p.checked = true;
  p.evaluations = static_cast<std::int64_t>(number(result, "evaluations"));
  p.values.resize(h.functions().size());
  p.noise.resize(h.functions().size(), std::nan(""));
  p.values[0] = {number(result["objective"], "mean"), number(result["objective"], "se")};
  const double replicates = number(result, "replicates");
  for (std::size_t i = 1; i < p.values.size() && result.contains("constraints") && i <= result["constraints"].size();
       ++i)
    p.values[i] = {number(result["constraints"][i - 1], "mean"), number(result["constraints"][i - 1], "se")};
  if (result.contains("equalities")) {
    for (std::size_t j = 0; j < result["equalities"].size() && h.constraints() + 1 + j < p.values.size(); ++j)
      p.values[h.constraints() + 1 + j] = {number(result["equalities"][j], "mean"),
                                           number(result["equalities"][j], "se")};
  } else if (const auto fresh = last_replicates(h); h.constraints() + 1 < p.values.size()) {
    std::copy(
        fresh.begin() + static_cast<std::ptrdiff_t>(h.constraints()) + 1, fresh.end(),
        p.values.begin() + static_cast<std::ptrdiff_t>(h.constraints()) + 1);  // a result of version 0.1 named none
  }
  for (std::size_t i = 0; i < p.values.size(); ++i) p.noise[i] = p.values[i].se * std::sqrt(replicates);
  p.violation = violation_of(p.values, h.constraints());
  if (result.contains("truth")) {
    p.exact_objective = number(result["truth"], "objective");
    p.exact_violation = number(result["truth"], "violation");
  }
  points_.push_back(std::move(p));
}

}  // namespace zeroth
