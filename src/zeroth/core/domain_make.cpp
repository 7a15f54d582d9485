// SPDX-License-Identifier: MIT
//
// How domains are made, and refused by name where they make no sense.
#include <fmt/format.h>

#include <cmath>

#include "zeroth/core/domain.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/core/hulls.hpp"

namespace zeroth {
namespace {

void require(bool ok, const std::string& message) {
  if (!ok) throw Error(message);
}

}  // namespace

Domain Domain::whole_space(Index size) { return Domain(WholeSpace{size}); }

Domain Domain::box(Vector lower, Vector upper) {
  require(lower.size() == upper.size(),
          fmt::format("a box needs as many lower as upper bounds, not {} and {}", lower.size(), upper.size()));
  for (Index i = 0; i < lower.size(); ++i) {
    require(!std::isnan(lower[i]) && !std::isnan(upper[i]), fmt::format("bound {} is NaN", i));
    require(lower[i] <= upper[i],
            fmt::format("lower bound {} is above upper bound {} in coordinate {}", lower[i], upper[i], i));
  }
  return Domain(Box{std::move(lower), std::move(upper)});
}

Domain Domain::box(Index size, double lower, double upper) {
  return box(Vector::Constant(size, lower), Vector::Constant(size, upper));
}

Domain Domain::ball(Vector center, double radius) {
  require(radius > 0 && std::isfinite(radius), fmt::format("a ball's radius must be positive, not {}", radius));
  return Domain(Ball{std::move(center), radius});
}

Domain Domain::simplex(Index size, double total) {
  require(total > 0 && std::isfinite(total), fmt::format("a simplex's total must be positive, not {}", total));
  return Domain(Simplex{size, total});
}

Domain Domain::l1_ball(Vector center, double radius) {
  require(radius > 0 && std::isfinite(radius), fmt::format("an l1 ball's radius must be positive, not {}", radius));
  return Domain(L1Ball{std::move(center), radius});
}

Domain Domain::halfspace(Vector normal, double offset) {
  require(normal.norm() > 0, "a half-space needs a normal other than zero");
  return Domain(Halfspace{std::move(normal), offset});
}

Domain Domain::nuclear_ball(Index rows, Index columns, double radius) {
  require(rows > 0 && columns > 0, fmt::format("a matrix needs rows and columns, not {} by {}", rows, columns));
  require(radius > 0 && std::isfinite(radius),
          fmt::format("a nuclear-norm ball's radius must be positive, not {}", radius));
  return Domain(NuclearBall{rows, columns, radius});
}

Domain Domain::polytope(Matrix vertices) {
  require(vertices.cols() > 0, "a polytope needs at least one vertex");
  require(vertices.allFinite(), "a polytope's vertices must be finite");
  Vector center = vertices.rowwise().mean();
  Matrix directions = directions_of(vertices.colwise() - center);
  return Domain(Polytope{std::move(vertices), std::move(directions), std::move(center)});
}

Domain Domain::product(std::vector<Domain> parts) {
  require(!parts.empty(), "a product needs at least one set");
  Domain result = parts.front();
  for (std::size_t k = 1; k < parts.size(); ++k) {
    for (auto& factor : parts[k].factors_)
      result.factors_.push_back({result.dimension_ + factor.offset, std::move(factor.shape)});
    result.dimension_ += parts[k].dimension_;
  }
  return result;
}

}  // namespace zeroth
