// SPDX-License-Identifier: MIT
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "zeroth/core/options.hpp"
#include "zeroth/core/prox_iterate.hpp"

namespace zeroth {

// Zeroth-order estimates of the smoothed functions f_{i,nu_i}(x) = E f_i(x + nu_i u) and of their gradients. The
// paper's is the two-point Gaussian estimator, eq. (gradest):
//   G_{i,nu_i}(x, xi, u) = (F_i(x + nu_i u, xi) - F_i(x, xi)) / nu_i * u,      F_{nu,i} = F_i(x + nu_i u, xi),
// with the same noise xi at both points. Every choice of direction is scaled so that E[u u'] = I, hence one formula:
struct Estimator {
  // gaussian: N(0, I); signs: each element +1 or -1; sphere: |u|^2 = n; orthonormal: a batch of orthogonal such
  std::string directions = "gaussian";
  std::string difference = "forward";  // forward; central: (F(x + nu u) - F(x - nu u)) / 2nu; one-point: F(x + nu u)/nu
  std::int64_t batch = 1;              // directions averaged, each with its own noise
  bool shared_directions = false;      // one u for all functions; false: independent u_i, as in the paper
  bool baseline = true;                // one-point: (F(x + nu u) - b)/nu with b a running mean of past values
};

inline OptionList options_of(Estimator& e) {
  return {
      {"directions", e.directions, "distribution of the directions u; random signs cost least with very many variables",
       Choices{{"gaussian", "signs", "sphere", "orthonormal"}}},
      {"difference", e.difference, "which points are compared", Choices{{"forward", "central", "one-point"}}},
      {"batch", e.batch, "directions averaged per estimate", at_least_one},
      {"shared_directions", e.shared_directions,
       "one direction for all functions instead of independent ones as in the paper"},
      {"baseline", e.baseline,
       "with difference = one-point: subtract a running mean of past values, which costs no evaluation and no bias"}};
}

// One realisation of the estimator for some of the functions at one point: it proposes its queries, reads their
// answers, and then acts as the linear map G. All memory is taken at construction.
//
// With difference = "one-point" nothing is ever asked twice under one noise and no two points are compared. The mean
// of past values b does not depend on the new u and E[u] = 0, so subtracting it leaves the mean as it is and takes
// E[F^2] n / nu^2, the variance of F/nu u, down to that of F around its own level. The first sample has no past: it
// only fills b and estimates zero.
//
// On a problem that answers only inside X, each pair of points is slid into X as a whole (Domain::make_room): where
// there is space nothing moves and the estimate keeps its distribution; near the boundary it is exact for linear
// functions and otherwise belongs to a point at most the sliding distance away. (One point cannot be slid as a pair:
// its u is the way from x to where it ended up.)
//
// With an `iterate` nothing of length n is kept: points are described (core/iterate.hpp), and directions are drawn
// again from their keys wherever they are needed, with the same bits.
class GradientSample {
 public:
  // `functions`: which f_i are estimated; nu[i]: radius of function i (all functions, in order). `iterate`, if not
  // null, is where x lives, and stays.
  GradientSample(const Spec& spec, const Estimator& estimator, std::vector<double> nu, std::vector<Index> functions,
                 ProxIterate* iterate = nullptr);

  std::size_t queries() const { return queries_; }  // joint evaluations per realisation
  std::int64_t calls() const { return calls_; }     // evaluations of single functions per realisation
  void propose(const Vector& x, std::uint64_t key, std::vector<Query>& batch);  // appends `queries()` of them
  bool read(std::span<const Answer> answers);  // false, and nothing changes, if one of them failed
  // The same where only sum_i weights[i] G_i matters and all functions share their evaluations: each evaluation asks
  // for one sum, which functions that live apart can add up among themselves. combine() must then be given these very
  // weights, which stay as they are until it has been, and there are no values or slopes of single functions.
  bool can_sum() const { return probes_per_draw_ == 1; }
  void propose_sums(const Vector& x, std::uint64_t key, const Vector& weights, std::vector<Query>& batch);
  bool read_sums(std::span<const Answer> answers);

  double value(Index function) const;          // F_{nu,i}
  double squared_slope(Index function) const;  // mean of (directional derivative)^2: |grad f_i|^2 and noise
  // The linear map G, on the variables begin .. begin + size of the vector given, so that callers can work in blocks
  // that stay in cache: gradient = sum_i weights[i] G_i (weights for all functions), and result[i] += <G_i, step>.
  // With an iterate, x must not have moved since `propose`.
  void combine(const Vector& weights, Index begin, Eigen::Ref<Vector> gradient) const;
  void add_along(const Eigen::Ref<const Vector>& step, Index begin, Vector& result) const;
  // What combine() adds up: the directions by their keys, and the weight of each.
  void directions_of(const Vector& weights, std::vector<ProxIterate::Along>& along) const;

 private:
  // The functions that are evaluated along one direction with one radius: all of them if directions are shared and
  // radii equal, a single one if directions are independent.
  struct Probe {
    std::vector<Index> members;
    std::vector<std::uint8_t> wanted;
    double nu = 0;
    std::size_t direction = 0;   // which of directions_ it follows
    Vector forward, backward;    // the points asked; for a forward difference inside X, backward is the base
    std::vector<double> slopes;  // per member: directional derivative of f_i along u
    double summed_slope = 0;     // of the weighted sum
    std::uint64_t key = 0;       // of its direction
    DescribedPoint ahead, behind;
  };

  void draw(const Vector& x, std::uint64_t key);
  void describe(std::uint64_t key);
  double weighted_slope(const Probe& probe, const Vector& weights) const;
  void direction_part(const Probe& probe, Index begin, Eigen::Ref<Vector> u) const;
  void add_along_signs(const Eigen::Ref<const Vector>& step, Index begin, Vector& result) const;
  void orthonormalize();
  void place(const Vector& x, Probe& probe);

  Domain domain_;
  bool inside_only_;
  Estimator estimator_;
  std::vector<Index> functions_;
  std::size_t draws_, probes_per_draw_, copies_ = 1;
  std::vector<Vector> directions_;
  std::vector<Probe> probes_;  // draw by draw
  bool shared_base_, paired_;  // one evaluation at x serves a whole draw; every probe has two points of its own
  std::vector<std::uint8_t> base_wanted_;
  std::vector<double> values_;  // F_nu per function
  std::vector<double> past_;    // b per function
  double pasts_ = 0;            // samples that b has seen
  Vector step_;                 // scratch for sliding pairs into X
  ProxIterate* iterate_;        // where x lives, if points are described
  DescribedPoint at_x_;
  std::vector<Query> summed_;  // what was asked, where sums were; empty otherwise
  std::size_t queries_ = 0;
  std::int64_t calls_ = 0;
};

// How points near x are asked about and x is moved by these estimates, for ProxIterate.
ProxIterate::Rule rule_of(const Estimator& estimator, const Spec& spec);
// Whether points had better be described than sent: where X and the distribution of directions allow it, and drawing
// directions again costs less than keeping them.
bool worth_describing(const Estimator& estimator, const Spec& spec);

// begin, begin + 1, ..., end - 1: which functions an estimate is about.
inline std::vector<Index> range(Index begin, Index end) {
  std::vector<Index> indices(static_cast<std::size_t>(end - begin));
  std::iota(indices.begin(), indices.end(), begin);
  return indices;
}

}  // namespace zeroth
