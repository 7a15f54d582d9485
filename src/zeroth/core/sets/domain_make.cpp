// SPDX-License-Identifier: MIT
//
// How domains are made, and refused by name where they make no sense.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zeroth/core/domain.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/core/sets/iterative_projections.hpp"

namespace zeroth {
namespace {

void require(bool ok, const std::string& message) {
  if (!ok) throw Error(message);
}

// One set's part in an intersection, over the variables `members`.
class Gather {
 public:
  Gather(Intersection::Parts& parts, std::vector<Index> members) : parts_(parts), members_(std::move(members)) {}

  void operator()(const WholeSpace&) {}
  void operator()(const Box& s) { bound(s.lower, s.upper); }
  void operator()(const Ball& s) {
    if (all()) reach(2 * s.radius * s.radius);
    parts_.pieces.push_back({s, members_});
  }
  void operator()(const L1Ball& s) {
    if (all()) reach(2 * s.radius * s.radius);
    parts_.pieces.push_back({s, members_});
  }
  void operator()(const Polytope& s) { parts_.pieces.push_back({s, members_}); }
  void operator()(const Simplex& s) {
    bound(Vector::Zero(s.size), Vector::Constant(s.size, s.total));
    row(Vector::Ones(s.size), s.total, s.total);
    if (all()) {
      reach(s.total * s.total);
      parts_.squared_radius = std::min(parts_.squared_radius, s.total * s.total);
    }
  }
  void operator()(const Halfspace& s) { row(s.normal, -infinity, s.offset); }
  void operator()(const NuclearBall&) {
    throw Error(
        "a nuclear-norm ball cannot be cut by bounds, rows or other sets; state the other limits as constraints");
  }
  void operator()(const std::shared_ptr<const Intersection>& s) {
    const Intersection::Parts& own = s->parts();
    bound(own.lower, own.upper);
    for (Index i = 0; i < own.rows.rows(); ++i) row(own.rows.row(i), own.row_lower[i], own.row_upper[i]);
    for (Intersection::Piece piece : own.pieces) {
      for (Index& member : piece.members) member = members_[static_cast<std::size_t>(member)];
      parts_.pieces.push_back(std::move(piece));
    }
    if (all()) {
      reach(own.squared_diameter);
      parts_.squared_radius = std::min(parts_.squared_radius, own.squared_radius);
    }
  }

 private:
  bool all() const { return static_cast<Index>(members_.size()) == parts_.lower.size(); }
  void reach(double squared) { parts_.squared_diameter = std::min(parts_.squared_diameter, squared); }
  void bound(const Vector& lower, const Vector& upper) {
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const Index i = members_[k];
      parts_.lower[i] = std::max(parts_.lower[i], lower[static_cast<Index>(k)]);
      parts_.upper[i] = std::min(parts_.upper[i], upper[static_cast<Index>(k)]);
    }
  }
  void row(const Vector& normal, double lower, double upper) {
    const Index m = parts_.rows.rows();
    parts_.rows.conservativeResize(m + 1, parts_.lower.size());
    parts_.rows.row(m).setZero();
    for (std::size_t k = 0; k < members_.size(); ++k) parts_.rows(m, members_[k]) = normal[static_cast<Index>(k)];
    parts_.row_lower.conservativeResize(m + 1);
    parts_.row_upper.conservativeResize(m + 1);
    parts_.row_lower[m] = lower;
    parts_.row_upper[m] = upper;
  }

  Intersection::Parts& parts_;
  std::vector<Index> members_;
};

Intersection::Parts nothing_cut(Index size) {
  Intersection::Parts parts;
  parts.lower = Vector::Constant(size, -infinity);
  parts.upper = Vector::Constant(size, infinity);
  parts.rows.resize(0, size);
  return parts;
}

}  // namespace

Domain Domain::polyhedron(Vector lower, Vector upper, Matrix rows, Vector row_lower, Vector row_upper) {
  const Index n = lower.size();
  require(upper.size() == n && rows.cols() == n && rows.rows() == row_lower.size() && rows.rows() == row_upper.size(),
          "a polyhedron needs as many bounds as its rows have entries, and a lower and an upper end for every row");
  require(rows.allFinite(), "the rows of a polyhedron must be finite");
  for (Index i = 0; i < n; ++i) {
    require(!std::isnan(lower[i]) && !std::isnan(upper[i]), fmt::format("bound {} is NaN", i));
    require(lower[i] <= upper[i],
            fmt::format("lower bound {} is above upper bound {} in coordinate {}", lower[i], upper[i], i));
  }
  for (Index i = 0; i < rows.rows(); ++i)
    require(row_lower[i] <= row_upper[i],
            fmt::format("row {} is to lie between {} and {}; swap them", i, row_lower[i], row_upper[i]));
  Intersection::Parts parts;
  parts.lower = std::move(lower);
  parts.upper = std::move(upper);
  parts.rows = std::move(rows);
  parts.row_lower = std::move(row_lower);
  parts.row_upper = std::move(row_upper);
  return Domain(std::make_shared<const Intersection>(std::move(parts)));
}

Domain Domain::intersection(Index size, const std::vector<Domain>& sets,
                            const std::vector<std::vector<Index>>& members) {
  require(size > 0, "a set needs at least one variable");
  require(members.empty() || members.size() == sets.size(), "an intersection needs the variables of every set");
  Intersection::Parts parts = nothing_cut(size);
  for (std::size_t k = 0; k < sets.size(); ++k) {
    std::vector<Index> own(static_cast<std::size_t>(sets[k].dimension()));
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = members.empty() ? static_cast<Index>(i) : members[k][i];
    require(members.empty() ? sets[k].dimension() == size : members[k].size() == own.size(),
            fmt::format("set {} has {} variables, which is not what it is to be about", k, sets[k].dimension()));
    for (const auto& factor : sets[k].factors()) {
      const auto begin = static_cast<std::size_t>(factor.offset);
      const std::size_t end =
          &factor == &sets[k].factors().back() ? own.size() : static_cast<std::size_t>((&factor)[1].offset);
      std::vector<Index> its(own.begin() + static_cast<std::ptrdiff_t>(begin),
                             own.begin() + static_cast<std::ptrdiff_t>(end));
      std::visit(Gather(parts, std::move(its)), factor.shape);
    }
  }
  for (Index i = 0; i < size; ++i)
    if (parts.lower[i] > parts.upper[i])
      throw EmptySet(fmt::format("no point satisfies the bounds of coordinate {}", i), {}, {i});
  return Domain(std::make_shared<const Intersection>(std::move(parts)));
}

std::optional<Intersection::Parts> Domain::parts() const {
  Intersection::Parts parts = nothing_cut(dimension_);
  for (const Factor& factor : factors()) {
    if (std::holds_alternative<NuclearBall>(factor.shape)) return {};
    const Index end = &factor == &factors().back() ? dimension_ : (&factor)[1].offset;
    std::vector<Index> its(static_cast<std::size_t>(end - factor.offset));
    std::iota(its.begin(), its.end(), factor.offset);
    std::visit(Gather(parts, std::move(its)), factor.shape);
  }
  return parts;
}

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
  std::vector<Factor> factors = result.factors();
  for (std::size_t k = 1; k < parts.size(); ++k) {
    for (const Factor& factor : parts[k].factors())
      factors.push_back({result.dimension_ + factor.offset, factor.shape});
    result.dimension_ += parts[k].dimension_;
  }
  result.factors_ = std::make_shared<const std::vector<Factor>>(std::move(factors));
  return result;
}

}  // namespace zeroth
