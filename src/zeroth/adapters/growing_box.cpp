// SPDX-License-Identifier: MIT
#include "zeroth/adapters/growing_box.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>

namespace zeroth {
namespace {

struct GrowingLabel {
  enum : std::uint64_t { restart = 0x67726f77 };
};

constexpr double first_reach_of_box = 4;     // spreads
constexpr double growth_of_box = 3;          // of the width, on the side that grows
constexpr double furthest_in_spreads = 1e8;  // spreads: further out nothing grows
constexpr double near_end_of_box = 0.1;      // of the width
constexpr double further_inside_box = 0.3;   // of the width: a point there is what one near the end is compared with
constexpr double patience_between_boxes = 1.25;  // from one box to the next, of the evaluations before it may grow

// A coordinate without bounds on some side: how many spreads from its start, or from its one bound, a position is; and
// back.
struct OpenSide {
  Index coordinate;
  bool below, above;
  std::function<double(double)> spreads_at, at_spreads;
};

// Some coordinates of the solver in a box of their own; the others are what they are.
class WorkingBox {
 public:
  WorkingBox(const std::vector<OpenSide>& open, const Spec& spec) {
    for (const OpenSide& u : open)
      sides_.push_back({u, u.below ? -first_reach_of_box : 0, u.above ? first_reach_of_box : 0});
    if (spec.start.size() > 0) include(spec.start);
    for (const Evaluated& e : spec.evaluated) include(e.x);
  }

  Vector inward(Vector x) const {
    for (const Side& s : sides_)
      x[s.of.coordinate] = std::clamp((s.of.spreads_at(x[s.of.coordinate]) - s.lower) / s.width(), 0.0, 1.0);
    return x;
  }
  Vector outward(Vector v) const {
    for (const Side& s : sides_) v[s.of.coordinate] = s.of.at_spreads(s.lower + s.width() * v[s.of.coordinate]);
    return v;
  }
  // Whether v lies near an end of the box that is none of the set's, in a coordinate where `gains`(the same point
  // further inside) agrees; such sides grow.
  template <class Gains>
  bool grow(const Vector& v, const Gains& gains) {
    bool grown = false;
    const std::vector<Side> before = sides_;
    for (std::size_t k = 0; k < before.size(); ++k) {
      const Side& s = before[k];
      const double at = v[s.of.coordinate], width = s.width();
      const bool low = s.of.below && at < near_end_of_box && s.lower > -furthest_in_spreads;
      const bool high = s.of.above && at > 1 - near_end_of_box && s.upper < furthest_in_spreads;
      if (!low && !high) continue;
      Vector inside = v;
      inside[s.of.coordinate] = low ? further_inside_box : 1 - further_inside_box;
      if (!gains(inside)) continue;
      (low ? sides_[k].lower : sides_[k].upper) += (low ? -growth_of_box : growth_of_box) * width;
      grown = true;
    }
    return grown;
  }

 private:
  struct Side {
    OpenSide of;
    double lower, upper;  // in spreads
    double width() const { return upper - lower; }
  };
  // With some room around it.
  void include(const Vector& x) {
    for (Side& s : sides_) {
      const double at = s.of.spreads_at(x[s.of.coordinate]);
      if (s.of.below && at < s.lower) s.lower = at - 0.25 * (s.upper - at);
      if (s.of.above && at > s.upper) s.upper = at + 0.25 * (at - s.lower);
    }
  }

  std::vector<Side> sides_;
};

// Of a model: whether `here` is better than `inside` by more than it doubts.
bool sees_gain(const Incumbent& incumbent, const Spec& spec, const Vector& here, const Vector& inside) {
  constexpr double doubts = 0.5;
  if (!incumbent.believe) return true;
  const Belief a = incumbent.believe(here), b = incumbent.believe(inside);
  if (a.mean.size() < spec.functions() || b.mean.size() < spec.functions()) return true;
  const auto excess = [&](const Belief& at, Index i) {
    return i <= spec.constraints ? at.mean[i] : std::abs(at.mean[i]);
  };
  for (Index i = 1; i < spec.functions(); ++i)
    if (excess(b, i) > 0 && excess(b, i) - excess(a, i) > doubts * std::max(a.sd[i], b.sd[i])) return true;
  return b.mean[0] - a.mean[0] > doubts * std::max(a.sd[0], b.sd[0]);
}

void translate_outward(Incumbent& incumbent, const WorkingBox& box) {
  if (incumbent.x.size() > 0) incumbent.x = box.outward(incumbent.x);
  for (Vector& x : incumbent.cautious) x = box.outward(x);
  for (Vector& x : incumbent.candidates) x = box.outward(x);
  if (incumbent.cautious_at)
    incumbent.cautious_at = [inner = incumbent.cautious_at, &box](double deviations) {
      return box.outward(inner(deviations));
    };
  if (incumbent.believe)
    incumbent.believe = [inner = incumbent.believe, &box](const Vector& x) { return inner(box.inward(x)); };
}

Spec spec_in_box(const WorkingBox& box, const Spec& spec, const std::optional<Domain>& domain) {
  Spec inner = spec;
  if (domain) inner.domain = *domain;
  inner.described_points = false;  // they are read here
  if (spec.start.size() > 0) inner.start = box.inward(spec.start);
  for (Evaluated& e : inner.evaluated) e.x = box.inward(e.x);
  if (spec.known)
    inner.known = [known = spec.known, &box](std::span<const double> v) {
      return known(as_span(box.outward(as_vector(v))));
    };
  if (spec.active)
    inner.active = [active = spec.active, &box](std::span<const double> v, std::span<std::uint8_t> flags) {
      active(as_span(box.outward(as_vector(v))), flags);
    };
  return inner;
}

// `domain`: what the solver sees in the place of its own, if that has no bounds where the box has.
Search in_working_boxes(Spec spec, StartSolver start, std::vector<OpenSide> sides, std::optional<Domain> domain,
                        std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  WorkingBox box(sides, spec);
  auto before_growth = static_cast<double>(2 * spec.dimension() + 6);
  std::optional<Search> solver;
  std::deque<Vector> open;  // asked and not answered yet, oldest first, in the outer units
  std::vector<Vector> points;
  std::vector<Query> batch;
  const auto keep = [&](std::span<const Answer> answers) {
    for (const Answer& a : answers) {
      if (!a.failed() && static_cast<Index>(a.values.size()) == spec.functions() &&
          std::ranges::none_of(a.values, [](double v) { return std::isnan(v); }))
        spec.evaluated.push_back({std::move(open.front()), a.values, a.se, 1});
      open.pop_front();
    }
  };
  for (std::uint64_t boxes = 0;; ++boxes) {
    solver.reset();
    solver.emplace(
        start(spec_in_box(box, spec, domain), boxes == 0 ? seed : derive_key(seed, GrowingLabel::restart, boxes)));
    std::int64_t here = 0;  // evaluations in this box
    for (;;) {
      const Incumbent& inner = solver->recommend();
      if (static_cast<double>(here) >= before_growth && inner.x.size() > 0) {
        const Vector best = box.outward(inner.x);
        if (box.grow(inner.x, [&](const Vector& inside) { return sees_gain(inner, spec, inner.x, inside); })) {
          spec.start = best;
          break;
        }
      }
      incumbent = inner;
      translate_outward(incumbent, box);
      if (solver->done()) co_return;
      const auto asked = solver->ask();
      batch.assign(asked.begin(), asked.end());
      points.clear();
      for (const Query& q : asked) points.push_back(box.outward(as_vector(q.x)));
      for (std::size_t k = 0; k < batch.size(); ++k) batch[k].x = as_span(points[k]);
      for (const Vector& p : points) open.push_back(p);
      const auto answers = co_await propose(batch, solver->proposes());
      here += static_cast<std::int64_t>(answers.size());
      keep(answers);
      solver->tell(answers);
    }
    incumbent = {};  // what the solver knows is in the units of the smaller box
    incumbent.x = spec.start;
    // What is open is waited for: whoever begins anew is not told of it otherwise.
    while (!open.empty()) {
      const auto late = co_await propose({});
      here += static_cast<std::int64_t>(late.size());
      keep(late);
    }
    spec.budget = std::max(spec.check + 1, spec.budget - here);
    before_growth *= patience_between_boxes;
  }
}

}  // namespace

StartSolver in_growing_box(StartSolver start, const Space& space) {
  std::vector<OpenSide> sides;
  for (const Space::Unbounded& u : space.unbounded())
    sides.push_back({u.coordinate, u.below, u.above,
                     [space, k = u.coordinate](double at) { return space.spreads_at(k, at); },
                     [space, k = u.coordinate](double spreads) { return space.at_spreads(k, spreads); }});
  if (sides.empty()) return start;
  return [start = std::move(start), sides](Spec spec, std::uint64_t seed) {
    return in_working_boxes(std::move(spec), start, sides, {}, seed);
  };
}

StartSolver in_growing_box(StartSolver start, const Spec& spec, const Vector& spread) {
  if (!spec.domain.separable()) return start;
  Box ends = spec.domain.bounds();
  const Vector first = spec.first_point();
  std::vector<OpenSide> sides;
  for (Index k = 0; k < ends.lower.size(); ++k) {
    const bool below = !std::isfinite(ends.lower[k]), above = !std::isfinite(ends.upper[k]);
    if (!below && !above) continue;
    const double from = below && above ? first[k] : below ? ends.upper[k] : ends.lower[k];
    const double width = spread.size() > k && spread[k] > 0 ? spread[k]
                         : from != first[k]                 ? std::abs(first[k] - from)
                                                            : 1;
    sides.push_back({k, below, above, [from, width](double at) { return (at - from) / width; },
                     [from, width](double spreads) { return from + spreads * width; }});
    ends.lower[k] = 0;
    ends.upper[k] = 1;
  }
  if (sides.empty()) return start;
  return [start = std::move(start), sides, domain = Domain::box(ends.lower, ends.upper)](
             Spec inner, std::uint64_t seed) { return in_working_boxes(std::move(inner), start, sides, domain, seed); };
}

}  // namespace zeroth
