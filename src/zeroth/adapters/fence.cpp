// SPDX-License-Identifier: MIT
#include "zeroth/adapters/fence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

constexpr std::uint64_t anchor_key = 0x66656e6365;
constexpr int anchor_samples = 20'000;

}  // namespace

Fence::Fence(Spec spec, Space space) : spec_(std::move(spec)), space_(std::move(space)) {
  spec_.evaluated.clear();
  spec_.known_points.clear();
  find_anchor();
}

Vector Fence::rounded(Vector x) const {
  for (std::size_t k = 0; k < spec_.integer.size(); ++k)
    if (spec_.integer[k])
      x[static_cast<Index>(k)] = space_.next_level(static_cast<Index>(k), x[static_cast<Index>(k)], 0);
  return x;
}

bool Fence::admits(const Vector& x) const {
  // Where variables are integers, the rows speak of what is evaluated, and the domain of real points around it.
  if (spec_.integer.empty() && !spec_.domain.contains(x, 0)) return false;
  return space_.admits(as_span(x)) && (!spec_.known || spec_.known(as_span(x)));
}

Vector Fence::pulled_back(const Vector& x) const {
  if (spec_.integer.empty()) {
    double in = 0, out = 1;
    for (int halving = 0; halving < 45; ++halving) {
      const double middle = 0.5 * (in + out);
      (admits(anchor_ + middle * (x - anchor_)) ? in : out) = middle;
    }
    const Vector found = anchor_ + in * (x - anchor_);
    return admits(found) ? found : anchor_;
  }
  constexpr int parts = 32;
  for (int part = parts - 1; part > 0; --part) {
    const Vector found = rounded(anchor_ + (static_cast<double>(part) / parts) * (x - anchor_));
    if (admits(found)) return found;
  }
  return anchor_;
}

Vector Fence::inside(Vector x) const {
  if (admits(x)) return x;
  spec_.domain.project(x);
  if (!spec_.integer.empty()) x = rounded(x);
  if (admits(x)) return x;
  if (!spec_.integer.empty() && !space_.plane_rows().empty()) {
    constexpr int nodes = 200;
    if (const auto rounded = nearest_integer_point(space_, space_.to_user(x), nodes)) {
      const Vector found = space_.to_solver(*rounded);
      if (admits(found)) return found;
    }
  }
  return pulled_back(x);
}

void Fence::find_anchor() {
  const auto accept = [&](const Vector& x) {
    const Vector found = spec_.integer.empty() ? x : rounded(x);
    if (!admits(found)) return false;
    anchor_ = found;
    return true;
  };
  if (spec_.start.size() > 0 && accept(spec_.start)) return;
  const Vector center = spec_.domain.center();
  if (accept(center)) return;
  bool impossible = false;
  if (!spec_.integer.empty() && !space_.plane_rows().empty()) {
    constexpr int nodes = 20'000;
    const auto rounded = nearest_integer_point(space_, space_.to_user(center), nodes, &impossible);
    if (rounded && accept(space_.to_solver(*rounded))) return;
  }
  Rng rng(anchor_key);
  for (int k = 0; k < anchor_samples && !impossible; ++k)
    if (accept(spec_.domain.sample(rng))) return;
  std::vector<std::string> texts;
  for (const LinearRow& row : space_.rows()) texts.push_back("'" + row.text + "'");
  for (const KnownLimit& limit : space_.known()) texts.push_back("'" + limit.text + "'");
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  throw Error(impossible
                  ? fmt::format("no point with integer values satisfies {}; relax one of them", fmt::join(texts, ", "))
                  : fmt::format("none of {} points within the bounds satisfies {}; give a 'start' that does, or "
                                "relax one of them",
                                anchor_samples,
                                texts.empty() ? "what is known" : fmt::format("{}", fmt::join(texts, ", "))));
}

}  // namespace zeroth
