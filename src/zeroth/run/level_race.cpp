// SPDX-License-Identifier: MIT
#include "zeroth/run/level_race.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace zeroth {
namespace {

constexpr std::size_t field = 6;            // challengers at a time
constexpr std::size_t most_looks = 400;     // of one point
constexpr std::size_t most_fitted = 20000;  // earlier looks
constexpr Index exchanges_up_to = 200;      // whole variables; beyond, neighbours differ in one only

}  // namespace

LevelRace::LevelRace(const Spec& spec, const Space& space) : spec_(spec), space_(space) {}

void LevelRace::learn(const Vector& x, const Answer& answer) {
  if (answer.failed() || seen_.size() >= most_fitted || x.size() > 2000) return;
  seen_.push_back(x);
  seen_values_.push_back(answer.values);
}

// Ridge regression on all coordinates, of the latter half of what was seen: it lies where the search has led.
void LevelRace::fit() {
  const auto functions = static_cast<std::size_t>(spec_.functions());
  slopes_.assign(functions, Vector::Zero(spec_.dimension()));
  const std::size_t begin = seen_.size() / 2, rows = seen_.size() - begin;
  if (rows < 8) return;
  const Index n = spec_.dimension();
  Vector mean = Vector::Zero(n);
  for (std::size_t k = begin; k < seen_.size(); ++k) mean += seen_[k] / static_cast<double>(rows);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(n, n);
  std::vector<Vector> right(functions, Vector::Zero(n));
  std::vector<double> level(functions, 0.0);
  for (std::size_t k = begin; k < seen_.size(); ++k)
    for (std::size_t i = 0; i < functions; ++i) level[i] += seen_values_[k][i] / static_cast<double>(rows);
  for (std::size_t k = begin; k < seen_.size(); ++k) {
    const Vector d = seen_[k] - mean;
    normal.selfadjointView<Eigen::Lower>().rankUpdate(d);
    for (std::size_t i = 0; i < functions; ++i) right[i] += (seen_values_[k][i] - level[i]) * d;
  }
  normal.diagonal().array() += 1e-3 * normal.diagonal().mean() + 1e-12;
  const Eigen::LDLT<Eigen::MatrixXd, Eigen::Lower> factor(normal);
  for (std::size_t i = 0; i < functions; ++i) slopes_[i] = factor.solve(right[i]);
}

void LevelRace::begin(const Vector& center) {
  fit();
  center_ = center;
  entrants_.clear();
  choose();
}

std::vector<Vector> LevelRace::neighbours() const {
  std::vector<Index> whole;
  for (Index k = 0; k < center_.size(); ++k)
    if (spec_.integer[static_cast<std::size_t>(k)]) whole.push_back(k);
  std::vector<Vector> all;
  const auto moved = [&](Vector x, Index k, int step) {
    x[k] = space_.next_level(k, x[k], step);
    return x;
  };
  for (const Index k : whole)
    for (const int step : {-1, 1})
      if (Vector x = moved(center_, k, step); x[k] != center_[k]) all.push_back(std::move(x));
  if (static_cast<Index>(whole.size()) > exchanges_up_to) return all;
  for (const Index up : whole)
    for (const Index down : whole) {
      if (up == down) continue;
      Vector x = moved(moved(center_, up, 1), down, -1);
      if (x[up] != center_[up] && x[down] != center_[down]) all.push_back(std::move(x));
    }
  std::erase_if(all, [&](const Vector& x) { return !spec_.domain.contains(x, 1e-9); });
  return all;
}

std::int64_t LevelRace::looks_at(std::size_t entrant) const {
  const auto found = tallies_.find(key_of(entrants_[entrant]));
  return found == tallies_.end() ? 0 : static_cast<std::int64_t>(found->second.looks.size());
}

// Feasible is what the check at the end, with a tenth of the budget, would probably confirm.
LevelRace::Judgement LevelRace::judge(const Tally& tally) const {
  Judgement j;
  const double coming = std::max(4.0, 0.1 * static_cast<double>(spec_.budget));
  j.violation = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i <= spec_.constraints; ++i) {
    double count = 0, mean = 0, squares = 0;
    for (const Answer& a : tally.looks) {
      if (a.failed()) continue;
      const double v = a.values[static_cast<std::size_t>(i)], delta = v - mean;
      mean += delta / ++count;
      squares += delta * (v - mean);
    }
    if (count < 2) return j;
    const double variance = squares / (count - 1);
    if (i == 0) continue;
    // In standard deviations, so that constraints compare; exact where there is no noise.
    const double margin = 1.64 / std::sqrt(coming), doubt = 1 / std::sqrt(count);
    const double here = variance > 0 ? mean / std::sqrt(variance) + margin : mean > 0 ? mean : mean - 1;
    j.violation = std::max(j.violation, variance > 0 ? here + 0.5 * doubt : here);
    j.hopeless = j.hopeless || (variance > 0 ? here - 1.5 * doubt : here) > 0;
  }
  if (spec_.constraints == 0) j.violation = -1;
  j.known = true;
  return j;
}

// `doubt`: standard error of the difference in objective over the difference.
bool LevelRace::better(const Tally& challenger, const Tally& champion, double& doubt) const {
  const Judgement a = judge(challenger), b = judge(champion);
  doubt = 0;
  if (!a.known) return false;
  if (!b.known) return true;
  if (b.violation > 0) return a.violation <= 0 || a.violation < b.violation - 0.1;
  if (a.violation > 0) return false;
  double count = 0, mean = 0, squares = 0;
  for (std::size_t r = 0; r < std::min(challenger.looks.size(), champion.looks.size()); ++r) {
    if (challenger.looks[r].failed() || champion.looks[r].failed()) continue;
    const double v = challenger.looks[r].values[0] - champion.looks[r].values[0], delta = v - mean;
    mean += delta / ++count;
    squares += delta * (v - mean);
  }
  if (count < 2) return false;
  const double error = std::sqrt(squares / (count - 1) / count);
  doubt = mean == 0 ? (error > 0 ? 10 : 0) : error / std::abs(mean);
  return mean < 0 && doubt < 1;
}

// The centre and those neighbours of it that the fit likes best and that have not lost yet.
void LevelRace::choose() {
  std::vector<std::pair<double, Vector>> ranked;
  const auto found = tallies_.find(key_of(center_));
  const Judgement here = found == tallies_.end() ? Judgement{} : judge(found->second);
  for (Vector& x : neighbours()) {
    if (std::ranges::find(beaten_, key_of(x)) != beaten_.end()) continue;
    const Vector step = x - center_;
    double merit = slopes_[0].dot(step);
    // A limit that the centre keeps with little to spare, or not at all: what leads back is worth more.
    for (Index i = 1; i <= spec_.constraints; ++i) {
      const double change = slopes_[static_cast<std::size_t>(i)].dot(step);
      double level = 0, count = 0;
      if (found != tallies_.end())
        for (const Answer& a : found->second.looks)
          if (!a.failed()) level += (a.values[static_cast<std::size_t>(i)] - level) / ++count;
      const double scale = slopes_[0].cwiseAbs().maxCoeff() /
                           std::max(slopes_[static_cast<std::size_t>(i)].cwiseAbs().maxCoeff(), 1e-300);
      if (count > 0 && level + change > 0) merit += 3 * scale * (level + change);
      else if (here.known && here.violation > 0) merit += scale * change;
    }
    ranked.emplace_back(merit, std::move(x));
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<double, Vector>::first);
  entrants_.clear();
  if (ranked.empty()) return;
  entrants_.push_back(center_);
  for (auto& [merit, x] : ranked)
    if (entrants_.size() <= field) entrants_.push_back(std::move(x));
}

void LevelRace::tell(std::span<const Answer> answers) {
  for (std::size_t k = 0; k < entrants_.size(); ++k) {
    Tally& tally = tallies_[key_of(entrants_[k])];
    for (std::int64_t r = 0; r < looks_each; ++r)
      tally.looks.push_back(answers[k * static_cast<std::size_t>(looks_each) + static_cast<std::size_t>(r)]);
  }
  // Whoever is clearly better moves the centre; whoever is clearly not, or has had its looks, has lost.
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
    } else if (const Judgement j = judge(tally);
               j.known && (j.hopeless || doubt < 0.7 || tally.looks.size() >= most_looks)) {
      beaten_.push_back(key_of(entrants_[k]));
    } else {
      undecided.push_back(entrants_[k]);
    }
  }
  if (winner && champion.looks.size() >= 2 * static_cast<std::size_t>(looks_each)) {
    center_ = *winner;
    ++moves_;
    beaten_.clear();
    for (const auto& [key, tally] : tallies_) {
      double ignored = 0;
      if (key != key_of(center_) && tally.looks.size() >= 2 * static_cast<std::size_t>(looks_each) &&
          !better(tally, tallies_[key_of(center_)], ignored))
        beaten_.push_back(key);
    }
    choose();
    return;
  }
  if (winner) return;  // the same entrants again, to be sure
  if (undecided.size() > 1 && undecided.size() * 2 > entrants_.size()) entrants_ = std::move(undecided);
  else choose();
}

}  // namespace zeroth
