// SPDX-License-Identifier: MIT
#include "zeroth/report/report_model.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

constexpr std::size_t most_sites = 160, most_replicates = 40, least_sites = 6;

// Rows of the run by point: half of the points the nearest to the answer, half spread over the run.
std::vector<std::vector<std::size_t>> chosen_points(const RunHistory& h, const std::vector<double>& answer) {
  std::unordered_map<std::uint64_t, std::size_t> place;
  std::vector<std::vector<std::size_t>> points;
  for (std::size_t k = 0; k < h.size(); ++k) {
    if (h.state(k) != RunHistory::State::answered) continue;
    const auto [found, fresh] = place.try_emplace(h.point_hash(k), points.size());
    if (fresh) points.emplace_back();
    auto& rows = points[found->second];
    if (rows.size() < most_replicates) rows.push_back(k);
  }
  if (points.size() <= most_sites) return points;
  const auto distance = [&](const std::vector<std::size_t>& rows) {
    double sum = 0;
    const auto x = h.point(rows[0]);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const VariableInfo& v = h.variables()[i];
      double d = (x[i] - answer[i]) / (v.upper - v.lower);
      if (v.log_scale && v.lower > 0) d = std::log(x[i] / answer[i]) / std::log(v.upper / v.lower);
      if (!std::isnan(d)) sum += d * d;
    }
    return sum;
  };
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t p = 0; p < points.size(); ++p) order.emplace_back(distance(points[p]), p);
  std::ranges::nth_element(order, order.begin() + most_sites / 2);
  std::vector<bool> taken(points.size());
  for (std::size_t i = 0; i < most_sites / 2; ++i) taken[order[i].second] = true;
  std::vector<std::size_t> rest;
  for (std::size_t p = 0; p < points.size(); ++p)
    if (!taken[p]) rest.push_back(p);
  const std::size_t more = std::min(rest.size(), most_sites - most_sites / 2);
  for (std::size_t i = 0; i < more; ++i) taken[rest[i * rest.size() / more]] = true;
  std::vector<std::vector<std::size_t>> kept;
  for (std::size_t p = 0; p < points.size(); ++p)
    if (taken[p]) kept.push_back(std::move(points[p]));
  return kept;
}

Vector in_cube(const ResolvedProblem& problem, const UnitBox& box, std::span<const double> user) {
  Vector x(static_cast<Index>(user.size()));
  std::ranges::copy(user, x.data());
  return box.snap(box.to_unit(problem.space.to_solver(x)));
}

}  // namespace

std::unique_ptr<ReportModel> ReportModel::of(const RunHistory& history, const std::vector<std::size_t>& functions,
                                             const std::vector<double>& answer) {
  const ResolvedProblem* problem = history.problem();
  if (!problem || !history.has_points() || answer.size() != history.variables().size()) return nullptr;
  for (const VariableInfo& v : history.variables())
    if (v.values.empty() && !(v.upper > v.lower)) return nullptr;
  try {
    std::unique_ptr<ReportModel> model(new ReportModel(history, problem->spec));
    return model->learn(functions, answer) ? std::move(model) : nullptr;
  } catch (const std::exception&) {  // a page can do without
    return nullptr;
  }
}

bool ReportModel::learn(const std::vector<std::size_t>& functions, const std::vector<double>& answer) {
  const ResolvedProblem& problem = *history_.problem();
  embedding_ = std::make_unique<const Embedding>(box_);
  sites_ = Sites(static_cast<Index>(functions.size()));
  answer_ = in_cube(problem, box_, answer);
  if (!answer_.allFinite()) return false;
  for (const auto& rows : chosen_points(history_, answer)) {
    const Vector unit = in_cube(problem, box_, history_.point(rows[0]));
    if (!unit.allFinite()) continue;
    for (const std::size_t k : rows) {
      Answer a;
      for (const std::size_t f : functions) a.values.push_back(history_.shown(k, f));
      if (std::ranges::all_of(a.values, [](double v) { return std::isfinite(v); })) sites_.add(unit, a);
    }
  }
  if (sites_.size() < static_cast<Index>(least_sites)) return false;
  for (Index i = 0; i < sites_.size(); ++i) which_.push_back(i);
  for (Index f = 0; f < sites_.functions(); ++f) {
    // As objectives: a constraint's own warp would be centred at zero, which is not its limit here.
    surrogates_.emplace_back(SiteSurrogate::Role::objective, f, box_.log_offset(), *embedding_);
    surrogates_.back().fit(sites_, which_);
  }
  return true;
}

Predicted ReportModel::predict(Index function, const Matrix& units) const {
  const SiteSurrogate& s = surrogates_[static_cast<std::size_t>(function)];
  Vector mean, variance;
  s.at(units, mean, &variance);
  Predicted p{Vector(mean.size()), Vector(mean.size())};
  for (Index k = 0; k < mean.size(); ++k) {
    p.mean[k] = s.from_model(mean[k]);
    p.sd[k] = std::sqrt(std::max(0.0, variance[k])) / s.slope_at(p.mean[k]);
  }
  return p;
}

Vector ReportModel::means(Index function, const Matrix& units) const {
  const SiteSurrogate& s = surrogates_[static_cast<std::size_t>(function)];
  Vector mean;
  s.at(units, mean, nullptr);
  for (double& v : mean) v = s.from_model(v);
  return mean;
}

Vector ReportModel::means_without(Index function, const Matrix& units, Index group, Index groups) const {
  SiteSurrogate s = surrogates_[static_cast<std::size_t>(function)];
  std::vector<Index> kept;
  for (const Index i : which_)
    if (i % groups != group) kept.push_back(i);
  s.refresh(sites_, kept);
  Vector mean;
  s.at(units, mean, nullptr);
  for (double& v : mean) v = s.from_model(v);
  return mean;
}

double ReportModel::noise_sd(Index function) const {
  const SiteSurrogate& s = surrogates_[static_cast<std::size_t>(function)];
  Index near = 0;
  for (Index i = 1; i < sites_.size(); ++i)
    if ((sites_[i].unit - answer_).squaredNorm() < (sites_[near].unit - answer_).squaredNorm()) near = i;
  const double variance = s.noise_at(near);
  const Vector mean = means(function, answer_);
  return variance > 0 ? std::sqrt(variance) / s.slope_at(mean[0]) : 0;
}

double ReportModel::user_value(const Vector& unit, Index k) const {
  return history_.problem()->space.to_user(box_.to_domain(unit))[k];
}

Vector ReportModel::answer_with(Index k, double value) const {
  const ResolvedProblem& problem = *history_.problem();
  Vector user = problem.space.to_user(box_.to_domain(answer_));
  user[k] = value;
  return in_cube(problem, box_, as_span(user));
}

}  // namespace zeroth
