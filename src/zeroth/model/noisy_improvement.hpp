// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/model/failure_model.hpp"
#include "zeroth/model/gp.hpp"

namespace zeroth {

// Expected constrained improvement when the best point is itself uncertain (Letham, Karrer, Ottoni and Bakshy 2019):
//   average over draws s of the functions at the evaluated points, from the posterior, of
//   E[max(0, best_s - f(x)) | f = f_s there] * prod_j P(c_j(x) <= 0 | c_j = c_js there),
// best_s the smallest f_s among the evaluated points whose draw is feasible. Conditional on a draw the processes are
// noiseless, so both factors are in closed form, and all draws share one factorisation. While a draw has no feasible
// point its term asks for feasibility first: best_s is the largest f_s.
class NoisyImprovement {
 public:
  // gps: objective, inequalities, equalities (the j-th met when within tolerance[j]). All models share their points.
  NoisyImprovement(const std::vector<const Gp*>& gps, Index constraints, Vector tolerance, const FailureModel& failures,
                   Index draws, std::uint64_t key);

  Vector at(const Matrix& points) const;
  double at_point(const Vector& x) const { return at(x)[0]; }
  // Share of draws in which some evaluated point is feasible.
  double share_feasible() const { return share_feasible_; }

 private:
  struct Conditional {
    Kernel kernel;
    double mean;
    Cholesky factor;
    Matrix weights;  // one column per draw
  };
  void predict(const Conditional& c, const Matrix& points, Matrix& means, Vector& sd) const;

  std::vector<Conditional> conditionals_;
  Matrix points_;
  Vector best_;
  Index constraints_;
  Vector tolerance_;
  double share_feasible_ = 0;
  const FailureModel* failures_;
};

// The columns of `points` that differ from all earlier ones.
Matrix distinct_columns(const Matrix& points);

}  // namespace zeroth
