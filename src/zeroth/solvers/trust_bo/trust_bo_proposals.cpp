// SPDX-License-Identifier: MIT
#include "zeroth/solvers/trust_bo/trust_bo_proposals.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "zeroth/model/design.hpp"
#include "zeroth/model/maximize.hpp"
#include "zeroth/model/normal.hpp"

namespace zeroth {
namespace {

constexpr Index everywhere = 120, nearby = 40, on_lines = 40, refined = 30;  // candidates of each kind
constexpr int refinements = 3;
constexpr double surely_answered = 0.5;
constexpr double category_moves = 0.4;  // of the steps: one category becomes another
constexpr Index most_neighbours = 60;   // points that differ in one category
constexpr double apart = 0.02;          // of the cube's edge, between proposals of one batch

// The better of two: less violated first, then lower.
bool better(double value, double violation, const ProposedPoint& than) {
  return violation < than.violation || (violation == than.violation && value < than.value);
}

double log_expected_improvement(double gap, double sd) {
  const double z = gap / sd;
  if (z > -5) return std::log(sd) + std::log(std::max(1e-300, normal_pdf(z) + z * normal_cdf(z)));
  return std::log(sd) - 0.5 * z * z - 0.919 - 2 * std::log(-z);
}

}  // namespace

Everywhere::Everywhere(const UnitBox& box, std::uint64_t seed) : box_(box), rng_(seed) {
  if (box.is_box()) return;
  samples_.resize(box.dimension(), 2 * everywhere);
  for (Index i = 0; i < samples_.cols(); ++i) samples_.col(i) = box.sample(rng_);
}

void Everywhere::renew() {
  constexpr Index at_a_time = 12;
  for (Index i = 0; i < at_a_time && samples_.cols() > 0; ++i) {
    samples_.col(oldest_) = box_.sample(rng_);
    oldest_ = (oldest_ + 1) % samples_.cols();
  }
}

Matrix Everywhere::points(Rng& rng) const {
  if (samples_.cols() == 0) {
    const Index d = box_.dimension();
    Matrix points = SobolSequence(d, rng.bits()).next(everywhere);
    const InputWarp log{box_.log_offset()};
    for (Index i = 0; i < everywhere; ++i) {
      if (i % 2 == 1)
        for (Index k = 0; k < d; ++k) points(k, i) = log.back(k, points(k, i));
      for (Index k = 0; k < d && box_.any_categories(); ++k)
        if (box_.categories(k) > 0) points(k, i) = box_.category_at(k, points(k, i));
      points.col(i) = box_.snap(points.col(i));
      constexpr int draws = 10;  // where limits are known, most of the box may be of no use
      for (int k = 0; k < draws && !box_.allowed(points.col(i)); ++k) points.col(i) = box_.sample(rng);
    }
    return points;
  }
  Matrix points(samples_.rows(), everywhere);
  const auto first = static_cast<Index>(rng.below(static_cast<std::uint64_t>(samples_.cols())));
  for (Index i = 0; i < everywhere; ++i) points.col(i) = samples_.col((first + i) % samples_.cols());
  return points;
}

Proposer::Proposer(const SiteModel& model, const UnitBox& box, const Everywhere& everywhere,
                   std::vector<Vector> centers, double reach, Rng& rng)
    : model_(model), box_(box), everywhere_(everywhere), centers_(std::move(centers)), reach_(reach), rng_(rng) {}

Matrix Proposer::around(const Vector& center, double size, Index count) const {
  const Index d = center.size();
  const Vector& log_length = model_.function(0).gp().kernel().log_length;
  Vector shape(d);
  for (Index k = 0; k < d; ++k) shape[k] = std::min(std::exp(log_length[k]), 2.0);
  shape /= std::exp(shape.array().log().mean());
  const double chance = std::min(1.0, std::max(0.3, 4.0 / static_cast<double>(d)));
  Matrix points(d, count);
  for (Index i = 0; i < count; ++i) {
    if (box_.any_categories() || box_.conditional()) {
      points.col(i) = mixed_step(center, size, shape);
      continue;
    }
    const auto always = static_cast<Index>(rng_.below(static_cast<std::uint64_t>(d)));
    // Where a logarithmic scale may fit, half of the steps are steps on it.
    const InputWarp walk =
        box_.log_offset().maxCoeff() > 0 && rng_.uniform() < 0.5 ? InputWarp{box_.log_offset()} : InputWarp{};
    Vector u = center;
    for (Index k = 0; k < d; ++k) {
      const double step = size * shape[k] * rng_.normal();
      if (k != always && rng_.uniform() >= chance) continue;
      u[k] = walk.back(k, walk.at(k, u[k]) + step);
      // An integer variable moves by a level at least.
      if (box_.whole(k)) u[k] = center[k] + std::copysign(std::max(std::abs(step), box_.level(k)), step);
    }
    points.col(i) = box_.snap(u.cwiseMax(0.0).cwiseMin(1.0));
  }
  return points;
}

// At most one category becomes another. Numbers move as they do elsewhere, as far as they count; one that begins to
// count may be anywhere.
Vector Proposer::mixed_step(const Vector& center, double size, const Vector& shape) const {
  const Index d = center.size();
  const std::vector<std::uint8_t> before = box_.active(center);
  std::vector<Index> numbers, categories;
  for (Index k = 0; k < d; ++k)
    if (before[static_cast<std::size_t>(k)] != 0) (box_.categories(k) > 0 ? categories : numbers).push_back(k);
  Vector u = center;
  const bool moves = !categories.empty() && (numbers.empty() || rng_.uniform() < category_moves);
  if (moves) {
    const Index k = categories[static_cast<std::size_t>(rng_.below(categories.size()))];
    const auto levels = static_cast<std::uint64_t>(box_.categories(k));
    const auto other = 1 + (levels > 1 ? rng_.below(levels - 1) : 0);
    const auto level = (static_cast<std::uint64_t>(box_.level_of(k, center[k])) + other) % levels;
    u[k] = static_cast<double>(level) * box_.level(k);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, numbers.size()));
  const double chance = std::min(1.0, std::max(0.3, 4.0 / count));
  const Index always = numbers.empty() || moves ? -1 : numbers[static_cast<std::size_t>(rng_.below(numbers.size()))];
  for (const Index k : numbers) {
    const double step = size * shape[k] * rng_.normal();
    if (k != always && rng_.uniform() >= chance) continue;
    u[k] += box_.whole(k) ? std::copysign(std::max(std::abs(step), box_.level(k)), step) : step;
  }
  u = u.cwiseMax(0.0).cwiseMin(1.0);
  if (moves && box_.conditional()) {
    const std::vector<std::uint8_t> after = box_.active(u);
    for (Index k = 0; k < d; ++k) {
      if (after[static_cast<std::size_t>(k)] == 0 || before[static_cast<std::size_t>(k)] != 0) continue;
      const double share = rng_.uniform();
      u[k] = box_.categories(k) > 0 ? box_.category_at(k, share) : share;
    }
  }
  return box_.snap(u);
}

// The center with one category changed, for every category and value, some of them if there are many.
Matrix Proposer::other_categories(const Vector& center) const {
  std::vector<Vector> found;
  const std::vector<std::uint8_t> active = box_.active(center);
  for (Index k = 0; k < center.size() && box_.any_categories(); ++k) {
    if (box_.categories(k) == 0 || active[static_cast<std::size_t>(k)] == 0) continue;
    for (Index level = 0; level < box_.categories(k); ++level) {
      if (level == box_.level_of(k, center[k])) continue;
      Vector u = center;
      u[k] = static_cast<double>(level) * box_.level(k);
      found.push_back(box_.snap(u));
    }
  }
  while (static_cast<Index>(found.size()) > most_neighbours)
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(rng_.below(found.size())));
  Matrix points(center.size(), static_cast<Index>(found.size()));
  for (std::size_t i = 0; i < found.size(); ++i) points.col(static_cast<Index>(i)) = found[i];
  return points;
}

// All but one or two coordinates as at the center, these anywhere: in many dimensions few points of the whole box are
// any good, and what a model holds for flat is tried by nobody else.
Vector Proposer::on_line(const Vector& center) const {
  const auto d = static_cast<std::uint64_t>(center.size());
  const InputWarp log{box_.log_offset()};
  Vector u = center;
  for (int moves = rng_.uniform() < 0.5 ? 1 : 2; moves > 0; --moves) {
    const auto k = static_cast<Index>(rng_.below(d));
    const double share = rng_.uniform();
    u[k] = box_.categories(k) > 0 ? box_.category_at(k, share) : rng_.uniform() < 0.5 ? share : log.back(k, share);
  }
  return box_.snap(u);
}

Matrix Proposer::candidates(Extent extent) const {
  const Index d = box_.dimension();
  const auto sites = static_cast<Index>(model_.active().size());
  const auto centers = static_cast<Index>(centers_.size());
  const Index anywhere = extent == Extent::whole_set ? everywhere : 0;
  const Matrix others = other_categories(centers_.front());
  Matrix pool(d, anywhere + sites + centers * (nearby + on_lines + 1) + others.cols());
  if (anywhere > 0) pool.leftCols(anywhere) = everywhere_.points(rng_);
  pool.rightCols(others.cols()) = others;
  Index column = anywhere;
  for (const Index s : model_.active()) pool.col(column++) = model_.sites()[s].unit;
  for (const Vector& center : centers_) {
    pool.col(column++) = center;
    for (Index i = 0; i < nearby; ++i)
      pool.col(column++) = around(center, reach_ * std::exp(rng_.uniform(std::log(0.02), 0)), 1);
    for (Index i = 0; i < on_lines; ++i) pool.col(column++) = on_line(center);
  }
  return pool;
}

Proposer::Criterion Proposer::at_margin(const Beliefs& b, double z) const {
  Criterion c{b.mean.row(0).transpose(), Vector::Zero(b.mean.cols())};
  for (Index i = 1; i < model_.functions(); ++i) {
    const double upper = model_.upper(i), lower = model_.lower(i);
    for (Index k = 0; k < c.value.size(); ++k) {
      // Margins are for inequalities: no point is known to meet an equality.
      const double margin = model_.equality(i) ? 0 : z * b.sd(i, k);
      c.violation[k] += std::max({0.0, b.mean(i, k) + margin - upper, lower - b.mean(i, k)});
    }
  }
  for (Index k = 0; k < c.value.size(); ++k)
    if (b.answered[k] < surely_answered) c.violation[k] += 10 * (surely_answered - b.answered[k]);
  return c;
}

template <class Score>
ProposedPoint Proposer::search(const Score& score, int rounds, bool elsewhere, Extent extent) const {
  ProposedPoint best{centers_.front(), infinity, infinity};
  const auto consider = [&](const Matrix& pool) {
    Criterion c = score(pool);
    if (elsewhere && !taken_.empty()) {
      const InputWarp& input = model_.function(0).input();
      const Matrix seen = input(pool);
      for (const Vector& u : taken_) {
        const Vector taken = input(u);
        for (Index k = 0; k < pool.cols(); ++k)
          if ((seen.col(k) - taken).lpNorm<Eigen::Infinity>() < apart) c.violation[k] += 1;
      }
    }
    for (Index k = 0; k < pool.cols(); ++k)
      if (better(c.value[k], c.violation[k], best) && box_.allowed(pool.col(k)))
        best = {pool.col(k), c.value[k], c.violation[k]};
  };
  consider(candidates(extent));
  double size = 0.25 * reach_;
  for (int r = 0; r < rounds; ++r, size *= 0.25) consider(around(best.unit, size, refined));
  return best;
}

Vector Proposer::polished(const Vector& unit, double z) const {
  const Beliefs here = model_.predict(unit, searched());
  const auto mean_of = [&](Index i, double shift, double sign) -> Differentiable {
    return [this, i, shift, sign](const Vector& u, Vector* gradient) {
      const double value = model_.function(i).mean(u, gradient);
      if (gradient) *gradient *= sign;
      return sign * (value - shift);
    };
  };
  std::vector<Differentiable> inequalities, equalities;
  for (Index i = 1; i < model_.functions(); ++i) {
    if (model_.equality(i)) equalities.push_back(mean_of(i, model_.function(i).limit(), 1));
    // What is far from its limit will not matter within reach.
    else if (here.mean(i, 0) + z * here.sd(i, 0) > model_.upper(i) - 2)
      inequalities.push_back(mean_of(i, model_.upper(i) - z * here.sd(i, 0), 1));
  }
  Vector lower = Vector::Zero(unit.size()), upper = Vector::Ones(unit.size());
  const Vector& log_length = model_.function(0).gp().kernel().log_length;
  const InputWarp& input = model_.function(0).input();
  for (Index k = 0; k < unit.size(); ++k) {
    const double room = box_.whole(k) ? 0 : std::min(reach_, 0.5 * std::exp(log_length[k])), at = input.at(k, unit[k]);
    lower[k] = room > 0 ? std::max(0.0, input.back(k, at - room)) : unit[k];
    upper[k] = room > 0 ? std::min(1.0, input.back(k, at + room)) : unit[k];
  }
  return box_.snap(minimize_constrained(mean_of(0, 0, 1), inequalities, equalities, unit, lower, upper, 40, 1e-7).x);
}

ProposedPoint Proposer::optimum(double z) const {
  const auto score = [&](const Matrix& pool) { return at_margin(model_.predict(pool, searched()), z); };
  ProposedPoint best = search(score, refinements, false);
  Vector start = best.unit;
  for (int again = 0; again < 2; ++again) {  // margins are frozen within a polish
    start = polished(start, z);
    const Criterion c = score(start);
    if (!better(c.value[0], c.violation[0], best) || !box_.allowed(start)) break;
    best = {start, c.value[0], c.violation[0]};
  }
  return best;
}

ProposedPoint Proposer::hidden() const {
  return search(
      [&](const Matrix& pool) {
        const Beliefs b = model_.predict(pool, SiteModel::Scale::short_scale);
        Criterion c = at_margin(b, -2);
        c.value -= 2 * b.sd.row(0).transpose();
        return c;
      },
      1, true, rng_.uniform() < 0.5 ? Extent::whole_set : Extent::around_centers);
}

ProposedPoint Proposer::improvement(std::optional<double> best) const {
  return search(
      [&](const Matrix& pool) {
        const Beliefs b = model_.predict(pool, searched());
        Criterion c{Vector::Zero(pool.cols()), Vector::Zero(pool.cols())};
        for (Index k = 0; k < pool.cols(); ++k) {
          double log_value = best ? log_expected_improvement(*best - b.mean(0, k), b.sd(0, k)) : 0;
          for (Index i = 1; i < model_.functions(); ++i) {
            double log_probability = log_normal_cdf((model_.upper(i) - b.mean(i, k)) / b.sd(i, k));
            if (model_.equality(i)) log_probability += log_normal_cdf((b.mean(i, k) - model_.lower(i)) / b.sd(i, k));
            log_value += log_probability;
          }
          c.value[k] = -(log_value + 2 * std::log(std::max(1e-12, b.answered[k])));
        }
        return c;
      },
      refinements, true);
}

ProposedPoint Proposer::unknown() const {
  return search(
      [&](const Matrix& pool) {
        const Beliefs b = model_.predict(pool);
        Criterion c = at_margin(b, -1);
        c.value = -b.sd.row(0).transpose();
        return c;
      },
      1, true);
}

std::vector<Proposer::Bet> Proposer::best_bets(double start_objective, std::size_t count) const {
  const auto n = static_cast<Index>(model_.active().size());
  Matrix pool(box_.dimension(), n);
  for (Index k = 0; k < n; ++k) pool.col(k) = model_.sites()[model_.active()[static_cast<std::size_t>(k)]].unit;
  const Beliefs b = model_.predict(pool);
  Vector violated(n);
  for (Index k = 0; k < n; ++k) {
    double missing = 0;
    for (Index i = 1; i < model_.functions(); ++i) {
      missing += normal_cdf((b.mean(i, k) - model_.upper(i)) / b.sd(i, k));
      if (model_.equality(i)) missing += normal_cdf((model_.lower(i) - b.mean(i, k)) / b.sd(i, k));
    }
    violated[k] = std::min(1.0, missing + (1 - b.answered[k]) * 0.2);
  }
  // Losses relative to the start's, or where that is best of all to the spread: the model's unit.
  double lowest = infinity;
  for (Index k = 0; k < n; ++k)
    if (violated[k] < 0.5) lowest = std::min(lowest, b.mean(0, k));
  if (std::isinf(lowest)) lowest = b.mean.row(0).minCoeff();
  const double range = std::max(0.2, start_objective - lowest);
  constexpr double allowed = 0.05, gentle = 0.05;
  std::vector<std::pair<double, Index>> losses;
  for (Index k = 0; k < n; ++k) {
    const double p = violated[k];
    const double rho = p <= allowed ? gentle * p / allowed
                                    : gentle + (1 - gentle) * std::min(1.0, (p - allowed) / (0.5 - allowed)) + p * 0.5;
    const double objective = (b.mean(0, k) + 0.5 * b.sd(0, k) - lowest) / range;
    losses.emplace_back(objective * (1 - std::min(1.0, rho)) + rho * 1.5, k);
  }
  std::ranges::sort(losses);
  std::vector<Bet> bets;
  for (const auto& [loss, k] : losses) {
    if (bets.size() == count) break;
    bets.push_back({pool.col(k), violated[k], b.mean(0, k), model_.active()[static_cast<std::size_t>(k)]});
  }
  return bets;
}

Proposer::Outlook Proposer::outlook(const Vector& unit) const {
  constexpr double bound = 1.645, apart_optima = 0.25;
  // Among all sorts of points, what is best if all goes as well as it may: a bound must be looked for.
  Matrix pool = candidates(Extent::whole_set);
  pool.conservativeResize(Eigen::NoChange, pool.cols() + 1);
  pool.rightCols(1) = search(
                          [&](const Matrix& points) {
                            const Beliefs b = model_.predict(points);
                            Criterion c = at_margin(b, -bound);
                            c.value -= bound * b.sd.row(0).transpose();
                            return c;
                          },
                          refinements, false)
                          .unit;
  const double best = model_.predict(unit).mean(0, 0);
  Outlook out;
  double improvement = 0, gain = 0;
  // What hides between the sites could be gained, too: a bound holds for shorter lengths than were learned as well.
  for (const auto scale : {SiteModel::Scale::learned, SiteModel::Scale::short_scale}) {
    const Beliefs b = model_.predict(pool, scale);
    const double error = model_.predict(unit, scale).sd(0, 0);
    for (Index k = 0; k < pool.cols(); ++k) {
      double probability = b.answered[k];
      bool may_hold = b.answered[k] >= 0.05;
      for (Index i = 1; i < model_.functions(); ++i) {
        probability *= normal_cdf((model_.upper(i) - b.mean(i, k)) / b.sd(i, k));
        may_hold = may_hold && b.mean(i, k) - bound * b.sd(i, k) <= model_.upper(i);
      }
      if (scale == SiteModel::Scale::learned)
        improvement =
            std::max(improvement, probability * std::exp(log_expected_improvement(best - b.mean(0, k), b.sd(0, k))));
      if (!may_hold) continue;
      const double better_by = best - (b.mean(0, k) - bound * b.sd(0, k));
      if (better_by > error && (pool.col(k) - unit).lpNorm<Eigen::Infinity>() > apart_optima) out.several_optima = true;
      gain = std::max(gain, better_by);
    }
  }
  const double slope = model_.function(0).slope_at(model_.function(0).from_model(best));
  out.expected_improvement = improvement / slope;
  out.possible_gain = gain / slope;
  return out;
}

std::optional<Vector> Proposer::contender(const Vector& unit) const {
  const auto n = static_cast<Index>(model_.active().size());
  Matrix pool(box_.dimension(), n);
  for (Index k = 0; k < n; ++k) pool.col(k) = model_.sites()[model_.active()[static_cast<std::size_t>(k)]].unit;
  const Beliefs b = model_.predict(pool), here = model_.predict(unit);
  constexpr double in_contention = 0.05;
  double most = in_contention, own = 0, others = 0;
  std::optional<Vector> best;
  for (Index k = 0; k < n; ++k) {
    const auto count = static_cast<double>(model_.sites()[model_.active()[static_cast<std::size_t>(k)]].answered);
    if (pool.col(k) == unit) {
      own = count;
      continue;
    }
    double better =
        normal_cdf((here.mean(0, 0) - b.mean(0, k)) / std::hypot(here.sd(0, 0), b.sd(0, k))) * b.answered[k];
    for (Index i = 1; i < model_.functions(); ++i) {
      better *= normal_cdf((model_.upper(i) - b.mean(i, k)) / b.sd(i, k));
      if (model_.equality(i)) better *= normal_cdf((b.mean(i, k) - model_.lower(i)) / b.sd(i, k));
    }
    if (better <= in_contention) continue;
    others += count * count;
    if (better > most) {
      most = better;
      best = pool.col(k);
    }
  }
  return own * own > others ? best : std::nullopt;
}

Proposer::Bet Proposer::safest_bet(double start_objective) const { return best_bets(start_objective, 1).front(); }

Vector Proposer::multipliers(const Vector& unit) const {
  const Index m = model_.functions() - 1, d = unit.size();
  Vector y = Vector::Zero(m);
  const Beliefs here = model_.predict(unit);
  std::vector<Index> rows;  // coordinates off the bounds
  for (Index k = 0; k < d; ++k)
    if (unit[k] > 1e-3 && unit[k] < 1 - 1e-3 && !box_.whole(k)) rows.push_back(k);
  constexpr double close = 0.1;  // of the constraint's spread
  std::vector<Index> active;
  for (Index i = 1; i <= m; ++i)
    if (model_.equality(i) || here.mean(i, 0) + 3 * here.sd(i, 0) >= model_.upper(i) - close) active.push_back(i);
  Vector slope_f, slope;
  model_.function(0).mean(unit, &slope_f);
  const auto slopes_at = [&](const Vector& g) {
    Vector out(static_cast<Index>(rows.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) out[static_cast<Index>(r)] = g[rows[r]];
    return out;
  };
  // Those whose multiplier would be negative leave, the worst first.
  while (!active.empty() && !rows.empty()) {
    Matrix a(static_cast<Index>(rows.size()), static_cast<Index>(active.size()));
    for (std::size_t c = 0; c < active.size(); ++c) {
      model_.function(active[c]).mean(unit, &slope);
      a.col(static_cast<Index>(c)) = slopes_at(slope);
    }
    const Vector solved = a.colPivHouseholderQr().solve(-slopes_at(slope_f));
    std::ptrdiff_t worst = -1;
    for (std::size_t c = 0; c < active.size(); ++c)
      if (!model_.equality(active[c]) && solved[static_cast<Index>(c)] < 0 &&
          (worst < 0 || solved[static_cast<Index>(c)] < solved[worst]))
        worst = static_cast<std::ptrdiff_t>(c);
    if (worst < 0) {
      const Index site = model_.sites().find(unit);
      for (std::size_t c = 0; c < active.size(); ++c) {
        // dy_f / dy_i in the user's units: slopes of the warps at the point.
        const double f = site >= 0 ? model_.sites()[site].mean[0] : 0, g = 0;
        const double per = model_.function(active[c]).slope_at(g) / model_.function(0).slope_at(f);
        y[active[c] - 1] = solved[static_cast<Index>(c)] * per;
      }
      break;
    }
    active.erase(active.begin() + worst);
  }
  return y;
}

}  // namespace zeroth
