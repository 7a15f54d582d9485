// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "zeroth/core/problem.hpp"
#include "zeroth/core/search.hpp"
#include "zeroth/model/site_surrogate.hpp"
#include "zeroth/model/unit_box.hpp"

namespace zeroth {

// Means and standard deviations of all functions at some points, in the models' units: one row per function.
struct Beliefs {
  Matrix mean, sd;
  Vector answered;  // probability that an evaluation there succeeds
};

// How many kernels of so many variables can be fitted and factored in the time that an evaluation is worth; 0: none.
Index affordable_kernels(Index dimension, Index functions);

// What all evaluations so far say of all functions over the whole set: one surrogate per function over shared sites,
// and one of where evaluations fail. Where there are more functions than kernels are affordable, constraints whose
// noise is alike share one.
class SiteModel {
 public:
  SiteModel(const Spec& spec, const UnitBox& box);

  // Takes an evaluation in. Before, its prediction is scored: `trust` grows where the models were too sure.
  void observe(const Vector& unit, const Answer& answer, Index key = -1);
  void observe(const Vector& unit, const Evaluated& known) { sites_.add(unit, known); }
  // Enough is known to ask the model.
  bool ready() const { return sites_.answered() >= 3; }
  // After observations, before questions: fits where the data have grown by a third, otherwise takes them in.
  void update(const Vector& focus);

  const Sites& sites() const { return sites_; }
  const std::vector<Index>& active() const { return active_; }  // the sites the surrogates rest on
  const SiteSurrogate& function(Index i) const { return surrogates_[static_cast<std::size_t>(i)]; }
  Index functions() const { return static_cast<Index>(surrogates_.size()); }
  // Of the functions; of their smooth parts, which is where a search goes; by lengths of a third.
  enum class Scale : std::uint8_t { learned, smooth, short_scale };
  Beliefs predict(const Matrix& units, Scale scale = Scale::learned) const;
  // The same at one point, in the functions' own units.
  Belief believe(const Vector& unit) const;
  bool noisy() const;
  // No noise at all, as far as replicates at several sites can tell.
  bool exact() const;

  // In the models' units: how far function i may go. Constraints: at most upper; equalities: within lower .. upper.
  double upper(Index i) const;
  double lower(Index i) const;
  bool equality(Index i) const { return i > constraints_; }

  // The site that an evaluation at `unit` could not be told from, if there is one: replicating it says more.
  std::optional<Index> indistinguishable(const Vector& unit) const;

 private:
  void choose_active(const Vector& focus);
  void choose_leaders();
  Index leader_of(Index i) const { return leader_.empty() ? i : leader_[static_cast<std::size_t>(i)]; }

  const UnitBox& box_;
  std::unique_ptr<const Embedding> embedding_;  // surrogates point to it
  Index constraints_;
  Vector given_tolerance_;
  Index most_kernels_, most_sites_;
  std::vector<Index> leader_;  // of every function: whose kernel it shares; empty: its own
  Sites sites_;
  std::vector<SiteSurrogate> surrogates_;
  std::vector<Index> active_;
  SiteGp failing_;
  Vector doubt_;  // per function: mean squared z-score of predictions, with forgetting
  Vector largest_equality_;
  Index fitted_sites_ = 0;
  std::int64_t fitted_evaluations_ = 0;
};

}  // namespace zeroth
