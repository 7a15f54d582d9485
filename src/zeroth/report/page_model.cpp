// SPDX-License-Identifier: MIT
#include "zeroth/report/page_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>

#include "zeroth/model/design.hpp"
#include "zeroth/model/normal.hpp"
#include "zeroth/report/report_model.hpp"

namespace zeroth {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr Index base_samples = 256, groups = 6, along = 33, across = 19, candidates = 1200, limits = 25;
constexpr std::size_t explained = 3, most_pair_variables = 4, most_tradeoffs = 6;

OrderedJson rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

template <class Range>
OrderedJson list_of(const Range& values) {
  OrderedJson list = OrderedJson::array();
  for (const double v : values) list.push_back(rounded(v));
  return list;
}

// Sobol' indices of a function of independent uniform variables (Saltelli's design over a Sobol sequence, Jansen's
// estimators).
struct Indices {
  Vector first, total;
};

class Importance {
 public:
  explicit Importance(const ReportModel& model) : model_(model), n_(model.box().dimension()) {
    const Matrix both = SobolSequence(2 * n_, derive_key(20, 0x696d70)).next(base_samples);
    const Matrix a = both.topRows(n_), b = both.bottomRows(n_);
    points_.resize(n_, base_samples * (n_ + 2));
    points_.leftCols(base_samples) = a;
    points_.middleCols(base_samples, base_samples) = b;
    for (Index i = 0; i < n_; ++i) {
      auto mixed = points_.middleCols(base_samples * (2 + i), base_samples);
      mixed = a;
      mixed.row(i) = b.row(i);
    }
    for (Index k = 0; k < points_.cols(); ++k) {
      for (Index i = 0; i < n_; ++i)
        if (model.box().categories(i) > 0) points_(i, k) = model.box().category_at(i, points_(i, k));
      points_.col(k) = model.box().snap(points_.col(k));
    }
  }

  // With standard errors from a jackknife over groups of sites and the error of the sampling itself left out: it is the
  // same for all variables.
  OrderedJson of(Index function) const {
    const Indices all = indices(model_.means(function, points_));
    std::vector<Indices> parts;
    for (Index g = 0; g < groups; ++g) parts.push_back(indices(model_.means_without(function, points_, g, groups)));
    const auto error = [&](Vector Indices::*which, Index i) {
      double mean = 0, sum = 0;
      for (const Indices& p : parts) mean += (p.*which)[i] / groups;
      for (const Indices& p : parts) sum += std::pow((p.*which)[i] - mean, 2);
      return std::sqrt(sum * (groups - 1) / groups);
    };
    OrderedJson json{{"first", OrderedJson::array()},
                     {"first_se", OrderedJson::array()},
                     {"total", OrderedJson::array()},
                     {"total_se", OrderedJson::array()}};
    for (Index i = 0; i < n_; ++i) {
      json["first"].push_back(rounded(all.first[i]));
      json["first_se"].push_back(rounded(error(&Indices::first, i)));
      json["total"].push_back(rounded(all.total[i]));
      json["total_se"].push_back(rounded(error(&Indices::total, i)));
    }
    return json;
  }

  std::vector<std::size_t> order() const {  // of the objective's total indices, the largest first
    const Vector total = indices(model_.means(0, points_)).total;
    std::vector<std::size_t> list(static_cast<std::size_t>(n_));
    std::iota(list.begin(), list.end(), std::size_t{0});
    std::ranges::stable_sort(list, std::greater{}, [&](std::size_t i) { return total[static_cast<Index>(i)]; });
    return list;
  }

 private:
  Indices indices(const Vector& y) const {
    const auto a = y.head(base_samples).array(), b = y.segment(base_samples, base_samples).array();
    const double mean = y.head(2 * base_samples).mean();
    const double variance = (y.head(2 * base_samples).array() - mean).square().mean();
    Indices out{Vector::Zero(n_), Vector::Zero(n_)};
    if (!(variance > 0)) return out;
    for (Index i = 0; i < n_; ++i) {
      const auto mixed = y.segment(base_samples * (2 + i), base_samples).array();
      out.total[i] = std::clamp(0.5 * (a - mixed).square().mean() / variance, 0.0, 1.0);
      // Alone it explains no more than in all, whatever the error of the sampling.
      out.first[i] = std::clamp(1 - 0.5 * (b - mixed).square().mean() / variance, 0.0, out.total[i]);
    }
    return out;
  }

  const ReportModel& model_;
  Index n_;
  Matrix points_;
};

// Places along one variable: every value of one that has few, else evenly in the units of the search.
std::vector<Vector> line_through(const ReportModel& model, Index variable, Index count) {
  const UnitBox& box = model.box();
  const int levels = box.categories(variable);
  const VariableInfo& v = model.variable(variable);
  std::vector<Vector> line;
  if (levels == 0 && v.values.empty() && v.type != VariableType::real) {  // integers: none is between them
    const double steps = std::min(v.upper - v.lower, static_cast<double>(count - 1));
    for (double k = 0; k <= steps; ++k)
      line.push_back(model.answer_with(variable, std::round(v.lower + (v.upper - v.lower) * k / std::max(1.0, steps))));
    return line;
  }
  const Index places = levels > 0 ? levels : v.values.empty() ? count : static_cast<Index>(v.values.size());
  for (Index k = 0; k < places; ++k) {
    Vector unit = model.answer();
    unit[variable] = static_cast<double>(k) / static_cast<double>(std::max<Index>(1, places - 1));
    unit = box.snap(unit);
    if (line.empty() || line.back() != unit) line.push_back(std::move(unit));
  }
  return line;
}

Matrix columns(const std::vector<Vector>& points) {
  Matrix m(points.front().size(), static_cast<Index>(points.size()));
  for (std::size_t k = 0; k < points.size(); ++k) m.col(static_cast<Index>(k)) = points[k];
  return m;
}

OrderedJson slices(const ReportModel& model) {
  OrderedJson json = OrderedJson::array();
  for (Index i = 0; i < model.box().dimension(); ++i) {
    const auto line = line_through(model, i, along);
    OrderedJson slice{{"x", OrderedJson::array()}, {"mean", OrderedJson::array()}, {"sd", OrderedJson::array()}};
    for (const Vector& unit : line) slice["x"].push_back(rounded(model.user_value(unit, i)));
    const Matrix units = columns(line);
    for (Index f = 0; f < model.functions(); ++f) {
      const Predicted p = model.predict(f, units);
      slice["mean"].push_back(list_of(p.mean));
      slice["sd"].push_back(list_of(p.sd));
    }
    json.push_back(std::move(slice));
  }
  return json;
}

// How far the mean of function f may go, and on which side, so that its statement holds: of a probability, a quantile
// or a CVaR by normal noise as large as at the answer.
struct Bound {
  double limit = 0;
  bool above = true;  // bad lies above
  double of(double mean) const { return above ? mean - limit : limit - mean; }
};

Bound bound_of(const RunHistory& h, const ReportModel& model, std::size_t function, Index f) {
  const Statement* s = h.statement(function);
  if (!s) return {};
  Bound b{s->limit, s->bad_above};
  if (s->kind == Statement::Kind::mean) return b;
  const double z = boost::math::quantile(boost::math::normal(), std::clamp(1 - s->share, 1e-6, 1 - 1e-6));
  const double beyond = s->cvar() ? normal_pdf(z) / s->share : z;
  b.limit += (s->bad_above ? -1 : 1) * beyond * model.noise_sd(f);
  return b;
}

OrderedJson contours(const RunHistory& h, const ReportModel& model, const std::vector<std::size_t>& functions,
                     const std::vector<std::size_t>& order) {
  std::vector<std::size_t> picked;
  for (const std::size_t i : order)
    if (picked.size() < most_pair_variables) picked.push_back(i);
  OrderedJson json = OrderedJson::array();
  for (std::size_t p = 0; p < picked.size(); ++p)
    for (std::size_t q = p + 1; q < picked.size(); ++q) {
      const auto i = static_cast<Index>(picked[p]), j = static_cast<Index>(picked[q]);
      const auto right = line_through(model, i, across), up = line_through(model, j, across);
      std::vector<Vector> points;
      for (const Vector& v : up)
        for (const Vector& u : right) {
          Vector unit = u;
          unit[j] = v[j];
          points.push_back(model.box().snap(unit));
        }
      const Matrix units = columns(points);
      const Predicted objective = model.predict(0, units);
      Vector feasible = Vector::Ones(units.cols());
      for (Index f = 1; f < model.functions(); ++f) {
        const std::size_t function = functions[static_cast<std::size_t>(f)];
        if (function > h.constraints()) continue;  // an equality
        const Predicted c = model.predict(f, units);
        const Bound bound = bound_of(h, model, function, f);
        for (Index k = 0; k < feasible.size(); ++k)
          feasible[k] *= normal_cdf(-bound.of(c.mean[k]) / std::max(c.sd[k], 1e-300));
      }
      OrderedJson pair{{"a", i}, {"b", j}, {"x", OrderedJson::array()}, {"y", OrderedJson::array()}};
      for (const Vector& u : right) pair["x"].push_back(rounded(model.user_value(u, i)));
      for (const Vector& v : up) pair["y"].push_back(rounded(model.user_value(v, j)));
      pair["mean"] = list_of(objective.mean);
      pair["sd"] = list_of(objective.sd);
      if (model.functions() > 1) pair["feasible"] = list_of(feasible);
      json.push_back(std::move(pair));
    }
  return json;
}

// Points among which the best for another limit is looked for: all over the cube, and ever closer to the answer.
Matrix scattered(const ReportModel& model) {
  Rng rng(derive_key(20, 0x74726164));
  const UnitBox& box = model.box();
  Matrix units(box.dimension(), candidates + 1);
  for (Index k = 0; k < candidates; ++k) {
    Vector unit = k % 3 == 0 ? box.sample(rng) : model.answer();
    const double radius = 0.3 * std::pow(0.5, static_cast<double>(k % 6));
    if (k % 3 != 0)
      for (double& u : unit) u = std::clamp(u + radius * rng.normal(), 0.0, 1.0);
    units.col(k) = box.snap(unit);
  }
  units.col(candidates) = model.answer();
  return units;
}

// The best mean objective for other limits of one constraint, the others kept, by the model.
OrderedJson tradeoffs(const RunHistory& h, const ReportModel& model, const std::vector<std::size_t>& functions) {
  OrderedJson json = OrderedJson::array();
  if (model.functions() < 2) return json;
  const Matrix units = scattered(model);
  const Predicted objective = model.predict(0, units);
  std::vector<Vector> beyond(functions.size());
  for (std::size_t f = 1; f < functions.size(); ++f) {
    const Bound bound = bound_of(h, model, functions[f], static_cast<Index>(f));
    beyond[f] = model.means(static_cast<Index>(f), units);
    for (double& v : beyond[f]) v = bound.of(v);
  }
  const double sign = h.row().maximize ? -1 : 1;
  for (std::size_t f = 1; f < functions.size() && json.size() < most_tradeoffs; ++f) {
    if (functions[f] > h.constraints()) continue;
    std::vector<Index> open;  // where the other constraints hold
    for (Index k = 0; k < units.cols(); ++k) {
      bool good = true;
      for (std::size_t g = 1; g < functions.size(); ++g)
        good = good && (g == f || functions[g] > h.constraints() || beyond[g][k] <= 0 || k == candidates);
      if (good) open.push_back(k);
    }
    double low = infinity, high = 0;
    for (const Index k : open) {
      low = std::min(low, beyond[f][k]);
      high = std::max(high, beyond[f][k]);
    }
    // Both sides of the limit alike; where no point keeps it, from the limit on.
    const double reach = low > 0 ? high : 0.5 * (high - low), from = low > 0 ? 0 : -reach;
    if (!(reach > 0)) continue;
    const Statement* s = h.statement(functions[f]);
    OrderedJson curve{{"function", functions[f]}, {"limit", OrderedJson::array()}};
    std::vector<double> mean, sd;
    for (Index k = 0; k < limits; ++k) {
      const double slack = from + (reach - from) * static_cast<double>(k) / (limits - 1);
      Index best = -1;
      for (const Index c : open)
        if (beyond[f][c] <= slack && (best < 0 || sign * objective.mean[c] < sign * objective.mean[best])) best = c;
      const double declared = s ? (s->bad_above ? s->limit + slack : s->limit - slack) : slack;
      curve["limit"].push_back(rounded(declared));
      mean.push_back(best < 0 ? std::nan("") : objective.mean[best]);
      sd.push_back(best < 0 ? std::nan("") : objective.sd[best]);
    }
    curve["mean"] = list_of(mean);
    curve["sd"] = list_of(sd);
    json.push_back(std::move(curve));
  }
  return json;
}

}  // namespace

std::string page_model(const RunHistory& history, const std::vector<std::size_t>& functions,
                       const std::vector<double>& x) {
  const auto model = ReportModel::of(history, functions, x);
  if (!model) return {};
  const Importance importance(*model);
  OrderedJson json{{"sites", model->sites()}, {"functions", functions}, {"importance", OrderedJson::array()}};
  for (std::size_t f = 0; f < std::min(explained, functions.size()); ++f)
    json["importance"].push_back(importance.of(static_cast<Index>(f)));
  json["slices"] = slices(*model);
  json["contours"] = contours(history, *model, functions, importance.order());
  json["tradeoffs"] = tradeoffs(history, *model, functions);
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace zeroth
