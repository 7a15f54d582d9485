// SPDX-License-Identifier: MIT
#include "zeroth/solvers/pesc/pesc_models.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/model/acquisition.hpp"
#include "zeroth/model/design.hpp"
#include "zeroth/model/maximize.hpp"
#include "zeroth/model/normal.hpp"
#include "zeroth/model/slice_sampling.hpp"
#include "zeroth/solvers/pesc/pesc_posterior.hpp"
#include "zeroth/solvers/pesc/random_features.hpp"

namespace zeroth {
namespace {

struct PescModelsLabel {
  enum : std::uint64_t { chains = 100, minimisers, grids, recommendation_grids };
};

constexpr double jitter = PescConditioning::jitter;
constexpr int attempts = 10;

}  // namespace

PescFunction PescModels::function(std::size_t task, const Vector& state) const {
  const Index d = state.size() - 2;
  return {{Kernel::Form::matern52, state.head(d), state[d]}, std::exp(state[d + 1]), data_[task]};
}

void PescModels::update(const EvaluationTable& table, const Matrix& failed, std::uint64_t step) {
  data_.clear();
  functions_.clear();
  const auto scaled = [](Evaluations evaluations) {
    evaluations.values /= std::max(1e-300, evaluations.values.cwiseAbs().maxCoeff());
    return evaluations;
  };
  for (Index i = 0; i < spec_.functions(); ++i) {
    Evaluations evaluations = table.evaluations(i);
    if (i == 0) {
      const double mean = evaluations.values.mean(), variance = (evaluations.values.array() - mean).square().mean();
      evaluations.values = (evaluations.values.array() - mean) / (variance > 0 ? std::sqrt(variance) : 1);
      data_.push_back(std::move(evaluations));
    } else if (i <= spec_.constraints) {
      evaluations.values = -evaluations.values;
      data_.push_back(scaled(std::move(evaluations)));
    } else {  // an equality is two inequalities a tolerance apart
      Evaluations below = evaluations, above = evaluations;
      below.values = options_.equality_tolerance - evaluations.values.array();
      above.values = options_.equality_tolerance + evaluations.values.array();
      data_.push_back(scaled(std::move(below)));
      functions_.push_back(i);
      data_.push_back(scaled(std::move(above)));
    }
    functions_.push_back(i);
  }
  if (failed.cols() > 0) {
    Evaluations marks;
    for (std::size_t row = 0; row < table.size(); ++row) marks.add(table.unit(row), 1);
    for (Index i = 0; i < failed.cols(); ++i) marks.add(failed.col(i), -1);
    data_.push_back(std::move(marks));
    functions_.push_back(-1);
  }

  const Index d = spec_.dimension();
  while (chains_.size() < data_.size()) {
    Vector state(d + 2);
    state.head(d).setConstant(0.5);
    state.tail(2) << 1, std::log(options_.noise == "own" ? 1e-3 : jitter);
    chains_.push_back({state, {}});
  }
  posteriors_.assign(data_.size(), {});
  for (std::size_t task = 0; task < data_.size(); ++task) {
    Chain& chain = chains_[task];
    Rng rng(derive_key(derive_key(seed_, PescModelsLabel::chains, task), step));
    // Without noise the last coordinate stays what it is.
    Vector moving = options_.noise == "own" ? chain.state : Vector(chain.state.head(d + 1));
    const auto complete = [&](const Vector& part) {
      chain.state.head(part.size()) = part;
      return chain.state;
    };
    PescPosterior posterior(data_[task], options_.noise == "own");
    const auto density = [&](const Vector& part) { return posterior(complete(part)); };
    double at = density(moving);
    chain.kept.clear();
    for (std::int64_t sweep = 0; sweep < options_.burn_in + options_.samples; ++sweep) {
      at = slice_sweep(density, moving, at, 1, rng);
      if (sweep >= options_.burn_in) chain.kept.push_back(complete(moving));
    }
    complete(moving);
    for (const Vector& state : chain.kept) {
      const PescFunction f = function(task, state);
      posteriors_[task].emplace_back(f.kernel, 0, f.evaluations.points, f.evaluations.values,
                                     Vector(f.noises().array() + jitter));
    }
  }
}

Matrix PescModels::grid(std::uint64_t key, const Vector* spray_center) const {
  const Matrix sobol = SobolSequence(spec_.dimension(), key).next(options_.grid);
  const Matrix& seen = data_[0].points;
  Matrix all(sobol.rows(), sobol.cols() + seen.cols() + (spray_center ? 11 : 0));
  all.leftCols(sobol.cols()) = sobol;
  all.middleCols(sobol.cols(), seen.cols()) = seen;
  if (spray_center) {
    Rng rng(derive_key(key, 1));
    for (Index i = 0; i < 10; ++i) {
      Vector u = *spray_center;
      for (Index k = 0; k < u.size(); ++k) u[k] += 1e-2 * rng.normal();
      all.col(all.cols() - 11 + i) = u.cwiseMax(0.0).cwiseMin(1.0);
    }
    all.col(all.cols() - 1) = *spray_center;
  }
  if (box_.any_whole())
    for (Index i = 0; i < all.cols(); ++i) all.col(i) = box_.snap(all.col(i));
  return all;
}

std::optional<Vector> PescModels::draw_minimiser(std::size_t sample, std::uint64_t step) const {
  const std::uint64_t key = derive_key(derive_key(seed_, PescModelsLabel::minimisers, sample), step);
  const Matrix points = grid(derive_key(key, 0), nullptr);
  for (std::uint64_t attempt = 0; attempt < attempts; ++attempt) {
    Rng rng(derive_key(key, 1, attempt));
    std::vector<FunctionSample> drawn;
    for (const auto& posterior : posteriors_)
      drawn.push_back(FunctionSample::pathwise(posterior[sample], options_.features, rng));
    Vector f = drawn[0].at(points);
    for (std::size_t k = 1; k < drawn.size(); ++k) f = (drawn[k].at(points).array() >= 0).select(f, infinity);
    Index best = 0;
    if (!std::isfinite(f.minCoeff(&best))) continue;
    const Vector start = points.col(best);
    if (box_.any_whole()) return start;
    const auto of = [](const FunctionSample& s, double sign) {
      return [&s, sign](const Vector& x, Vector* gradient) {
        if (!gradient) return sign * s(x);
        const double value = sign * s(x, *gradient);
        *gradient *= sign;
        return value;
      };
    };
    std::vector<Differentiable> constraints;
    for (std::size_t k = 1; k < drawn.size(); ++k) constraints.push_back(of(drawn[k], -1));
    const Vector zeros = Vector::Zero(start.size()), ones = Vector::Ones(start.size());
    const auto local = minimize_constrained(of(drawn[0], 1), constraints, {}, start, zeros, ones, 40, 1e-8);
    return local.feasible && local.value < f[best] ? local.x : start;
  }
  return std::nullopt;
}

void PescModels::condition(std::uint64_t step) {
  conditioned_.clear();
  for (std::size_t s = 0; s < static_cast<std::size_t>(options_.samples); ++s) {
    const auto minimiser = draw_minimiser(s, step);
    if (!minimiser) continue;
    std::vector<PescFunction> constraints;
    for (std::size_t k = 1; k < data_.size(); ++k) constraints.push_back(function(k, chains_[k].kept[s]));
    conditioned_.emplace_back(function(0, chains_[0].kept[s]), std::move(constraints), *minimiser);
  }
}

Matrix PescModels::acquisition(const Matrix& points) const {
  Matrix sum = Matrix::Zero(tasks(), points.cols());
  for (const auto& c : conditioned_) sum += c.acquisition(points);
  return sum / static_cast<double>(options_.samples);
}

PescModels::Averaged PescModels::averaged(const Vector& unit, Vector* mean_gradient,
                                          Matrix* probability_gradients) const {
  const double weight = 1 / static_cast<double>(options_.samples);
  Averaged a{0, Vector::Zero(tasks() - 1)};
  if (mean_gradient) mean_gradient->setZero(unit.size());
  if (probability_gradients) probability_gradients->setZero(unit.size(), tasks() - 1);
  for (const Gp& gp : posteriors_[0]) {
    a.mean += weight * gp.at(unit).mean;
    if (mean_gradient) *mean_gradient += weight * gp.mean_gradient(unit);
  }
  for (Index k = 0; k + 1 < tasks(); ++k)
    for (const Gp& gp : posteriors_[static_cast<std::size_t>(k) + 1]) {
      Vector dm, dv;
      const Prediction p = probability_gradients ? gp.with_gradients(unit, dm, dv) : gp.at(unit);
      const double sd = std::sqrt(p.variance + 1e-12), z = p.mean / sd;
      a.probability[k] += weight * normal_cdf(z);
      if (probability_gradients)
        probability_gradients->col(k) += weight * normal_pdf(z) / sd * (dm - 0.5 * z / sd * dv);
    }
  return a;
}

Vector PescModels::recommend(const Vector& previous, std::uint64_t step) const {
  const Matrix points = grid(derive_key(seed_, PescModelsLabel::recommendation_grids, step), &previous);
  const double weight = 1 / static_cast<double>(options_.samples);
  Vector mean = Vector::Zero(points.cols()), m, v;
  for (const Gp& gp : posteriors_[0]) mean += weight * gp.means_at(points);
  Vector product = Vector::Ones(points.cols()), least = product;
  for (std::size_t k = 1; k < posteriors_.size(); ++k) {
    Vector probability = Vector::Zero(points.cols());
    for (const Gp& gp : posteriors_[k]) {
      gp.at_all(points, m, v);
      for (Index i = 0; i < points.cols(); ++i) probability[i] += weight * normal_cdf(m[i] / std::sqrt(v[i] + 1e-12));
    }
    product.array() *= probability.array();
    least = least.cwiseMin(probability);
  }
  const double wanted = 1 - options_.delta;
  const Vector merit = (least.array() >= wanted).select(mean, infinity);
  Index best = 0;
  if (!std::isfinite(merit.minCoeff(&best))) {
    product.maxCoeff(&best);
    return points.col(best);
  }
  const Vector start = points.col(best);
  if (box_.any_whole()) return start;
  const Differentiable objective = [&](const Vector& u, Vector* gradient) {
    return averaged(u, gradient, nullptr).mean;
  };
  std::vector<Differentiable> constraints;
  for (Index k = 0; k + 1 < tasks(); ++k)
    constraints.push_back([this, k, wanted](const Vector& u, Vector* gradient) {
      Matrix gradients;
      const Averaged a = averaged(u, nullptr, gradient ? &gradients : nullptr);
      if (gradient) *gradient = -gradients.col(k);
      return wanted - a.probability[k];
    });
  const Vector zeros = Vector::Zero(start.size()), ones = Vector::Ones(start.size());
  const auto local = minimize_constrained(objective, constraints, {}, start, zeros, ones, 30, 1e-9);
  return local.feasible && local.value < merit[best] ? local.x : start;
}

}  // namespace zeroth
