// SPDX-License-Identifier: MIT
#include "zeroth/solvers/auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zeroth/solvers/adaptive_basis.hpp"
#include "zeroth/solvers/adaptive_conex.hpp"
#include "zeroth/solvers/trust_bo.hpp"

namespace zeroth {
namespace {

struct AutoLabel {
  enum : std::uint64_t { place = 0x6175746f, noise };
};
constexpr std::size_t replicates = 3;
constexpr double large_noise = 0.01;  // of the spread

bool small_enough(const Spec& spec, const AutoOptions& o) {
  return spec.dimension() <= o.bayesian_dimension && spec.constraints + spec.equalities <= o.bayesian_constraints;
}

// Noise against spread: the largest ratio of standard deviations over the functions; zero if too much failed to tell.
double noise_share(std::span<const Answer> answers, Index functions) {
  double share = 0;
  for (Index i = 0; i < functions; ++i) {
    const auto deviation = [&](std::size_t begin, std::size_t end) {
      double count = 0, mean = 0, squares = 0;
      for (std::size_t k = begin; k < end; ++k) {
        if (answers[k].failed()) continue;
        const double v = answers[k].values[static_cast<std::size_t>(i)], delta = v - mean;
        mean += delta / ++count;
        squares += delta * (v - mean);
      }
      return count > 1 ? std::sqrt(squares / (count - 1)) : 0;
    };
    const double noise = deviation(0, replicates), spread = deviation(replicates - 1, answers.size());
    if (spread > 0) share = std::max(share, noise / spread);
  }
  return share;
}

}  // namespace

bool auto_takes_model(const Spec& spec, const AutoOptions& options) {
  return small_enough(spec, options) && spec.budget <= options.bayesian_budget;
}

Search auto_solver(Spec spec, AutoOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const bool small = small_enough(spec, options);
  const bool whole = std::ranges::find(spec.integer, true) != spec.integer.end();
  bool bayesian = auto_takes_model(spec, options);
  std::string why = bayesian ? "few variables and few evaluations, where a model of the whole set pays"
                    : small  ? "enough evaluations to measure slopes and noise"
                             : "many variables or constraints, where slopes tell most";
  if (small && !bayesian && spec.budget <= options.bayesian_budget + options.bayesian_budget / 3) {
    incumbent.x = spec.first_point();
    incumbent.note = "measuring how the noise compares with the functions' spread";
    std::vector<Vector> places(2 * replicates, incumbent.x);
    Rng rng(derive_key(seed, AutoLabel::place));
    const Vector scale = adaptive::scales(spec.domain, incumbent.x);
    for (std::size_t k = replicates; k < places.size(); ++k) {
      for (Index j = 0; j < scale.size(); ++j) places[k][j] += rng.uniform(-1, 1) * scale[j];
      spec.domain.project(places[k]);
    }
    std::vector<Query> batch(places.size());
    for (std::size_t k = 0; k < batch.size(); ++k)
      batch[k] = {as_span(places[k]), noise_key(seed, AutoLabel::noise, k), {}};
    const double share = noise_share(co_await look(batch), spec.functions());
    spec.budget -= static_cast<std::int64_t>(batch.size());
    bayesian = share >= large_noise;
    why = fmt::format("few variables, and noise of {:.2g} of the functions' spread, which {}", share,
                      bayesian ? "a model of the whole set averages best" : "leaves slopes clear");
  }
  if (whole) why += bayesian ? "; whole values fit its model" : "; whole-number variables are treated as real";
  why = std::string(bayesian ? "trust-bo: " : "adaptive-conex: ") + why;
  Search inner = bayesian ? trust_bo(spec, {}, seed) : adaptive_conex(spec, {}, seed);
  for (;;) {
    incumbent = inner.recommend();
    incumbent.note = why + (incumbent.note.empty() ? "" : "; " + incumbent.note);
    if (inner.done()) co_return;
    const auto answers = co_await look(inner.ask());
    inner.tell(answers);
  }
}

}  // namespace zeroth
