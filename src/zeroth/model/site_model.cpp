// SPDX-License-Identifier: MIT
#include "zeroth/model/site_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zeroth/core/statistics/equality_share.hpp"
#include "zeroth/model/normal.hpp"

namespace zeroth {
namespace {

// Sites that surrogates rest on: their cube, and their square times some hundred predictions, for every function is the
// time of a step. As many as so many multiplications allow.
Index affordable_sites(Index functions) {
  constexpr Index least = 100, most = 300;
  constexpr double predictions = 1600, multiplications = 3e8;
  Index sites = most;
  while (sites > least &&
         static_cast<double>(functions * sites * sites) * (static_cast<double>(sites) + predictions) > multiplications)
    sites -= 10;
  return sites;
}
constexpr double growth = 1.4;           // of the sites, before warps and kernels are fitted anew
constexpr double evaluation_growth = 2;  // of the evaluations, which tell more of the noise
constexpr double memory = 1.0 / 40;      // weight of the newest z-score
constexpr double most_doubt = 4;         // standard deviations are widened by at most this factor

}  // namespace

Index affordable_kernels(Index dimension, Index functions) {
  constexpr double sites = 160, predictions = 1600, multiplications = 1e8;
  const double each = sites * (sites * sites + predictions * static_cast<double>(dimension));
  const auto kernels = static_cast<Index>(multiplications / each);
  return kernels >= std::min<Index>(functions, 2) ? std::min(kernels, functions) : 0;
}

SiteModel::SiteModel(const Spec& spec, const UnitBox& box)
    : box_(box),
      embedding_(std::make_unique<const Embedding>(box)),
      constraints_(spec.constraints),
      given_tolerance_(spec.equality_tolerance),
      most_kernels_(spec.cost.size() > 0 ? spec.functions()
                                         : std::max<Index>(2, affordable_kernels(spec.dimension(), spec.functions()))),
      most_sites_(affordable_sites(std::min(most_kernels_, spec.functions()))),
      sites_(spec.functions()),
      doubt_(Vector::Ones(spec.functions())),
      largest_equality_(Vector::Zero(spec.equalities)) {
  for (Index i = 0; i < spec.functions(); ++i)
    surrogates_.emplace_back(i == 0 ? SiteSurrogate::Role::objective : SiteSurrogate::Role::constraint, i,
                             box.log_offset(), *embedding_);
}

void SiteModel::observe(const Vector& unit, const Answer& answer, Index key) {
  if (!answer.failed()) {
    for (Index j = 0; j < largest_equality_.size(); ++j)
      if (const double h = std::abs(answer.values[static_cast<std::size_t>(1 + constraints_ + j)]); !std::isnan(h))
        largest_equality_[j] = std::max(largest_equality_[j], std::min(Sites::largest, h));
    if (!active_.empty() && surrogates_[0].gp().size() > 0) {
      for (Index i = 0; i < functions(); ++i) {
        const SiteSurrogate& s = function(i);
        if (std::isnan(answer.values[static_cast<std::size_t>(i)])) continue;  // it was not asked for
        Vector mean, variance;
        s.at(unit, mean, &variance);
        Index near = 0;
        for (Index k = 1; k < static_cast<Index>(active_.size()); ++k)
          if ((sites_[active_[static_cast<std::size_t>(k)]].unit - unit).squaredNorm() <
              (sites_[active_[static_cast<std::size_t>(near)]].unit - unit).squaredNorm())
            near = k;
        double value = std::clamp(answer.values[static_cast<std::size_t>(i)], -Sites::largest, Sites::largest);
        if (i == 0 && sites_.level_variance() > 0) {
          // Predictions are relative to the reference: its noise is known or the prediction cannot be judged.
          const auto shown = sites_.noise_under(key);
          if (!shown) continue;
          value -= sites_[active_[static_cast<std::size_t>(near)]].shared * *shown;
        }
        const double z2 = std::pow(s.to_model(value) - mean[0], 2) / (variance[0] + s.noise_at(near));
        doubt_[i] += memory * (std::min(z2, 25.0) - doubt_[i]);
      }
    }
  }
  // Exactly there, or as good as there.
  Index site = sites_.find(unit);
  if (site < 0 && !answer.failed())
    if (const auto same = indistinguishable(unit)) site = *same;
  if (site < 0) sites_.add(unit, answer, key);
  else sites_.add_to(site, answer, key);
}

void SiteModel::choose_active(const Vector& focus) {
  active_.clear();
  for (Index i = 0; i < sites_.size(); ++i)
    if (sites_[i].answered > 0) active_.push_back(i);
  if (static_cast<Index>(active_.size()) <= most_sites_) return;
  // Half of them the nearest to where the search is, the others as far apart as can be, as the objective's model sees
  // distances.
  Matrix units(focus.size(), sites_.size());
  for (Index i = 0; i < sites_.size(); ++i) units.col(i) = sites_[i].unit;
  const bool fitted = surrogates_[0].gp().size() > 0;
  const Matrix points = fitted ? surrogates_[0].compared(units) : units;
  const Vector center = fitted ? Vector(surrogates_[0].compared(focus)) : focus;
  std::ranges::sort(active_, {}, [&](Index i) { return (points.col(i) - center).squaredNorm(); });
  std::vector<Index> rest(active_.begin() + most_sites_ / 2, active_.end());
  active_.resize(most_sites_ / 2);
  std::vector<double> distance(rest.size(), infinity);
  const auto take_in = [&](Index chosen) {
    for (std::size_t r = 0; r < rest.size(); ++r)
      distance[r] = std::min(distance[r], (points.col(rest[r]) - points.col(chosen)).squaredNorm());
  };
  for (const Index i : active_) take_in(i);
  while (static_cast<Index>(active_.size()) < most_sites_) {
    const auto far = std::ranges::max_element(distance) - distance.begin();
    active_.push_back(rest[static_cast<std::size_t>(far)]);
    take_in(active_.back());
  }
  std::ranges::sort(active_);
}

// Constraints in order of their noise, relative to how much they vary, in as many groups as there are kernels to share;
// the noisiest of each leads, so that nobody is trusted more than the data allow.
void SiteModel::choose_leaders() {
  leader_.clear();
  if (functions() <= most_kernels_) return;
  std::vector<std::pair<double, Index>> by_noise;
  for (Index i = 1; i < functions(); ++i) by_noise.emplace_back(function(i).relative_noise(sites_, active_), i);
  std::ranges::sort(by_noise);
  const auto groups = static_cast<std::size_t>(std::max<Index>(1, most_kernels_ - 1));
  leader_.resize(static_cast<std::size_t>(functions()), 0);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t begin = g * by_noise.size() / groups, end = (g + 1) * by_noise.size() / groups;
    for (std::size_t k = begin; k < end; ++k)
      leader_[static_cast<std::size_t>(by_noise[k].second)] = by_noise[end - 1].second;
  }
}

void SiteModel::update(const Vector& focus) {
  choose_active(focus);
  sites_.remove_shared_noise(active_);
  const bool grown =
      static_cast<double>(sites_.size()) >= growth * static_cast<double>(fitted_sites_) ||
      static_cast<double>(sites_.evaluations()) >= evaluation_growth * static_cast<double>(fitted_evaluations_);
  if (grown) choose_leaders();
  for (Index i = 0; i < functions(); ++i) {
    if (leader_of(i) != i) continue;
    if (grown) surrogates_[static_cast<std::size_t>(i)].fit(sites_, active_);
    else surrogates_[static_cast<std::size_t>(i)].refresh(sites_, active_);
  }
  for (Index i = 0; i < functions(); ++i)
    if (leader_of(i) != i)
      surrogates_[static_cast<std::size_t>(i)].follow(function(leader_of(i)), sites_, active_, grown);
  if (sites_.failures() > 0) {
    SiteData data;
    const Index n = std::min<Index>(sites_.size(), 2 * most_sites_);
    const Index first = sites_.size() - n;
    Matrix units(focus.size(), n);
    data.values.resize(n);
    data.variance.resize(n);
    for (Index k = 0; k < n; ++k) {
      const Site& s = sites_[first + k];
      units.col(k) = s.unit;
      const double all = static_cast<double>(s.answered + s.failed);
      data.values[k] = static_cast<double>(s.failed - s.answered) / all;
      data.variance[k] = 0.1 / all;
    }
    data.points = (*embedding_)(units, {});
    SiteKernel kernel =
        failing_.size() > 0 ? failing_.kernel() : SiteKernel::typical(focus.size(), embedding_->length_of_row());
    if (grown || failing_.size() == 0) kernel = zeroth::fit(data, kernel, 20).kernel;
    failing_ = SiteGp(std::move(data), kernel);
  }
  if (grown) {
    fitted_sites_ = sites_.size();
    fitted_evaluations_ = sites_.evaluations();
  }
}

Beliefs SiteModel::predict(const Matrix& units, Scale scale) const {
  Beliefs b{Matrix(functions(), units.cols()), Matrix(functions(), units.cols()), Vector::Ones(units.cols())};
  const auto lengths = scale == Scale::short_scale ? SiteSurrogate::Lengths::third : SiteSurrogate::Lengths::learned;
  const auto part = scale == Scale::smooth ? SiteGp::Part::smooth : SiteGp::Part::all;
  for (Index leader = 0; leader < functions(); ++leader) {
    if (leader_of(leader) != leader) continue;
    const SiteGp::Common common = function(leader).common_at(units, lengths, part);
    for (Index i = 0; i < functions(); ++i) {
      if (leader_of(i) != leader) continue;
      const double wider = std::clamp(std::sqrt(doubt_[i]), 1.0, most_doubt);
      b.mean.row(i) = function(i).mean(common, lengths, function(leader)).transpose();
      b.sd.row(i) = wider * common.variance.cwiseSqrt().transpose();
    }
  }
  Vector mean, variance;
  if (failing_.size() > 0) {
    failing_.at((*embedding_)(units, {}), mean, &variance);
    for (Index k = 0; k < units.cols(); ++k) b.answered[k] = normal_cdf(-mean[k] / std::sqrt(variance[k]));
  }
  return b;
}

Belief SiteModel::believe(const Vector& unit) const {
  if (surrogates_[0].gp().size() == 0) return {};
  const Beliefs b = predict(unit);
  Belief out{Vector(functions()), Vector(functions()), Vector(functions())};
  Index near = 0;
  for (Index k = 1; k < static_cast<Index>(active_.size()); ++k)
    if ((sites_[active_[static_cast<std::size_t>(k)]].unit - unit).squaredNorm() <
        (sites_[active_[static_cast<std::size_t>(near)]].unit - unit).squaredNorm())
      near = k;
  for (Index i = 0; i < functions(); ++i) {
    out.mean[i] = function(i).from_model(b.mean(i, 0));
    out.sd[i] = b.sd(i, 0) / function(i).slope_at(out.mean[i]);
    out.noise[i] = std::sqrt(function(i).noise_at(near)) / function(i).slope_at(out.mean[i]);
  }
  if (sites_.level_variance() > 0) {
    out.sd[0] = std::hypot(out.sd[0], std::sqrt(sites_.level_variance()));
    out.noise[0] = std::max(out.noise[0], sites_.reference_noise());
  }
  return out;
}

bool SiteModel::noisy() const {
  return std::ranges::any_of(surrogates_, [](const SiteSurrogate& s) { return s.noisy(); });
}

bool SiteModel::exact() const {
  constexpr Index enough = 3;
  Index replicated = 0;
  for (Index i = 0; i < sites_.size(); ++i) {
    if (std::ranges::any_of(sites_[i].stated_squares, [](double v) { return v > 0; })) return false;
    if (sites_[i].answered < 2) continue;
    if (!sites_[i].squares.isZero(0)) return false;
    ++replicated;
  }
  return replicated >= enough;
}

double SiteModel::upper(Index i) const {
  if (!equality(i)) return function(i).limit();
  const Index j = i - 1 - constraints_;
  const double within = given_tolerance_.size() > 0 ? given_tolerance_[j] : equality_share * largest_equality_[j];
  return function(i).to_model(0.5 * within);  // half: at the edge the check would toss a coin
}

double SiteModel::lower(Index i) const {
  if (!equality(i)) return -infinity;
  return 2 * function(i).limit() - upper(i);  // warps of constraints are odd around zero
}

std::optional<Index> SiteModel::indistinguishable(const Vector& unit) const {
  if (!surrogates_[0].rests_on(active_.size()) || surrogates_[0].gp().size() == 0) return {};
  std::optional<Index> best;
  double nearest = infinity;
  for (Index k = 0; k < static_cast<Index>(active_.size()); ++k) {
    const Index site = active_[static_cast<std::size_t>(k)];
    const double distance = (sites_[site].unit - unit).squaredNorm();
    if (distance >= nearest) continue;
    if (!std::ranges::all_of(surrogates_, [&](const SiteSurrogate& s) { return s.same_as(k, unit); })) continue;
    nearest = distance;
    best = site;
  }
  return best;
}

}  // namespace zeroth
