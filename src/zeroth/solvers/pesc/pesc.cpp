// SPDX-License-Identifier: MIT
#include "zeroth/solvers/pesc/pesc.hpp"

#include "zeroth/model/design.hpp"
#include "zeroth/model/maximize.hpp"
#include "zeroth/solvers/pesc/pesc_models.hpp"

// Ask where the answer is expected to tell most about the constrained minimiser x*:
//   alpha(x) = sum over functions of  H[y(x) | data] - E_{x*} H[y(x) | data, x*]
//            ~ average over samples of  1/2 log(v(x) + nu) - 1/2 log(v(x | x*) + nu),
// with hyperparameters by slice sampling, one x* per sample as the minimiser of functions drawn from the posterior, and
// v(x | x*) by expectation propagation (pesc_conditioning.hpp). The next point maximises the sum over the functions;
// decoupled, the largest single term, and only that function is asked. The recommendation minimises the posterior mean
// of f subject to P(c_k feasible) >= 1 - delta for every k.
//
// Written from the equations of the papers alone. Deviations: functions are drawn by Matheron's rule on random
// features, which is exact at the data; their scans use 1000 points where the authors take 10000, followed by local
// searches; log nu is sampled instead of nu; the jitter that stabilises the covariances is left out of the probability
// of feasibility at the recommendation; an equality is a pair of inequalities a tolerance apart. A failure is a
// constraint of its own with values +1 and -1, as in the authors' system.

namespace zeroth {
namespace {

struct PescLabel {
  enum : std::uint64_t { first_points, scan, noise };
};

}  // namespace

Search pesc(Spec spec, PescOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();

  const UnitBox box(spec);
  EvaluationTable table(spec.functions());
  PescModels models(spec, box, options, seed);
  SobolSequence first(spec.dimension(), derive_key(seed, PescLabel::first_points));
  Matrix failed(spec.dimension(), 0);
  Vector recommended = box.to_unit(spec.first_point()), unit, point;
  std::vector<std::uint8_t> wanted;
  std::vector<Query> batch(1);

  for (std::uint64_t asked = 0;; ++asked) {
    batch[0].wanted = {};
    if (asked == 0 && spec.start.size() > 0) {
      unit = box.to_unit(spec.start);
    } else if (asked < static_cast<std::uint64_t>(options.start) || table.size() == 0) {
      unit = first.next(1);
    } else {
      models.condition(asked);
      const auto score = [&](const Matrix& points) {
        const Matrix alpha = models.acquisition(points);
        return options.decoupled ? Vector(alpha.colwise().maxCoeff().transpose())
                                 : Vector(alpha.colwise().sum().transpose());
      };
      Matrix points(spec.dimension(), options.grid + 1);
      points << SobolSequence(spec.dimension(), derive_key(seed, PescLabel::scan, asked)).next(options.grid),
          recommended;
      for (Index i = 0; box.any_whole() && i < points.cols(); ++i) points.col(i) = box.snap(points.col(i));
      Index best = 0;
      score(points).maxCoeff(&best);
      unit = points.col(best);
      if (!box.any_whole()) {
        const Vector zeros = Vector::Zero(unit.size()), ones = Vector::Ones(unit.size());
        unit =
            maximize_derivative_free([&](const Vector& u) { return score(u)[0]; }, unit, zeros, ones, 0.02, 80, 1e-4).x;
      }
      if (options.decoupled) {
        Index task = 0;
        models.acquisition(unit).col(0).maxCoeff(&task);
        if (models.function_of_task(task) >= 0) {
          wanted.assign(static_cast<std::size_t>(spec.functions()), 0);
          wanted[static_cast<std::size_t>(models.function_of_task(task))] = 1;
          batch[0].wanted = wanted;
        }
      }
    }
    unit = box.snap(unit);
    point = box.to_domain(unit);
    batch[0].x = as_span(point);
    batch[0].noise = noise_key(seed, PescLabel::noise, asked);
    const auto answers = co_await evaluate(batch);
    if (answers[0].failed()) {
      failed.conservativeResize(Eigen::NoChange, failed.cols() + 1);
      failed.col(failed.cols() - 1) = unit;
    } else {
      table.record(unit, point, batch[0], answers[0]);
    }
    if (table.size() == 0) continue;
    models.update(table, failed, asked);
    recommended = models.recommend(recommended, asked);
    incumbent.x = box.to_domain(recommended);
  }
}

}  // namespace zeroth
