// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "zeroth/model/failure_model.hpp"
#include "zeroth/model/unit_box.hpp"
#include "zeroth/solvers/evaluation_table.hpp"
#include "zeroth/solvers/pesc/pesc_conditioning.hpp"
#include "zeroth/solvers/pesc/pesc_options.hpp"

namespace zeroth {

// The Bayesian side of PESC: one zero-mean Matern-5/2 process per task (objective; constraints with c >= 0 feasible),
// with sampled hyperparameters (pesc_posterior.hpp).
class PescModels {
 public:
  PescModels(const Spec& spec, const UnitBox& box, const PescOptions& options, std::uint64_t seed)
      : spec_(spec), box_(box), options_(options), seed_(seed) {}

  // Takes the data in, scales them (objective to mean 0 and sd 1; constraints by their largest absolute value, zero
  // stays zero) and runs every chain on: burn-in, then the kept samples.
  void update(const EvaluationTable& table, const Matrix& failed_units, std::uint64_t step);

  // For every hyperparameter sample a draw of the constrained minimiser and the processes conditioned on it; samples
  // whose functions have no feasible point in ten draws are left out.
  void condition(std::uint64_t step);

  // Averages over the samples: one row per task.
  Matrix acquisition(const Matrix& points) const;
  Index tasks() const { return static_cast<Index>(data_.size()); }
  Index function_of_task(Index task) const { return functions_[static_cast<std::size_t>(task)]; }  // -1: failures

  // min mean f s.t. P(c_k >= 0) >= 1 - delta for every k, hyper-averaged; the most probably feasible point otherwise.
  Vector recommend(const Vector& previous, std::uint64_t step) const;

 private:
  struct Chain {
    Vector state;  // lengths, amplitude, log nu
    std::vector<Vector> kept;
  };
  struct Averaged {
    double mean;
    Vector probability;
  };

  PescFunction function(std::size_t task, const Vector& state) const;
  std::optional<Vector> draw_minimiser(std::size_t sample, std::uint64_t step) const;
  Matrix grid(std::uint64_t key, const Vector* spray_center) const;
  Averaged averaged(const Vector& unit, Vector* mean_gradient, Matrix* probability_gradients) const;

  const Spec& spec_;
  const UnitBox& box_;
  const PescOptions& options_;
  std::uint64_t seed_;
  std::vector<Evaluations> data_;
  std::vector<Index> functions_;
  std::vector<Chain> chains_;
  std::vector<std::vector<Gp>> posteriors_;  // task x sample
  std::vector<PescConditioning> conditioned_;
};

}  // namespace zeroth
