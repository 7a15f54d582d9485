// SPDX-License-Identifier: MIT
#include "zeroth/adapters/integer_local_search.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "zeroth/core/statistics/running_moments.hpp"

namespace zeroth {
namespace {

constexpr std::size_t field = 6;               // challengers at a time
constexpr std::size_t most_evaluations = 400;  // of one point
constexpr std::size_t most_fitted = 20000;     // earlier evaluations
// Integer variables up to which neighbours differ in two (up in one, down in another) and in three; beyond, in one
// only.
constexpr std::size_t exchanges_up_to = 200, triples_up_to = 40;
constexpr Index refits_up_to = 400;                                  // variables: a fit costs the cube of them
constexpr double caution_in_the_race = 1.5, caution_at_the_end = 1;  // standard errors

}  // namespace

LevelRace::LevelRace(const Spec& spec, const Space& space) : spec_(spec), space_(space) {}

void LevelRace::learn(const Vector& x, const Answer& answer) {
  if (answer.failed() || seen_.size() >= most_fitted || x.size() > 2000) return;
  seen_.push_back(x);
  seen_values_.push_back(answer.values);
}

// Ridge regression of all that was seen on all coordinates. Late evaluations alone lie closer, but where the search has
// settled they say nothing of what it has settled on.
void LevelRace::fit() {
  const auto functions = static_cast<std::size_t>(spec_.functions());
  fitted_ = seen_.size();
  slopes_.assign(functions, Vector::Zero(spec_.dimension()));
  fit_center_ = center_;
  fit_level_ = Vector::Zero(spec_.functions());
  const std::size_t rows = seen_.size();
  if (rows < 8) return;
  const Index n = spec_.dimension();
  Vector mean = Vector::Zero(n);
  for (std::size_t k = 0; k < rows; ++k) mean += seen_[k] / static_cast<double>(rows);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(n, n);
  std::vector<Vector> right(functions, Vector::Zero(n));
  std::vector<double> level(functions, 0.0);
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t i = 0; i < functions; ++i) level[i] += seen_values_[k][i] / static_cast<double>(rows);
  for (std::size_t k = 0; k < rows; ++k) {
    const Vector d = seen_[k] - mean;
    normal.selfadjointView<Eigen::Lower>().rankUpdate(d);
    for (std::size_t i = 0; i < functions; ++i) right[i] += (seen_values_[k][i] - level[i]) * d;
  }
  fit_center_ = mean;
  for (std::size_t i = 0; i < functions; ++i) fit_level_[static_cast<Index>(i)] = level[i];
  normal.diagonal().array() += 1e-3 * normal.diagonal().mean() + 1e-12;
  const Eigen::LDLT<Eigen::MatrixXd, Eigen::Lower> factor(normal);
  for (std::size_t i = 0; i < functions; ++i) slopes_[i] = factor.solve(right[i]);
}

Vector LevelRace::fitted_levels(const Vector& x) const {
  Vector levels = fit_level_;
  for (std::size_t i = 0; i < slopes_.size(); ++i) levels[static_cast<Index>(i)] += slopes_[i].dot(x - fit_center_);
  return levels;
}

// Where the local search would end if the fit were the truth.
Vector LevelRace::fitted_optimum(const Vector& from) const {
  Vector x = from;
  for (Index steps = 0; steps < 20 + 4 * x.size(); ++steps) {
    double gain = 0;
    const auto next = most_promising(x, fitted_levels(x), 1, gain);
    if (next.empty() || !(gain < 0)) break;
    x = next.front();
  }
  return x;
}

void LevelRace::begin(const Vector& center) {
  center_ = center;
  fit();
  choose();
  if (seen_.size() < 16) return;
  const Vector promised = fitted_optimum(center);
  if (promised == center_) return;
  if (entrants_.empty()) entrants_.push_back(center_);
  if (std::ranges::find(entrants_, promised) == entrants_.end()) entrants_.insert(entrants_.begin() + 1, promised);
}

// By merit: the change of the objective, and what the constraints would be beyond their limits at the price of the
// steepest slopes.
std::vector<Vector> LevelRace::most_promising(const Vector& x, const Vector& levels, std::size_t count,
                                              double& best) const {
  struct Part {
    Index variable;
    double change;
  };
  std::vector<Part> ups, downs;
  for (Index k = 0; k < x.size(); ++k) {
    if (!spec_.integer[static_cast<std::size_t>(k)]) continue;
    if (const double change = space_.next_level(k, x[k], 1) - x[k]; change != 0) ups.push_back({k, change});
    if (const double change = space_.next_level(k, x[k], -1) - x[k]; change != 0) downs.push_back({k, change});
  }
  const auto whole = static_cast<std::size_t>(std::ranges::count(spec_.integer, true));
  Vector price = Vector::Zero(spec_.functions());
  for (Index i = 1; i <= spec_.constraints; ++i)
    price[i] = 3 * slopes_[0].cwiseAbs().maxCoeff() /
               std::max(slopes_[static_cast<std::size_t>(i)].cwiseAbs().maxCoeff(), 1e-300);
  double now = 0;
  for (Index i = 1; i <= spec_.constraints; ++i) now += price[i] * std::max(0.0, levels[i]);

  std::vector<std::pair<double, Vector>> ranked;  // the best `count`, in order
  const auto consider = [&](std::initializer_list<Part> parts) {
    double merit = -now;
    for (Index i = 0; i <= spec_.constraints; ++i) {
      double change = 0;
      for (const Part& p : parts) change += slopes_[static_cast<std::size_t>(i)][p.variable] * p.change;
      merit += i == 0 ? change : price[i] * std::max(0.0, levels[i] + change);
    }
    if (ranked.size() == count && !(merit < ranked.back().first)) return;
    Vector there = x;
    for (const Part& p : parts) there[p.variable] += p.change;
    if (beaten_.contains(key_of(there)) || !spec_.domain.contains(there, 1e-9) ||
        (spec_.known && !spec_.known(as_span(there))))
      return;
    const auto place = std::ranges::upper_bound(ranked, merit, {}, &std::pair<double, Vector>::first);
    ranked.emplace(place, merit, std::move(there));
    if (ranked.size() > count) ranked.pop_back();
  };
  for (const Part& p : downs) consider({p});
  for (const Part& p : ups) consider({p});
  if (whole <= exchanges_up_to)
    for (const Part& up : ups)
      for (const Part& down : downs)
        if (up.variable != down.variable) consider({up, down});
  if (whole <= triples_up_to) {
    const auto two_of = [&](const std::vector<Part>& pair, const std::vector<Part>& single) {
      for (std::size_t a = 0; a < pair.size(); ++a)
        for (std::size_t b = a + 1; b < pair.size(); ++b)
          for (const Part& c : single)
            if (c.variable != pair[a].variable && c.variable != pair[b].variable) consider({pair[a], pair[b], c});
    };
    two_of(ups, downs);
    two_of(downs, ups);
  }
  std::vector<Vector> points;
  for (auto& [merit, there] : ranked) points.push_back(std::move(there));
  best = ranked.empty() ? 0 : ranked.front().first;
  return points;
}

std::int64_t LevelRace::evaluations_at(std::size_t entrant) const {
  const auto found = tallies_.find(key_of(entrants_[entrant]));
  return found == tallies_.end() ? 0 : static_cast<std::int64_t>(found->second.evaluations.size());
}

// Mean and its standard error of a function at a point. Noise is shared, so what a few evaluations differ from as many
// at the point that was evaluated most often says more than the few alone: that point's mean over all of its
// evaluations is added.
LevelRace::Level LevelRace::level(const Tally& tally, Index function) const {
  const auto i = static_cast<std::size_t>(function);
  RunningMoments own, difference, reference;
  for (std::size_t r = 0; r < tally.evaluations.size(); ++r) {
    if (tally.evaluations[r].failed()) continue;
    own.add(tally.evaluations[r].values[i]);
    if (most_seen_ && r < most_seen_->evaluations.size() && !most_seen_->evaluations[r].failed())
      difference.add(tally.evaluations[r].values[i] - most_seen_->evaluations[r].values[i]);
  }
  Level result{own.count, own.mean, own.variance(), std::sqrt(own.variance() / own.count)};
  if (!most_seen_ || most_seen_ == &tally || difference.count < 2) return result;
  for (const Answer& a : most_seen_->evaluations)
    if (!a.failed()) reference.add(a.values[i]);
  const double error = std::sqrt(reference.variance() / reference.count + difference.variance() / difference.count);
  if (error < result.error) {
    result.mean = reference.mean + difference.mean;
    result.error = error;
  }
  return result;
}

// Feasible is what the check at the end would probably confirm.
LevelRace::Judgement LevelRace::judge(const Tally& tally, double caution) const {
  Judgement j;
  const double coming = std::max(4.0, static_cast<double>(spec_.check));
  j.violation = -std::numeric_limits<double>::infinity();
  for (Index i = 1; i <= spec_.constraints; ++i) {
    const Level at = level(tally, i);
    if (at.count < 2) return j;
    if (!(at.variance > 0)) {  // exact
      j.violation = std::max(j.violation, at.mean > 0 ? at.mean : at.mean - 1);
      j.hopeless = j.hopeless || at.mean > 0;
      continue;
    }
    // In standard deviations, so that constraints compare.
    const double sd = std::sqrt(at.variance), here = at.mean / sd + 1.64 / std::sqrt(coming);
    j.violation = std::max(j.violation, here + caution * at.error / sd);
    j.hopeless = j.hopeless || here - 1.5 * at.error / sd > 0;
  }
  if (spec_.constraints == 0) j.violation = -1;
  j.known = std::ranges::count_if(tally.evaluations, [](const Answer& a) { return !a.failed(); }) >= 2;
  return j;
}

// `doubt`: standard error of the difference in objective over the difference.
bool LevelRace::better(const Tally& challenger, const Tally& champion, double& doubt) const {
  const Judgement a = judge(challenger, caution_in_the_race), b = judge(champion, caution_in_the_race);
  doubt = 0;
  if (!a.known) return false;
  if (!b.known) return true;
  if (b.violation > 0) return a.violation <= 0 || a.violation < b.violation - 0.1;
  if (a.violation > 0) return false;
  RunningMoments difference;
  for (std::size_t r = 0; r < std::min(challenger.evaluations.size(), champion.evaluations.size()); ++r)
    if (!challenger.evaluations[r].failed() && !champion.evaluations[r].failed())
      difference.add(challenger.evaluations[r].values[0] - champion.evaluations[r].values[0]);
  if (difference.count < 2) return false;
  const double error = std::sqrt(difference.variance() / difference.count);
  doubt = difference.mean == 0 ? (error > 0 ? 10 : 0) : error / std::abs(difference.mean);
  return difference.mean < 0 && doubt < 1;
}

// The centre and those neighbours of it that the fit likes best and that have not lost yet.
void LevelRace::choose() {
  if (spec_.dimension() <= refits_up_to && seen_.size() > fitted_ + fitted_ / 10) fit();
  Vector levels = fitted_levels(center_);
  if (const auto found = tallies_.find(key_of(center_)); found != tallies_.end())
    for (Index i = 1; i <= spec_.constraints; ++i)
      if (const Level at = level(found->second, i); at.count > 0) levels[i] = at.mean;
  double ignored = 0;
  entrants_ = most_promising(center_, levels, field, ignored);
  if (!entrants_.empty()) entrants_.insert(entrants_.begin(), center_);
}

void LevelRace::record(std::span<const Answer> answers) {
  for (std::size_t k = 0; k < entrants_.size(); ++k) {
    Tally& tally = tallies_[key_of(entrants_[k])];
    for (std::int64_t r = 0; r < evaluations_each; ++r) {
      tally.evaluations.push_back(
          answers[k * static_cast<std::size_t>(evaluations_each) + static_cast<std::size_t>(r)]);
      learn(entrants_[k], tally.evaluations.back());
    }
    if (!most_seen_ || tally.evaluations.size() > most_seen_->evaluations.size()) most_seen_ = &tally;
  }
}

// The best objective of those who seem feasible and have not failed. Without one, who violates least is the centre, and
// the race goes on.
void LevelRace::confirm() {
  double best = std::numeric_limits<double>::infinity(), least = best;
  confirming_ = false;
  for (const auto& [key, tally] : tallies_) {
    if (failed_.contains(key)) continue;
    const Judgement j = judge(tally, caution_in_the_race);
    if (!j.known) continue;
    const Vector x = Eigen::Map<const Vector>(key.data(), static_cast<Index>(key.size()));
    if (const double value = level(tally, 0).mean; j.violation <= 0 && value < best) {
      best = value;
      confirming_ = true;
      center_ = x;
    }
    if (!confirming_ && j.violation < least) {
      least = j.violation;
      center_ = x;
    }
  }
  if (confirming_) entrants_ = {center_};
  else choose();
}

void LevelRace::tell(std::span<const Answer> answers) {
  record(answers);
  if (confirming_) {
    const Tally& tally = tallies_[key_of(center_)];
    const Judgement j = judge(tally, caution_at_the_end);
    const auto enough = static_cast<std::size_t>(std::max<std::int64_t>(1, spec_.check));
    if (j.violation <= 0 && 4 * tally.evaluations.size() >= enough) {
      entrants_.clear();
    } else if (j.hopeless || tally.evaluations.size() >= enough) {
      failed_.insert(key_of(center_));
      confirm();
    }
    return;
  }
  // Whoever is clearly better moves the centre; whoever is clearly not, or has had its evaluations, has lost.
  const Tally& champion = tallies_[key_of(center_)];
  const Vector* winner = nullptr;
  std::vector<Vector> undecided{center_};
  for (std::size_t k = 0; k < entrants_.size(); ++k) {
    if (entrants_[k] == center_) continue;
    const Tally& tally = tallies_[key_of(entrants_[k])];
    double doubt = 0;
    if (better(tally, champion, doubt)) {
      const Tally* best = winner ? &tallies_[key_of(*winner)] : nullptr;
      double ignored = 0;
      if (!best || better(tally, *best, ignored)) winner = &entrants_[k];
    } else if (const Judgement j = judge(tally, caution_in_the_race);
               j.known && (j.hopeless || doubt < 0.7 || tally.evaluations.size() >= most_evaluations)) {
      beaten_.insert(key_of(entrants_[k]));
    } else {
      undecided.push_back(entrants_[k]);
    }
  }
  if (winner && champion.evaluations.size() >= 2 * static_cast<std::size_t>(evaluations_each)) {
    center_ = *winner;
    ++moves_;
    beaten_.clear();
    for (const auto& [key, tally] : tallies_) {
      double ignored = 0;
      if (key != key_of(center_) && tally.evaluations.size() >= 2 * static_cast<std::size_t>(evaluations_each) &&
          !better(tally, tallies_[key_of(center_)], ignored))
        beaten_.insert(key);
    }
    choose();
    return;
  }
  if (winner) return;  // the same entrants again, to be sure
  if (undecided.size() > 1 && undecided.size() * 2 > entrants_.size()) entrants_ = std::move(undecided);
  else choose();
}

}  // namespace zeroth
