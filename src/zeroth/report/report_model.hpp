// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "zeroth/model/site_surrogate.hpp"
#include "zeroth/report/run_history.hpp"

namespace zeroth {

// Means and standard deviations in a function's own units.
struct Predicted {
  Vector mean, sd;
};

// Gaussian processes of some functions of a run, over the unit cube of its variables, in what was measured and declared
// (RunHistory::shown).
class ReportModel {
 public:
  // Null where there is nothing to model: too few evaluations, no bounds, no points.
  static std::unique_ptr<ReportModel> of(const RunHistory& history, const std::vector<std::size_t>& functions,
                                         const std::vector<double>& answer);

  const UnitBox& box() const { return box_; }
  Index sites() const { return sites_.size(); }
  const Vector& answer() const { return answer_; }  // in the unit cube
  Index functions() const { return static_cast<Index>(surrogates_.size()); }

  Predicted predict(Index function, const Matrix& units) const;
  Vector means(Index function, const Matrix& units) const;
  // The same without one of `groups` parts of the sites, kernel and warps as they are: what errors are judged by.
  Vector means_without(Index function, const Matrix& units, Index group, Index groups) const;
  double noise_sd(Index function) const;  // of one evaluation at the answer
  // The user's value of coordinate k of a point of the cube.
  double user_value(const Vector& unit, Index k) const;
  // The answer with another value of coordinate k, given in the user's units.
  Vector answer_with(Index k, double value) const;
  const VariableInfo& variable(Index k) const { return history_.variables()[static_cast<std::size_t>(k)]; }

 private:
  ReportModel(const RunHistory& history, const Spec& spec) : history_(history), box_(spec), sites_(0) {}
  bool learn(const std::vector<std::size_t>& functions, const std::vector<double>& answer);

  const RunHistory& history_;
  UnitBox box_;
  std::unique_ptr<const Embedding> embedding_;  // surrogates point to it
  Sites sites_;
  std::vector<Index> which_;
  std::vector<SiteSurrogate> surrogates_;
  Vector answer_;
};

}  // namespace zeroth
