// SPDX-License-Identifier: MIT
#include "zeroth/solvers/auto/slope_side.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/solvers/adaptive_conex/adaptive_conex.hpp"
#include "zeroth/solvers/exact_local/exact_local.hpp"

namespace zeroth {

bool interpolation_is_affordable(Index n) { return std::pow(3.0 * static_cast<double>(n), 3) <= 1e8; }

SlopeSide::SlopeSide(const Spec& spec, const UnitBox* box, std::uint64_t seed) : spec_(spec), box_(box), seed_(seed) {
  for (Index k = 0; k < spec.dimension(); ++k)
    if (!box || !box->whole(k)) reals_.push_back(k);
  separable_ = (moves_everything() && !spec.active) || (box && box->is_box());
  all_reals_ = reals_;
}

void SlopeSide::begin(const Vector& from, Noise noise, const std::vector<double>& known) {
  held_ = from;
  if (box_ && box_->conditional()) {  // those that count where the others are held
    const auto active = box_->active(box_->to_unit(from));
    reals_.clear();
    for (const Index k : all_reals_)
      if (active[static_cast<std::size_t>(k)] != 0) reals_.push_back(k);
  }
  search_.reset();
  if (reals_.empty()) return;
  Spec local = spec_at(from, noise);
  const bool interpolates = noise == Noise::none && interpolation_is_affordable(local.dimension());
  if (interpolates && !known.empty()) local.evaluated = {{local.start, known, {}}};
  search_.emplace(interpolates ? exact_local_search(std::move(local))
                               : adaptive_conex(std::move(local), {}, derive_key(seed_, starts_)));
  ++starts_;
}

Spec SlopeSide::spec_at(const Vector& from, Noise noise) const {
  Spec local = spec_;
  local.start = from;
  local.evaluated.clear();
  local.common_noise = noise == Noise::shared;
  if (moves_everything()) return local;
  local.integer.clear();
  local.categories.clear();
  local.active = {};
  local.log_offset.resize(0);
  if (spec_.known) local.known = [this](std::span<const double> z) { return spec_.known(as_span(to_problem(z))); };
  const auto n = static_cast<Index>(reals_.size());
  Vector lower(n), upper(n), first(n);
  for (Index j = 0; j < n; ++j) {
    const Index k = reals_[static_cast<std::size_t>(j)];
    lower[j] = box_->lower(k);
    upper[j] = box_->upper(k);
    first[j] = from[k];
  }
  local.domain = Domain::box(lower, upper);
  local.start = first;
  return local;
}

Vector SlopeSide::to_problem(std::span<const double> local) const {
  if (moves_everything()) return as_vector(local);
  Vector x = held_;
  for (std::size_t j = 0; j < reals_.size(); ++j) x[reals_[j]] = local[j];
  return x;
}

std::span<const Query> SlopeSide::ask() {
  const auto asked = search_->ask();
  batch_.assign(asked.begin(), asked.end());
  x_.clear();
  if (!moves_everything()) {
    for (const Query& q : asked) x_.push_back(to_problem(q.x));
    for (std::size_t k = 0; k < batch_.size(); ++k) batch_[k].x = as_span(x_[k]);
  }
  for (Query& q : batch_) q.whole = true;  // slopes need every value
  return batch_;
}

Incumbent SlopeSide::recommend() const {
  Incumbent found = search_->recommend();
  found.x = to_problem(as_span(found.x));
  for (Vector& c : found.cautious) c = to_problem(as_span(c));
  for (Vector& c : found.candidates) c = to_problem(as_span(c));
  return found;
}

}  // namespace zeroth
