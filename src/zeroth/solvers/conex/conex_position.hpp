// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "zeroth/core/prox_iterate.hpp"
#include "zeroth/core/refreshed_by.hpp"
#include "zeroth/core/search.hpp"
#include "zeroth/solvers/conex/conex_options.hpp"

namespace zeroth {

// Everything of length n in Algorithm 1: x^(t), the last point that answered, and the average, which is the
// recommendation. Where points are described (core/iterate.hpp) step() only says how x moves; the moving itself is put
// off until somebody needs it, so that others can evaluate meanwhile.
class ConexPosition {
 public:
  ConexPosition(const Spec& spec, const ConexOptions& options, Incumbent& incumbent);
  ConexPosition(const ConexPosition&) = delete;
  ConexPosition& operator=(const ConexPosition&) = delete;

  ProxIterate* described() { return described_ ? &iterate_ : nullptr; }  // null: points are sent
  const Vector& x() const { return iterate_.x().whole(); }               // empty where it is kept in single precision
  double distance_from(const Vector& start) const;                       // W(x, start)

  void retreat();  // half-way to the last point where everything was answered
  double squared_gradient(const GradientSample& G, const Vector& y) const;
  // Steps 5 and 7, when everything at x was answered: x moves, and the average by `share` toward it.
  void step(const GradientSample& G, const GradientSample& G_bar, const Vector& y, double eta, double share);
  const Vector& change();  // G_bar times the last step, per function

 private:
  void move(const GradientSample& G_bar, double share, const auto& gradient_part, double eta);

  Index functions_;
  bool described_;
  ProxIterate iterate_;
  StoredVector answered_;
  Incumbent& incumbent_;
  Vector change_, moved_;
  std::vector<ProxIterate::Along> along_;  // of the last step
  std::optional<GradientSample> G_bar_;    // as it was then: by the time x moves, the next one may have been asked
  std::optional<RefreshedBy> refreshed_;   // last: what was put off is done before anything else ends
};

}  // namespace zeroth
