// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "zeroth/solvers/adaptive_conex/frame.hpp"
#include "zeroth/solvers/adaptive_conex/local_model.hpp"
#include "zeroth/solvers/adaptive_conex/subproblem.hpp"

namespace zeroth::adaptive {

// Where a problem says that its noise is shared and has few variables: sequential quadratic programming under one key,
// until its steps are short. What it finds is the optimum of one draw of the noise, from where the solver proper goes
// on. Slopes are forward differences; each function has a Hessian of its own, corrected by every change of its slopes
// (Powell's symmetric form of Broyden's update), and by the value where a step failed. A step is judged by the merit
// function under the same key, and keeps within a trust region.
class Opening {
 public:
  static bool pays(const Spec& spec, const Tuning& tuning);

  Opening(const Spec& spec, const Frame& frame, const Vector& start, std::uint64_t key, const Tuning& tuning);

  std::vector<Ask> plan() const;
  void learn(std::span<const Answer> answers);
  bool over() const { return over_; }
  bool converged() const { return converged_; }  // then keys are honoured, or promises would have been broken

  // What it has learned. Differences under the key, rise = f(w) - f(base), gradient by gradient.
  struct Difference {
    Vector w, base, rise;
  };
  const std::vector<std::vector<Difference>>& differences() const { return differences_; }
  const LocalModel& model() const { return model_; }  // its Hessians
  const Matrix& slopes() const { return slopes_; }    // at best(), in w, a column per function

  const Vector& best() const { return x_; }  // accepted
  // The next point while the last step kept what the model had promised, else the best.
  const Vector& recommended() const { return trusted_ && !over_ ? next_ : x_; }
  const Vector& multipliers() const { return y_; }

 private:
  enum class Wanted { noise, tilt, all, value, slopes };

  Vector beside(const Vector& x, Index variable) const;  // where the difference along a variable evaluations
  void compare_keys(std::span<const Answer> answers);
  void learn_slopes(std::span<const Answer> answers);
  bool scale_first_step(const Vector& values);  // does it lead elsewhere?
  bool judge_step(const Vector& values);        // accepted?
  void correct(const Vector& step, const Matrix& slopes_before);
  void propose_next();
  double merit(const Vector& values) const;

  const Spec& spec_;
  const Frame& frame_;
  const Tuning& tune_;
  Index n_, functions_;
  std::uint64_t key_, other_key_;
  Wanted wanted_;
  Vector reach_;      // of a difference, per variable
  Matrix variables_;  // dx/dw

  Vector x_, next_, values_, other_values_, y_, penalty_, promised_;
  Matrix slopes_, early_;  // early: seen beside the start before the first gradient, a column per variable
  LocalModel model_;
  Held held_;
  Vector last_step_;  // not empty while a step has been accepted whose slopes are to come
  std::vector<std::vector<Difference>> differences_;
  bool probed_ = false, scaled_ = false, trusted_ = false, over_ = false, converged_ = false;
  double trust_;
  int rejected_ = 0, gradients_ = 0;
};

}  // namespace zeroth::adaptive
