// SPDX-License-Identifier: MIT
#include "zeroth/adapters/least_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace zeroth {
namespace {

struct RelaxationLabel {
  enum : std::uint64_t { relaxed = 0x72656c6178, anew };
};

constexpr double patient_share = 0.6;       // of the search's evaluations
constexpr std::size_t enough_answers = 10;  // answers
constexpr std::size_t most_answers = 5000;

// All whole answers so far, and which limits stand in the way.
class Violations {
 public:
  explicit Violations(const Spec& spec)
      : constraints_(static_cast<std::size_t>(spec.constraints)),
        low_(constraints_ + 1, infinity),
        high_(constraints_ + 1, -infinity) {}

  void see(const Query& query, const Answer& answer) {
    if (answer.failed() || query.described || !query.weights.empty() || !query.wanted.empty()) return;
    if (seen_.size() == most_answers || answer.values.size() != constraints_ + 1) return;
    if (std::ranges::any_of(answer.values, [](double v) { return !std::isfinite(v); })) return;
    bool kept = true;
    for (std::size_t i = 1; i <= constraints_; ++i) {
      low_[i] = std::min(low_[i], answer.values[i]);
      high_[i] = std::max(high_[i], answer.values[i]);
      kept = kept && answer.values[i] <= 0;
    }
    seen_.push_back({as_vector(query.x), answer.values, answer.se, 1});
    if (kept && !feasible_) feasible_ = seen_.back().x;
  }

  const std::optional<Vector>& feasible() const { return feasible_; }
  std::size_t size() const { return seen_.size(); }
  const std::vector<Evaluated>& seen() const { return seen_; }

  const Evaluated& least() const {
    return *std::ranges::min_element(seen_, {}, [&](const Evaluated& e) { return violation(e.values); });
  }
  double unit(std::size_t i) const { return high_[i] > low_[i] ? high_[i] - low_[i] : 1; }

 private:
  double violation(const std::vector<double>& values) const {
    double sum = 0;
    for (std::size_t i = 1; i <= constraints_; ++i) sum += std::max(0.0, values[i]) / unit(i);
    return sum;
  }

  std::size_t constraints_;
  std::vector<double> low_, high_;
  std::vector<Evaluated> seen_;
  std::optional<Vector> feasible_;
};

// The problem whose objective is what the broken limits are broken by.
class Relaxed {
 public:
  explicit Relaxed(const Violations& violations) {
    const std::vector<double>& least = violations.least().values;
    for (std::size_t i = 0; i < least.size(); ++i) {
      unit_.push_back(i == 0 ? 1 : violations.unit(i));
      broken_.push_back(i > 0 && least[i] > 0);
    }
  }
  std::vector<double> of(const std::vector<double>& values) const {
    std::vector<double> out{0};
    for (std::size_t i = 1; i < values.size(); ++i)
      if (broken_[i]) out[0] += values[i] / unit_[i];
      else out.push_back(values[i]);
    return out;
  }
  Answer of(const Answer& answer) const { return answer.failed() ? answer : Answer{of(answer.values), ""}; }
  Index kept() const { return static_cast<Index>(std::ranges::count(broken_, false)) - 1; }

 private:
  std::vector<double> unit_;
  std::vector<bool> broken_;
};

}  // namespace

Search with_least_relaxation(Spec spec, StartSolver start, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  Violations violations(spec);
  std::int64_t done = 0;
  const auto due = static_cast<std::int64_t>(patient_share * static_cast<double>(spec.search_budget()));
  const auto rest_of = [&](Spec wanted) {
    wanted.budget = std::max<std::int64_t>(wanted.check + 1, spec.budget - done);
    wanted.evaluated = violations.seen();
    wanted.described_points = false;
    return wanted;
  };
  std::optional<Relaxed> relaxed;
  bool tried = false;
  Search solver = start(spec, seed);
  std::vector<Answer> seen;
  for (;;) {
    if (relaxed) {
      const Incumbent& inner = solver.recommend();
      incumbent.x = inner.x;
      incumbent.candidates = inner.candidates;
      incumbent.candidates.push_back(violations.least().x);
      incumbent.note = "no evaluation kept every limit: the least relaxation is looked for";
    } else {
      incumbent = solver.recommend();
    }
    if (solver.done()) co_return;
    const auto asked = solver.ask();
    const auto answers = co_await propose(asked, solver.proposes());
    done += static_cast<std::int64_t>(answers.size());
    for (std::size_t k = 0; k < answers.size() && k < asked.size(); ++k) violations.see(asked[k], answers[k]);
    if (relaxed) {
      seen.clear();
      for (const Answer& answer : answers) seen.push_back(relaxed->of(answer));
      solver.tell(seen);
      if (!violations.feasible()) continue;
      Spec again = rest_of(spec);
      again.start = *violations.feasible();
      relaxed.reset();
      solver = start(std::move(again), derive_key(seed, RelaxationLabel::anew));
      continue;
    }
    solver.tell(answers);
    if (tried || violations.feasible() || done < due || violations.size() < enough_answers) continue;
    tried = true;
    relaxed.emplace(violations);
    Spec instead = rest_of(spec);
    instead.start = violations.least().x;
    instead.constraints = relaxed->kept();
    instead.constants.reset();
    instead.indicators = false;
    for (Evaluated& e : instead.evaluated) {
      e.values = relaxed->of(e.values);
      e.se.clear();
    }
    incumbent = {};
    solver = start(std::move(instead), derive_key(seed, RelaxationLabel::relaxed));
  }
}

}  // namespace zeroth
