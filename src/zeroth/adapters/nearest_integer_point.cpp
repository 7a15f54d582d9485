// SPDX-License-Identifier: MIT
#include <cmath>
#include <optional>

#include "zeroth/adapters/fence.hpp"
#include "zeroth/core/quadratic_program.hpp"

namespace zeroth {
namespace {

struct Node {
  Vector lower, upper;
  WorkingSet guess;
};

// The integer variable farthest from a level, if any is off one.
Index most_fractional(const std::vector<VariableType>& type, const Vector& x) {
  Index found = -1;
  double most = 1e-7;
  for (Index i = 0; i < x.size(); ++i) {
    if (type[static_cast<std::size_t>(i)] == VariableType::real) continue;
    const double off = std::abs(x[i] - std::nearbyint(x[i]));
    if (off > most) {
      most = off;
      found = i;
    }
  }
  return found;
}

}  // namespace

std::optional<Vector> nearest_integer_point(const Space& space, const Vector& user_x, int most_nodes, bool* proved) {
  const Variables& v = space.variables();
  const Index n = v.size();
  QuadraticProgram p;
  p.hessian = Matrix(n, 1);
  for (Index i = 0; i < n; ++i) {
    const double width = v.upper[i] - v.lower[i];
    p.hessian(i, 0) = std::isfinite(width) && width > 0 ? 1 / (width * width) : 1;
  }
  p.linear = -p.hessian.col(0).cwiseProduct(user_x);
  const auto& planes = space.plane_rows();
  p.rows.resize(static_cast<Index>(planes.size()), n);
  p.row_lower.resize(p.rows.rows());
  p.row_upper.resize(p.rows.rows());
  for (Index r = 0; r < p.rows.rows(); ++r) {
    const LinearRow& row = space.rows()[planes[static_cast<std::size_t>(r)]];
    p.rows.row(r) = row.coefficients.transpose();
    p.row_lower[r] = row.lower;
    p.row_upper[r] = row.upper;
    // The least bit inside, for the rounding of real variables.
    const double length = row.coefficients.norm(), size = length * (1 + user_x.lpNorm<Eigen::Infinity>());
    const bool whole_row = [&] {
      for (Index i = 0; i < n; ++i)
        if (row.coefficients[i] != 0 && v.type[static_cast<std::size_t>(i)] == VariableType::real) return false;
      return true;
    }();
    if (row.upper - row.lower > 1e-9 * size && !whole_row) {
      p.row_lower[r] += 1e-12 * size;
      p.row_upper[r] -= 1e-12 * size;
    }
  }
  std::vector<Node> open{{v.lower, v.upper, {}}};
  std::optional<Vector> best;
  double best_value = infinity;
  int nodes = 0;
  for (; !open.empty() && nodes < most_nodes; ++nodes) {
    Node node = std::move(open.back());
    open.pop_back();
    p.lower = node.lower;
    p.upper = node.upper;
    const QuadraticSolution s = solve(p, node.guess);
    if (!s.solved() || !(s.value < best_value)) continue;
    const Index branch = most_fractional(v.type, s.x);
    if (branch < 0) {
      Vector whole = s.x;
      for (Index i = 0; i < n; ++i)
        if (v.type[static_cast<std::size_t>(i)] != VariableType::real) whole[i] = std::nearbyint(whole[i]);
      best = whole;
      best_value = s.value - 1e-12 * (1 + std::abs(s.value));
      continue;
    }
    Node below{node.lower, node.upper, s.working_set}, above = below;
    below.upper[branch] = std::floor(s.x[branch]);
    above.lower[branch] = std::ceil(s.x[branch]);
    const bool nearer_below = s.x[branch] - std::floor(s.x[branch]) < 0.5;
    open.push_back(nearer_below ? above : below);  // the nearer side comes first
    open.push_back(nearer_below ? std::move(below) : std::move(above));
  }
  if (proved) *proved = !best && open.empty();
  return best;
}

}  // namespace zeroth
