// SPDX-License-Identifier: MIT
#include "zeroth/solvers/augmented_lagrangian/al_search.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/model/design.hpp"
#include "zeroth/model/maximize.hpp"
#include "zeroth/model/unit_box.hpp"

namespace zeroth {
namespace {

struct AlSearchLabel {
  enum : std::uint64_t { design, candidates, draws, noise };
};

// The candidate with the largest improvement and the one with the smallest expected Lagrangian.
struct Choice {
  double improvement = -1, mean = infinity;
  Vector best_improvement, best_mean;
  Index improving = 0, seen = 0;

  void offer(const Vector& unit, double ei, double ey) {
    if (seen++ == 0) best_improvement = best_mean = unit;  // the answer if no number below is one
    improving += ei > 0;
    if (ei > improvement) {
      improvement = ei;
      best_improvement = unit;
    }
    if (ey < mean) {
      mean = ey;
      best_mean = unit;
    }
  }
  double share() const { return static_cast<double>(improving) / static_cast<double>(seen); }
};

Matrix initial_design(const Spec& spec, const UnitBox& box, Index count, Rng& rng) {
  Matrix chosen = d_optimal_subset(latin_hypercube(spec.dimension(), 10 * count, rng), count, rng);
  if (spec.start.size() == 0) return chosen;
  Matrix with_start(chosen.rows(), count + 1);
  with_start << box.to_unit(spec.start), chosen;
  return with_start;
}

// One step: what to evaluate next under the current multipliers.
class AlProposal {
 public:
  AlProposal(const AlSurrogates& data, const FailureModel& failures, const UnitBox& box, const AugmentedLagrangian& al,
             const AlForm& form, const Matrix& normals)
      : data_(data), failures_(failures), box_(box), al_(al), form_(form), normals_(normals) {
    best_ = infinity;
    for (Index i = 0; i < data.size(); ++i) best_ = std::min(best_, form.value(al, data.f(i), data.c(i)));
  }

  Vector choose(Index count, Rng& rng) const {
    Choice choice;
    offer(latin_hypercube(box_.dimension(), count, rng), choice);
    if (choice.share() > 0.01 && choice.share() <= 0.1)
      offer(latin_hypercube(box_.dimension(), 10 * count, rng), choice);
    const bool improves = choice.share() > 0.01;
    const Vector chosen = improves ? choice.best_improvement : choice.best_mean;
    return form_.local_search ? refine(chosen, improves) : chosen;
  }

 private:
  void offer(Matrix points, Choice& choice) const {
    if (box_.any_whole())
      for (Index i = 0; i < points.cols(); ++i) points.col(i) = box_.snap(points.col(i));
    const auto beliefs = data_.beliefs(points);
    const Vector answered = failures_.probabilities_answered(points);
    for (Index i = 0; i < points.cols(); ++i) {
      const BeliefAt& b = beliefs[static_cast<std::size_t>(i)];
      const double ei = answered[i] > 0.01 ? answered[i] * form_.improvement(al_, b, best_, normals_) : 0;
      choice.offer(points.col(i), ei, form_.mean(al_, b) / std::max(answered[i], 1e-3));
    }
  }

  // L-BFGS by central differences; whole coordinates stay where they are.
  Vector refine(const Vector& start, bool improvement) const {
    const auto score = [&](const Vector& u) {
      const BeliefAt b = data_.belief(u);
      const double answered = failures_.probability_answered(u);
      return improvement ? answered * form_.improvement(al_, b, best_, normals_)
                         : -form_.mean(al_, b) / std::max(answered, 1e-3);
    };
    const double scale = std::max(std::abs(score(start)), 1e-300);
    const Differentiable function = [&](const Vector& u, Vector* gradient) {
      if (gradient) {
        constexpr double h = 1e-5;
        gradient->setZero(u.size());
        for (Index k = 0; k < u.size(); ++k) {
          if (box_.whole(k)) continue;
          Vector up = u, down = u;
          up[k] = std::min(1.0, u[k] + h);
          down[k] = std::max(0.0, u[k] - h);
          (*gradient)[k] = (score(up) - score(down)) / (up[k] - down[k]) / scale;
        }
      }
      return score(u) / scale;
    };
    const Vector zeros = Vector::Zero(start.size()), ones = Vector::Ones(start.size());
    return maximize_lbfgs(function, start, zeros, ones, 60).x;
  }

  const AlSurrogates& data_;
  const FailureModel& failures_;
  const UnitBox& box_;
  const AugmentedLagrangian& al_;
  const AlForm& form_;
  const Matrix& normals_;
  double best_;
};

void update_multipliers(const AlSurrogates& data, const AlForm& form, const AlOptions& options,
                        AugmentedLagrangian& al) {
  if (!update_without_valid_point(data, al)) return;
  Index k = 0;
  for (Index i = 1; i < data.size(); ++i)
    if (form.value(al, data.f(i), data.c(i)) < form.value(al, data.f(k), data.c(k))) k = i;
  if (form.update(al, data.c(k), options)) al.rho *= 0.5;
}

}  // namespace

Search al_search(Spec spec, AlOptions options, AlForm form, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();

  const UnitBox box(spec);
  AlSurrogates data(spec, options);
  FailureModel failures;
  AugmentedLagrangian al{Vector::Ones(spec.functions() - 1), 0.5, spec.equalities};
  Rng design_rng(derive_key(seed, AlSearchLabel::design));
  const Matrix start = initial_design(spec, box, options.start, design_rng);
  Matrix normals(form.draws, spec.functions());
  std::vector<Vector> x, evaluated;
  std::vector<Query> batch;
  Index asked = 0, fitted = 0;

  for (;;) {
    Matrix units;
    if (asked < start.cols()) {
      units = start.middleCols(asked, std::min<Index>(std::max(1, spec.width), start.cols() - asked));
    } else if (data.size() < 2) {  // all but failures so far
      units = latin_hypercube(spec.dimension(), 1, design_rng);
    } else {
      if (fitted == 0) al.rho = options.rho > 0 ? options.rho : data.automatic_rho();
      if (fitted == 0 || data.size() - fitted >= options.refit_every) {
        data.fit();
        fitted = data.size();
      }
      failures.refit();
      update_multipliers(data, form, options, al);
      const auto step = static_cast<std::uint64_t>(asked);
      fill_normal(derive_key(seed, AlSearchLabel::draws, step),
                  {normals.data(), static_cast<std::size_t>(normals.size())});
      Rng rng(derive_key(seed, AlSearchLabel::candidates, step));
      const Index count = options.candidates > 0 ? options.candidates : data.size() + 1;
      units = AlProposal(data, failures, box, al, form, normals).choose(count, rng);
    }

    x.resize(static_cast<std::size_t>(units.cols()));
    batch.resize(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = box.to_domain(units.col(static_cast<Index>(k)));
      batch[k].x = as_span(x[k]);
      batch[k].noise = noise_key(seed, AlSearchLabel::noise, static_cast<std::uint64_t>(asked++));
    }
    const auto answers = co_await evaluate(batch);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const Vector unit = box.to_unit(x[k]);
      failures.record(unit, answers[k].failed());
      if (answers[k].failed()) continue;
      data.add(unit, answers[k]);
      evaluated.push_back(x[k]);
    }
    if (data.size() > 0) incumbent.x = evaluated[static_cast<std::size_t>(data.best())];
    incumbent.multipliers = al.lambda;
    incumbent.trace = {{"rho", al.rho}};
  }
}

}  // namespace zeroth
