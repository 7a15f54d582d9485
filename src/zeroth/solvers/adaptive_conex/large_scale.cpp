// SPDX-License-Identifier: MIT
//
// adaptive-conex in very many dimensions: memory of order n (m + 1), no Hessian matrices. In units of X's half-widths:
//   D_i  = (F_i(x + r u) - F_i(x - r u)) / 2r            under one key where keys are honoured
//   h_i += gain u (D_i - u'h_i)                          gradient memory, corrected along each fresh direction u
//   b_i  : mean of u'A_i u, which second differences tell for nothing
//   d    = -(h_0 + sum y_i h_i) / L                      prox step with L = safety (b_0 + sum y_i b_i), y >= 0 from the
//          m-dimensional dual of  min <h_0, d> + L |d|^2 / 2  s.t.  level_i + <h_i, d> <= 0
//   h_i += b_i d                                         prediction: where the step has used a slope up, it is gone
// Vectors of length n live in WideMemory, which moves them while others evaluate. A pass over them measures, for the
// pairs of the batch under way, the products h'h, h'v and v'v; with these the corrections of a batch, one after the
// other, are arithmetic of order m and the number of pairs.
// A step that proves worse than no step beyond doubt is taken back and the safety doubled.
#include <algorithm>
#include <cmath>
#include <optional>

#include "zeroth/core/refreshed_by.hpp"
#include "zeroth/solvers/adaptive_conex/adaptive_conex.hpp"
#include "zeroth/solvers/adaptive_conex/large_scale_memory.hpp"
#include "zeroth/solvers/adaptive_conex/subproblem.hpp"
#include "zeroth/solvers/adaptive_conex/units.hpp"

namespace zeroth {
namespace {

using adaptive::solve_dual;
using adaptive::WideMemory;

struct AdaptiveWideLabel {
  enum : std::uint64_t { basis, noise };
};

double value_of(const Answer& answer, Index i) { return answer.values[static_cast<std::size_t>(i)]; }

// Are two evaluations under one key at almost one point much nearer than two evaluations at one point under two keys?
bool keys_honoured(std::span<const Answer> answers, Index functions) {
  if (answers[0].failed() || answers[1].failed() || answers[2].failed()) return false;
  for (Index i = 0; i < functions; ++i) {
    const double apart = std::abs(value_of(answers[1], i) - value_of(answers[0], i));
    if (apart > 0 && std::abs(value_of(answers[2], i) - value_of(answers[0], i)) > 0.05 * apart) return false;
  }
  return true;
}

// The questions of a batch: at x twice, then pairs. Points are described, or made here for who cannot make them.
class WideBatch {
 public:
  WideBatch(WideMemory& memory, bool described, Index n) : memory_(memory), described_(described), n_(n) {}
  void clear() {
    queries_.clear();
    points_.clear();
    used_ = 0;
  }
  void reserve(std::size_t count) {
    points_.reserve(count);
    made_.resize(described_ ? 0 : count);
  }
  void ask(const DescribedPoint& point, std::uint64_t key) {
    if (described_) {
      points_.push_back(point);
      queries_.push_back({{}, key, {}, {}, false, &points_.back()});
      return;
    }
    memory_.settle();
    Vector& made = made_[used_++];
    made.resize(n_);
    memory_.make_point(point.words, {made.data(), static_cast<std::size_t>(n_)});
    queries_.push_back({as_span(made), key, {}});
  }
  const std::vector<Query>& queries() const { return queries_; }

 private:
  WideMemory& memory_;
  bool described_;
  Index n_;
  std::vector<DescribedPoint> points_;
  std::vector<Vector> made_;
  std::size_t used_ = 0;
  std::vector<Query> queries_;
};

// What is known of each function at x beside its slopes.
struct WideLevels {
  Vector level, variance, noise, curvature, surprise;
  Vector before_level, before_variance;  // before the last step; empty: it was taken back, or there was none
  double evaluations = 0, pairs = 0;
  bool common = false;

  explicit WideLevels(Index functions)
      : variance(Vector::Constant(functions, 1e300)),
        noise(Vector::Zero(functions)),
        curvature(noise),
        surprise(noise) {}

  // The mean of the evaluations at x; whether the last step proves worse than no step.
  bool see(const Answer& one, const Answer& two, const Vector& y, Vector& seen, double& good) {
    seen = Vector::Zero(noise.size());
    good = !one.failed() + !two.failed();
    if (good == 0) return true;
    if (!one.failed()) seen += as_vector(one.values);
    if (!two.failed()) seen += as_vector(two.values);
    seen /= good;
    if (good > 1) {
      const double keep = std::min(++evaluations, 50.0);
      noise += ((as_vector(one.values) - as_vector(two.values)).cwiseAbs2() / 2 - noise) / keep;
    }
    if (before_level.size() == 0) return false;
    double change = seen[0] - before_level[0], doubt = noise[0] / good + before_variance[0];
    for (Index i = 0; i < y.size(); ++i) {
      const double penalty = 2 * std::abs(y[i]);
      change += penalty * (std::max(0.0, seen[i + 1]) - std::max(0.0, before_level[i + 1]));
      doubt += penalty * penalty * (noise[i + 1] / good + before_variance[i + 1]);
    }
    return change > 4 * std::sqrt(doubt) + 1e-12 * std::abs(seen[0]);
  }

  // Evaluations at x against what the model carried here.
  void learn(const Vector& seen, double good) {
    if (level.size() == 0) level = seen;
    for (Index i = 0; i < noise.size(); ++i) {
      const double gain = variance[i] / (variance[i] + noise[i] / good + 1e-300);
      level[i] += gain * (seen[i] - level[i]);
      variance[i] *= 1 - gain;
    }
  }

  void take_back() {
    level = before_level;
    variance = before_variance;
    before_level.resize(0);
  }

  void carry(const Vector& along_step, double moved) {
    for (Index i = 0; i < noise.size(); ++i) {
      const double change = along_step[i] + 0.5 * curvature[i] * moved;
      level[i] += change;
      variance[i] += 0.25 * change * change;  // of a change the model tells half for sure
    }
  }
};

// Slopes and curvatures: every pair corrects the memory along the way that its points lie apart, those before it taken
// into account.
Matrix corrections(std::span<const Answer> answers, const WideMemory::Survey& survey, WideLevels& at) {
  const Index functions = at.noise.size(), count = survey.apart.cols();
  Matrix correction = Matrix::Zero(functions, count);
  for (Index k = 0; k < count; ++k) {
    const auto q = static_cast<std::size_t>(2 * k) + 2;
    const Answer &up = answers[q], &down = answers[q + 1];
    const double length2 = survey.apart(k, k);
    if (up.failed() || down.failed() || !(length2 > 0)) continue;
    const double share = 1 / std::min(++at.pairs, 200.0);
    for (Index i = 0; i < functions; ++i) {
      double innovation = value_of(up, i) - value_of(down, i) - survey.along(i, k);
      for (Index j = 0; j < k; ++j) innovation -= correction(i, j) * survey.apart(j, k);
      const double middle = at.common && !answers[0].failed() ? value_of(answers[0], i) : at.level[i];
      at.curvature[i] += share * (4 * (value_of(up, i) + value_of(down, i) - 2 * middle) / length2 - at.curvature[i]);
      at.surprise[i] += share * (innovation * innovation / length2 - at.surprise[i]);
      const double of_noise = at.common ? 0 : 2 * at.noise[i] / length2;
      correction(i, k) =
          at.surprise[i] > 0 ? innovation * std::clamp(1 - of_noise / at.surprise[i], 0.02, 1.0) / length2 : 0;
    }
  }
  return correction;
}

}  // namespace

Search wide_adaptive_conex(Spec spec, AdaptiveConexOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const Index n = spec.dimension(), functions = spec.functions(), count = functions - 1;
  incumbent.x = spec.first_point();
  spec.domain.project(incumbent.x);
  incumbent.multipliers = Vector::Zero(count);
  incumbent.note = "many dimensions: gradient memory and one curvature per function";

  const bool described = spec.described_points && spec.domain.separable(), signs = options.directions == "signs";
  const auto single = described ? StoredVector::Precision::single : StoredVector::Precision::rounded;
  WideMemory memory(spec,
                    {signs, derive_key(seed, AdaptiveWideLabel::basis),
                     options.precision == "float" ? single : StoredVector::Precision::full},
                    incumbent.x);
  std::optional<RefreshedBy> refreshed;
  if (described) refreshed.emplace(incumbent, memory);
  const double largest = memory.largest_radius();
  const Index block = options.block > 0 ? options.block : std::max<Index>(8, (spec.width + 1) / 2);

  std::uint64_t keys = 0;
  const auto fresh_key = [&] { return noise_key(seed, AdaptiveWideLabel::noise, keys++); };
  WideBatch batch(memory, described, n);
  batch.reserve(static_cast<std::size_t>(2 * block) + 2);
  const std::uint64_t first_key = fresh_key();
  batch.ask(WideMemory::at_x(&memory), first_key);
  batch.ask(WideMemory::at_x(&memory), fresh_key());
  batch.ask(WideMemory::along(&memory, 0, 1e-6 * largest), first_key);

  WideLevels at(functions);
  adaptive::Units units(functions);
  at.common = keys_honoured(units.inside(co_await evaluate(batch.queries())), functions);
  const double radius = (at.common ? 1e-3 : options.radius > 0 ? options.radius : 0.3) * largest;

  std::int64_t t = 0;
  const auto pairs_of = [&](std::int64_t turn) {
    WideMemory::Pairs pairs{{}, radius};
    for (Index k = 0; k < block; ++k)
      pairs.directions.push_back(static_cast<Word>(signs ? turn * block + k : (turn * block + k) % n));
    return pairs;
  };
  memory.begin(pairs_of(0));
  Vector y = Vector::Zero(count), seen;
  double safety = 1;
  bool moved = false;
  for (;; ++t) {
    const WideMemory::Pairs pairs = pairs_of(t);
    const std::uint64_t shared = fresh_key();
    batch.clear();
    batch.ask(WideMemory::at_x(&memory), shared);
    batch.ask(WideMemory::at_x(&memory), fresh_key());
    for (const Word direction : pairs.directions)
      for (const double side : {radius, -radius})
        batch.ask(WideMemory::along(&memory, direction, side), at.common ? shared : fresh_key());
    const auto answers = units.inside(co_await evaluate(batch.queries()));

    if (moved) {
      at.carry(memory.along_step(), memory.moved_squared());
      incumbent.trace["step"] = std::sqrt(memory.moved_squared());
    }
    moved = false;
    double good = 0;
    const bool worse = at.see(answers[0], answers[1], y, seen, good);
    if (worse && at.before_level.size() > 0) {
      at.take_back();
      memory.take_back(at.curvature, pairs_of(t + 1), &incumbent.x);
      safety *= 2;
      continue;
    }
    if (good == 0) {
      memory.begin(pairs_of(t + 1));
      continue;
    }
    at.learn(seen, good);
    safety = std::max(1.0, 0.95 * safety);

    const WideMemory::Survey& survey = memory.survey();
    WideMemory::Move move{pairs, corrections(answers, survey, at), Vector::Ones(functions), at.curvature, 1};
    const Matrix& c = move.correction;
    const Matrix h = survey.memory + survey.along * c.transpose() + c * survey.along.transpose() +
                     c * survey.apart * c.transpose();  // h'h, corrected
    const double slope = std::sqrt(std::max(0.0, h(0, 0)));
    double curved = at.curvature[0];
    for (Index i = 0; i < count; ++i) curved += std::abs(y[i]) * at.curvature[i + 1];
    move.L = safety * std::max(curved, 1e-6 * (1e-12 + slope / largest));
    if (count > 0) {
      const Matrix dual = h.bottomRightCorner(count, count) / move.L;
      const Vector levels = at.level.tail(count) - h.col(0).tail(count) / move.L;
      const double least = std::sqrt(std::max(1e-300, move.L * dual.diagonal().maxCoeff()));
      y = solve_dual(dual, levels, spec.constraints, 100 * slope / least);
      move.weights.tail(count) = y;
    }
    at.before_level = at.level;
    at.before_variance = at.variance;
    memory.advance(move, pairs_of(t + 1), &incumbent.x);
    moved = true;
    incumbent.multipliers = y;
    incumbent.trace["curvature"] = move.L;
    units.outside(incumbent);
  }
}

}  // namespace zeroth
