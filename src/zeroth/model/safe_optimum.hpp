// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/model/failure_model.hpp"
#include "zeroth/model/gp.hpp"
#include "zeroth/model/unit_box.hpp"

namespace zeroth {

// The point to bet on, by the posterior alone:
//   min mean_f + caution * sd_f   s.t.   mean_cj + z sd_cj <= 0,  |mean_hj| <= tolerance_j,
//                                        P(answered) >= Phi(min(1, z)),
// in the unit cube. If no point satisfies this, z is lowered step by step; at the end the point that violates least.
struct SafeOptimum {
  Vector unit;
  double value = 0;  // the criterion there
  double z = 0;      // the margin that was attained, in posterior standard deviations
  bool feasible = false;
};

class SafeOptimizer {
 public:
  // gps: objective, inequalities, equalities. The referred objects must outlive this one.
  SafeOptimizer(std::vector<const Gp*> gps, Index constraints, Vector tolerance, const FailureModel& failures,
                const UnitBox& box)
      : gps_(std::move(gps)),
        constraints_(constraints),
        tolerance_(std::move(tolerance)),
        failures_(failures),
        box_(box) {}

  // Starts from the best columns of `pool`; with `polish` SLSQP goes on from there, otherwise one of them is returned.
  // `reach`: no coordinate goes farther than this from where it started.
  SafeOptimum solve(const Matrix& pool, double z, double caution, bool polish, double reach = 1) const;

  // The column that violates the constraints least when each is to keep the margin z; the cheapest of several.
  Vector least_violating(const Matrix& pool, double z) const;

  // y >= 0 (any sign for equalities) that best balances grad f + sum y_j grad c_j = 0 over the coordinates off the
  // bounds, for the constraints that are active at `unit`; from the posterior means.
  Vector multipliers(const Vector& unit, double z) const;

 private:
  struct Scores {
    Vector value, violation;
  };
  Scores score(const Matrix& points, double z, double caution) const;
  double scale(std::size_t i) const;
  SafeOptimum polished(const Vector& start, double z, double caution, double reach) const;

  std::vector<const Gp*> gps_;
  Index constraints_;
  Vector tolerance_;
  const FailureModel& failures_;
  const UnitBox& box_;
};

}  // namespace zeroth
