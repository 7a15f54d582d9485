// SPDX-License-Identifier: MIT
#include "zeroth/model/site_surrogate.hpp"

#include <algorithm>
#include <cmath>

namespace zeroth {
namespace {

double quantile(std::vector<double> v, double level) {
  if (v.empty()) return 0;
  const auto k = static_cast<std::ptrdiff_t>(level * static_cast<double>(v.size() - 1));
  std::nth_element(v.begin(), v.begin() + k, v.end());
  return v[static_cast<std::size_t>(k)];
}

constexpr int first_fit = 40, next_fit = 15, alternative_fit = 8;  // likelihood evaluations

}  // namespace

SiteSurrogate::SiteSurrogate(Role role, Index function, Vector log_offset, const Embedding& embedding)
    : role_(role), function_(function), embedding_(&embedding), log_input_{std::move(log_offset)} {
  if (log_input_.active() && log_input_.offset.maxCoeff() <= 0) log_input_.offset.resize(0);
}

std::vector<OutputWarp> SiteSurrogate::output_choices(const Sites& sites, const std::vector<Index>& which) const {
  std::vector<double> values, sizes;
  for (const Index i : which) {
    values.push_back(sites[i].mean[function_]);
    sizes.push_back(std::abs(sites[i].mean[function_]));
  }
  OutputWarp plain;
  plain.center = role_ == Role::objective ? quantile(values, 0.1) : 0;
  double scale = role_ == Role::objective ? quantile(values, 0.75) - quantile(values, 0.25) : quantile(sizes, 0.5);
  const Vector noise = noise_variances(sites, which, function_);
  const double sd = noise.size() > 0 && !noise.hasNaN() ? std::sqrt(quantile({noise.begin(), noise.end()}, 0.5)) : 0;
  scale = std::max(scale, 3 * sd);
  std::vector<OutputWarp> choices{plain};
  if (!(scale > 0)) return choices;
  choices.push_back({plain.center, scale});
  choices.push_back({plain.center, std::max(scale / 5, 3 * sd)});
  return choices;
}

SiteData SiteSurrogate::data_of(const Sites& sites, const std::vector<Index>& which, const OutputWarp& output,
                                const InputWarp& input, double& shift, double& spread, double& jacobian,
                                Vector& one) const {
  const auto n = static_cast<Index>(which.size());
  SiteData data;
  Matrix units(sites[which[0]].unit.size(), n);
  data.values.resize(n);
  jacobian = 0;
  one = noise_variances(sites, which, function_);
  for (Index k = 0; k < n; ++k) {
    const Site& site = sites[which[static_cast<std::size_t>(k)]];
    units.col(k) = site.unit;
    data.values[k] = output(site.mean[function_]);
    const double slope = output.slope(site.mean[function_]);
    jacobian += std::log(slope);
    one[k] = std::isnan(one[k]) ? 0 : one[k] * slope * slope;
  }
  data.points = (*embedding_)(units, input);
  shift = data.values.mean();
  spread = std::sqrt((data.values.array() - shift).square().mean());
  if (!(spread > 0)) spread = 1;
  jacobian -= static_cast<double>(n) * std::log(spread);
  data.values = (data.values.array() - shift) / spread;
  one /= spread * spread;
  data.variance.resize(n);
  for (Index k = 0; k < n; ++k)
    data.variance[k] = one[k] / static_cast<double>(sites[which[static_cast<std::size_t>(k)]].seen(function_));
  return data;
}

std::vector<Index> SiteSurrogate::where_seen(const Sites& sites, const std::vector<Index>& which) {
  rows_.clear();
  if (std::ranges::all_of(which, [&](Index s) { return sites[s].seen(function_) > 0; })) return which;
  std::vector<Index> seen;
  for (const Index s : which) {
    const bool here = sites[s].seen(function_) > 0;
    rows_.push_back(here ? static_cast<Index>(seen.size()) : -1);
    if (here) seen.push_back(s);
  }
  return seen;
}

void SiteSurrogate::fit(const Sites& sites, const std::vector<Index>& all) {
  const std::vector<Index> which = where_seen(sites, all);
  const bool first = gp_.size() == 0;
  if (first) kernel_ = SiteKernel::typical(sites[which[0]].unit.size(), embedding_->length_of_row());
  const std::vector<OutputWarp> outputs = output_choices(sites, which);
  output_choice_ = std::min(output_choice_, outputs.size() - 1);
  struct Choice {
    std::size_t output;
    InputWarp input;
  };
  std::vector<Choice> choices{{output_choice_, input_}};
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (o != output_choice_) choices.push_back({o, input_});
  if (log_input_.active()) choices.push_back({output_choice_, input_.active() ? InputWarp{} : log_input_});
  double best = -infinity;
  Choice chosen = choices[0];
  SiteKernel kernel = kernel_;
  for (std::size_t c = 0; c < choices.size(); ++c) {
    double shift = 0, spread = 1, jacobian = 0;
    Vector one;
    const SiteData data =
        data_of(sites, which, outputs[choices[c].output], choices[c].input, shift, spread, jacobian, one);
    const int effort = first ? first_fit : c == 0 ? next_fit : alternative_fit;
    const SiteFit found = zeroth::fit(data, kernel_, effort);
    if (found.log_posterior + jacobian > best) {
      best = found.log_posterior + jacobian;
      chosen = choices[c];
      kernel = found.kernel;
    }
  }
  output_choice_ = chosen.output;
  warp_ = outputs[chosen.output];
  input_ = chosen.input;
  kernel_ = kernel;
  refresh(sites, all);
}

void SiteSurrogate::refresh(const Sites& sites, const std::vector<Index>& all) {
  const std::vector<Index> which = where_seen(sites, all);
  double jacobian = 0;
  SiteData data = data_of(sites, which, warp_, input_, shift_, spread_, jacobian, one_);
  gp_ = SiteGp(std::move(data), kernel_);
  short_ready_ = false;
}

void SiteSurrogate::follow(const SiteSurrogate& leader, const Sites& sites, const std::vector<Index>& which,
                           bool anew) {
  rows_.clear();
  kernel_ = leader.kernel_;
  input_ = leader.input_;
  const std::vector<OutputWarp> outputs = anew ? output_choices(sites, which) : std::vector{warp_};
  double best = -infinity;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    double shift = 0, spread = 1, jacobian = 0;
    Vector one;
    SiteData data = data_of(sites, which, outputs[o], input_, shift, spread, jacobian, one);
    SiteGp gp(std::move(data.values), leader.gp_);
    const double score = gp.fit_of_values() + jacobian;  // what the choices have in common is left out
    if (!(score > best) && o > 0) continue;
    best = score;
    if (anew) output_choice_ = o;
    warp_ = outputs[o];
    shift_ = shift;
    spread_ = spread;
    one_ = std::move(one);
    gp_ = std::move(gp);
  }
  short_ready_ = false;
}

double SiteSurrogate::relative_noise(const Sites& sites, const std::vector<Index>& which) const {
  double shift = 0, spread = 1, jacobian = 0;
  Vector one;
  return data_of(sites, which, OutputWarp{}, InputWarp{}, shift, spread, jacobian, one).variance.mean();
}

SiteGp::Common SiteSurrogate::common_at(const Matrix& units, Lengths lengths, SiteGp::Part part) const {
  const Matrix points = (*embedding_)(units, input_);
  return lengths == Lengths::third ? short_scale().common_at(points, true) : gp_.common_at(points, true, part);
}

Vector SiteSurrogate::mean(const SiteGp::Common& common, Lengths lengths, const SiteSurrogate& leader) const {
  if (lengths == Lengths::learned) return gp_.mean(common);
  if (!short_ready_ && &leader != this) {
    short_ = SiteGp(gp_.data().values, leader.short_scale());
    short_ready_ = true;
  }
  return short_scale().mean(common);
}

void SiteSurrogate::at(const Matrix& units, Vector& mean, Vector* variance, SiteGp::Part part) const {
  gp_.at((*embedding_)(units, input_), mean, variance, part);
}

const SiteGp& SiteSurrogate::short_scale() const {
  if (!short_ready_) {
    SiteKernel shorter = kernel_;
    shorter.log_length.array() -= std::log(3.0);
    short_ = SiteGp(gp_.data(), shorter);
    short_ready_ = true;
  }
  return short_;
}

double SiteSurrogate::mean(const Vector& unit, Vector* gradient) const {
  const double value = gp_.mean((*embedding_)(unit, input_), gradient);
  if (gradient) *gradient = embedding_->slope_by_unit(*gradient, unit, input_);
  return value;
}

Matrix SiteSurrogate::compared(const Matrix& units) const {
  return (-kernel_.row_lengths().array()).exp().matrix().asDiagonal() * (*embedding_)(units, input_);
}

bool SiteSurrogate::same_as(Index k, const Vector& unit) const {
  if (row(k) < 0) return false;
  const Vector point = (*embedding_)(unit, input_);
  return kernel_.difference_variance(point, gp_.data().points.col(row(k))) <= 0.25 * gp_.data().variance[row(k)];
}

}  // namespace zeroth
