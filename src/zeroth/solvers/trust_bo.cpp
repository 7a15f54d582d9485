// SPDX-License-Identifier: MIT
#include "zeroth/solvers/trust_bo.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <optional>

#include "zeroth/model/design.hpp"
#include "zeroth/model/maximize.hpp"
#include "zeroth/model/noisy_improvement.hpp"
#include "zeroth/model/noisy_surrogate.hpp"
#include "zeroth/model/safe_optimum.hpp"

// Our own, from the best of the field:
//   - every output is a Gaussian process with inferred smoothness, length scales and noise, which may depend on
//     x (noisy_surrogate.hpp);
//   - the search turns around the optimum of the posterior with every constraint kept at the asked confidence
//     (safe_optimum.hpp), never the luckiest look; what is recommended is such an optimum close to a look, since a
//     model of few looks is sure of too much; when there is no sign of noise, it is the best evaluated point;
//   - evaluations alternate between the noisy constrained improvement (Letham et al. 2019; noisy_improvement.hpp) and
//     the model's own optimum with a small margin: there a look decides where the boundary lies, replicates included,
//     and without noise it is a step of sequential quadratic programming on the model;
//   - candidates come from the whole box and from a trust region around the recommendation, whose size follows
//     successes and failures (Eriksson and Poloczek 2021, SCBO) and whose shape follows the length scales;
//   - a batch is filled one by one, each with the posterior means at those before it as pretended answers;
//   - failures are a hidden constraint (failure_model.hpp); whole-valued coordinates are rounded before they are
//     scored;
//   - multipliers come from the balance of posterior gradients at the recommendation.

namespace zeroth {
namespace {

struct TrustBoLabel {
  enum : std::uint64_t { design, spread, draws, noise };
};

constexpr double smallest_region = 1.0 / 128, first_region = 0.8;
constexpr double close_to_a_look = 0.05, farthest_fallback = 0.15;  // of the unit cube's edge

struct TrustRegion {
  double length = first_region;
  Index successes = 0, failures = 0;
  double best = std::numeric_limits<double>::infinity();
  bool feasible = false;

  // Success: the recommended value fell by more than a thousandth of the data's spread, or became feasible.
  void update(const SafeOptimum& now, double value_spread, Index patience) {
    const bool success = (now.feasible && !feasible) || (now.feasible && now.value < best - 1e-3 * value_spread);
    if (success) {
      ++successes;
      failures = 0;
    } else {
      ++failures;
      successes = 0;
    }
    best = now.value;
    feasible = now.feasible;
    if (successes >= 3) {
      length = std::min(1.6, 2 * length);
      successes = 0;
    }
    if (failures >= patience) {
      length *= 0.5;
      failures = 0;
    }
    if (length < smallest_region) length = first_region;  // look around again, with all that is known
  }
};

// All outputs and what follows from them for one step.
class Models {
 public:
  Models(const Spec& spec, const UnitBox& box, const TrustBoOptions& options)
      : spec_(spec), box_(box), options_(options), surrogates_(static_cast<std::size_t>(spec.functions())) {
    surrogates_[0] = NoisySurrogate(NoisySurrogate::Role::objective);
  }

  Index size() const { return surrogates_[0].size(); }
  const Matrix& points() const { return surrogates_[0].looks().points; }
  const NoisySurrogate& output(std::size_t i) const { return surrogates_[i]; }

  void add(const Vector& unit, const Answer& answer) {
    failures_.record(unit, answer.failed());
    if (answer.failed()) return;
    for (std::size_t i = 0; i < surrogates_.size(); ++i) surrogates_[i].add(unit, answer.values[i]);
  }

  // Fits whenever the data have grown by a twentieth; between fits the old hyperparameters take the new data in.
  void refresh() {
    const bool fit = fitted_ == 0 || size() - fitted_ >= std::max<Index>(1, fitted_ / 20);
    for (auto& s : surrogates_) fit ? s.fit() : s.rebuild();
    if (fit) fitted_ = size();
    failures_.refit();
    pretended_.clear();
    for (const auto& s : surrogates_) pretended_.push_back(s.gp());
  }

  bool exact() const {
    return std::ranges::all_of(surrogates_, [](const NoisySurrogate& s) { return s.exact(); });
  }

  // The pretended answer to a proposal of the batch under way.
  void pretend(const Vector& unit) {
    for (std::size_t i = 0; i < pretended_.size(); ++i)
      pretended_[i].append(unit, pretended_[i].at(unit).mean, surrogates_[i].noise_variance_at(unit));
  }

  std::vector<const Gp*> processes() const {
    std::vector<const Gp*> all;
    for (const auto& gp : pretended_) all.push_back(&gp);
    return all;
  }
  const FailureModel& failures() const { return failures_; }

  // Where to look when there is nothing to gain: much uncertainty about f, and an answer to be expected.
  Index least_known(const Matrix& points) const {
    Vector mean, variance;
    pretended_[0].at_all(points, mean, variance);
    const Vector answered = failures_.probabilities_answered(points);
    Index best = 0;
    variance.cwiseProduct(answered.array().pow(4).matrix()).maxCoeff(&best);
    return best;
  }
  // What is recommended keeps well within the tolerance: at its edge the check would be a toss of a coin.
  SafeOptimizer optimizer() const {
    return SafeOptimizer(processes(), spec_.constraints, 0.25 * tolerance(), failures_, box_);
  }

  // Within which an equality counts as met: told, or one percent of its scale over X as far as it has been seen.
  Vector tolerance() const {
    if (options_.equality_tolerance > 0) return Vector::Constant(spec_.equalities, options_.equality_tolerance);
    if (spec_.equality_tolerance.size() > 0) return spec_.equality_tolerance;
    Vector result(spec_.equalities);
    for (Index j = 0; j < spec_.equalities; ++j)
      result[j] =
          0.01 * output(static_cast<std::size_t>(1 + spec_.constraints + j)).looks().values.cwiseAbs().maxCoeff();
    return result;
  }

  // The best look that meets every constraint; for exact data.
  std::optional<Index> best_look() const {
    std::optional<Index> best;
    const Vector within = tolerance();
    for (Index i = 0; i < size(); ++i) {
      bool met = true;
      for (std::size_t j = 1; j < surrogates_.size(); ++j) {
        const double c = surrogates_[j].looks().values[i];
        const Index equality = static_cast<Index>(j) - 1 - spec_.constraints;
        met = met && (equality < 0 ? c <= 0 : std::abs(c) <= within[equality]);
      }
      const Vector& f = surrogates_[0].looks().values;
      if (met && (!best || f[i] < f[*best])) best = i;
    }
    return best;
  }

 private:
  const Spec& spec_;
  const UnitBox& box_;
  const TrustBoOptions& options_;
  std::vector<NoisySurrogate> surrogates_;
  std::vector<Gp> pretended_;
  FailureModel failures_;
  Index fitted_ = 0;
};

// Points around `center`: normal steps of many sizes, in some coordinates only when there are many, shaped by the
// lengths.
Matrix around(const Vector& center, const Kernel& kernel, double length, Index count, const UnitBox& box, Rng& rng) {
  const Index d = center.size();
  Vector shape(d);
  for (Index k = 0; k < d; ++k) shape[k] = std::min(kernel.length_of(k), 10.0);
  shape *= 0.5 * length / std::exp(shape.array().log().mean());
  const double chance = std::min(1.0, 20.0 / static_cast<double>(d));
  Matrix points(d, count);
  for (Index i = 0; i < count; ++i) {
    const double size = std::exp(rng.uniform(std::log(1e-3), 0));
    const Index always = static_cast<Index>(rng.below(static_cast<std::uint64_t>(d)));
    Vector step(d);
    for (Index k = 0; k < d; ++k) {
      const double normal = rng.normal();
      step[k] = k == always || rng.uniform() < chance ? size * shape[k] * normal : 0;
    }
    if (kernel.mixed()) kernel.mixing.triangularView<Eigen::UnitUpper>().solveInPlace(step);
    points.col(i) = center + step;
    // Where the model is wrong about a variable, small steps in all of them never find out: every second point moves up
    // to three to anywhere. In few dimensions the points of the whole box do this.
    if (thinness(d) < 1 && rng.uniform() < 0.5) {
      points.col(i) = center;
      for (std::uint64_t moves = 1 + rng.below(3); moves > 0; --moves)
        points(static_cast<Index>(rng.below(static_cast<std::uint64_t>(d))), i) = rng.uniform();
    }
    points.col(i) = box.snap(points.col(i).cwiseMax(0.0).cwiseMin(1.0));
  }
  return points;
}

// `center` and the columns of `points` no farther from it than a fallback may be.
Matrix close_to(const Vector& center, const Matrix& points) {
  Matrix close(center.size(), points.cols() + 1);
  close.col(0) = center;
  Index count = 1;
  for (Index i = 0; i < points.cols(); ++i)
    if ((points.col(i) - center).lpNorm<Eigen::Infinity>() <= farthest_fallback) close.col(count++) = points.col(i);
  return close.leftCols(count);
}

bool already_seen(const Matrix& points, const Vector& unit) {
  return points.cols() > 0 && (points.colwise() - unit).colwise().lpNorm<Eigen::Infinity>().minCoeff() < 1e-5;
}

}  // namespace

Search trust_bo(Spec spec, TrustBoOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();

  const UnitBox box(spec);
  const Index d = spec.dimension();
  const double z = -1.41421356237309504880 * boost::math::erfc_inv(2 * options.safety);
  Models models(spec, box, options);
  TrustRegion region;
  SafeOptimum recommended{box.to_unit(spec.first_point()), 0, 0, false};

  // Up to four variables eight looks are a start, and what comes after them is better placed. Beyond twenty no design
  // that anybody can afford tells of the whole box; the trust region finds the way.
  const Index enough = d > 20 ? 12 : d > 4 ? 2 * d + 4 : std::min<Index>(2 * d + 4, 8);
  const Index planned =
      options.start > 0 ? options.start : std::max<Index>(3, std::min<Index>(enough, spec.budget / 3));
  Rng design_rng(derive_key(seed, TrustBoLabel::design));
  Matrix start(d, planned);
  start << recommended.unit, maximin_latin_hypercube(d, planned - 1, design_rng);
  // In many dimensions nearly all of a box is at its edges, where few things work: drawn towards the start, but for
  // whole-valued coordinates, which would not leave it.
  if (thinness(d) < 1)
    for (Index j = 0; j < d; ++j)
      if (!box.whole(j))
        for (Index k = 1; k < planned; ++k) start(j, k) = start(j, 0) + thinness(d) * (start(j, k) - start(j, 0));

  std::vector<Vector> x;
  std::vector<Query> batch;
  Index asked = 0;
  double owed = 0;  // verifications due, by the share asked for
  for (;;) {
    std::vector<Vector> units;
    const Index width = std::max(1, spec.width);
    if (asked < planned) {
      for (Index k = asked; k < std::min(asked + width, planned); ++k) units.push_back(start.col(k));
    } else if (models.size() < 3) {  // all but failures so far
      units.push_back(latin_hypercube(d, 1, design_rng));
    }
    const bool designing = !units.empty();
    for (Index k = 0; !designing && k < width; ++k) {
      const auto step = static_cast<std::uint64_t>(asked + k);
      Rng rng(derive_key(seed, TrustBoLabel::spread, step));
      const Kernel& shape = models.output(0).gp().kernel();
      const Index half = options.candidates / 2;
      Matrix pool(d, 2 * half + 1);
      pool << recommended.unit, SobolSequence(d, rng.bits()).next(half),
          around(recommended.unit, shape, region.length, half, box, rng);
      for (Index i = 1; i <= half; ++i) pool.col(i) = box.snap(pool.col(i));

      std::optional<Vector> chosen;
      // The more room there is, the less is the model's optimum worth a look, until there are some looks per dimension.
      const double looks_per_dimension = static_cast<double>(models.size()) / static_cast<double>(d);
      owed += options.verify * std::min(1.0, thinness(d) * std::max(1.0, looks_per_dimension / 5));
      if (owed >= 1) {
        owed -= 1;
        const Vector optimum = models.optimizer().solve(pool, 0.5 * z, 0, true).unit;
        if (!models.exact() || !already_seen(models.points(), optimum)) chosen = optimum;
      }
      if (!chosen) {
        const NoisyImprovement improvement(models.processes(), spec.constraints, models.tolerance(), models.failures(),
                                           options.draws, derive_key(seed, TrustBoLabel::draws, step));
        const Vector values = improvement.at(pool);
        Index best = 0;
        values.maxCoeff(&best);
        Vector lower = Vector::Zero(d), upper = Vector::Ones(d);
        for (Index j = 0; j < d; ++j)
          if (box.whole(j)) lower[j] = upper[j] = pool(j, best);
        chosen = pool.col(values[best] > 0 ? best : models.least_known(pool));
        if (values[best] > 0 && !box.any_whole())
          chosen = maximize_derivative_free([&](const Vector& u) { return std::log(improvement.at_point(u) + 1e-300); },
                                            pool.col(best), lower, upper, 0.05 * region.length,
                                            static_cast<int>(20 + 10 * d), 1e-5)
                       .x;
      }
      units.push_back(box.snap(*chosen));
      if (k + 1 < width) models.pretend(units.back());
    }

    x.resize(units.size());
    batch.resize(units.size());
    for (std::size_t k = 0; k < units.size(); ++k) {
      x[k] = box.to_domain(units[k]);
      batch[k].x = as_span(x[k]);
      batch[k].noise = noise_key(seed, TrustBoLabel::noise, static_cast<std::uint64_t>(asked++));
    }
    const auto answers = co_await look(batch);
    for (std::size_t k = 0; k < units.size(); ++k) models.add(units[k], answers[k]);
    if (models.size() < 3) continue;

    models.refresh();
    Rng rng(derive_key(seed, TrustBoLabel::spread, static_cast<std::uint64_t>(asked) + (std::uint64_t{1} << 40)));
    const Matrix seen = distinct_columns(models.points());
    Matrix pool(d, seen.cols() + 1 + options.candidates);
    pool << recommended.unit, seen,
        around(recommended.unit, models.output(0).gp().kernel(), region.length, options.candidates, box, rng);
    const SafeOptimizer optimizer = models.optimizer();
    recommended = optimizer.solve(pool, z, 0.5, true);
    const Vector& f = models.output(0).looks().values;
    if (asked > planned)
      region.update(recommended, std::sqrt((f.array() - f.mean()).square().mean()), std::max<Index>(4, d));
    const SafeOptimum looked_at = optimizer.solve(seen, z, 1, true, close_to_a_look);
    const SafeOptimum& answer = looked_at.feasible && looked_at.z >= recommended.z ? looked_at : recommended;
    incumbent.x = box.to_domain(answer.unit);
    if (models.exact()) {
      if (const auto best = models.best_look()) incumbent.x = box.to_domain(models.points().col(*best));
    }
    // Where the check retreats to if its fresh looks do not confirm the recommendation.
    if (spec.constraints > 0) {
      const Matrix close = close_to(answer.unit, pool);
      const SafeOptimum safer = optimizer.solve(close, z + 2, 0.5, true, farthest_fallback);
      const bool safe = safer.feasible && safer.z > answer.z;
      incumbent.cautious = {box.to_domain(safe ? safer.unit : optimizer.least_violating(close, z + 2))};
    }
    incumbent.multipliers = optimizer.multipliers(answer.unit, z);
    incumbent.trace = {{"region", region.length}, {"margin", answer.z}};
    for (std::size_t i = 0; i < static_cast<std::size_t>(spec.functions()); ++i)
      incumbent.trace["noise_" + std::to_string(i)] = std::sqrt(models.output(i).noise_variance_at(answer.unit));
  }
}

}  // namespace zeroth
