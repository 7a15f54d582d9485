// SPDX-License-Identifier: MIT
//
// Leapfrog (Neal 2011, Section 5.2.3), with the gradient of the last step kept for the next trajectory:
//   p <- p - (epsilon/2) grad U(q);   L times: q <- q + (epsilon/kappa) p, p <- p - epsilon grad U(q), the last one
//   halved.
// All numbers that do not depend on the setting come in the same places of the streams, so that two settings under one
// key start alike and see the same momenta: common random numbers.
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "zeroth/apps/hmc.hpp"
#include "zeroth/core/portable_math.hpp"

namespace zeroth {
namespace {

struct HmcSamplerLabel {
  enum : std::uint64_t { start = 1, momentum, acceptance };
};
constexpr double start_spread = 1e-3;
constexpr double divergent_energy = 1000;

using Pair = LogisticPotential::Pair;
using Clock = std::chrono::steady_clock;

std::span<double> numbers_of(Pair& pair) { return {pair.data(), static_cast<std::size_t>(pair.size())}; }

class Sampler {
 public:
  Sampler(const LogisticPotential& potential, const HmcSetting& setting, std::uint64_t key)
      : potential_(potential),
        setting_(setting),
        momentum_key_(derive_key(key, HmcSamplerLabel::momentum)),
        coins_(derive_key(key, HmcSamplerLabel::acceptance)),
        q_(potential.parameters(), 2),
        p_(q_.rows(), 2),
        gradient_(q_.rows(), 2) {
    fill_normal(derive_key(key, HmcSamplerLabel::start), numbers_of(q_));
    q_ *= start_spread;
    potential_.evaluate(q_, gradient_, value_);
    new_q_ = q_;
    new_gradient_ = gradient_;
  }

  void iterate() {
    fill_normal(momentum_key_, numbers_of(p_), iteration_++ * static_cast<std::uint64_t>(p_.size()));
    p_ *= std::sqrt(setting_.mass);
    std::array<double, 2> before{}, new_value{};
    for (Index c : {0, 1}) before[static_cast<std::size_t>(c)] = value_[static_cast<std::size_t>(c)] + kinetic(c);

    new_q_ = q_;
    p_ -= 0.5 * setting_.step_size * gradient_;
    for (std::int64_t step = 1; step <= setting_.steps; ++step) {
      new_q_ += setting_.step_size / setting_.mass * p_;
      potential_.evaluate(new_q_, new_gradient_, new_value);
      p_ -= (step < setting_.steps ? 1 : 0.5) * setting_.step_size * new_gradient_;
    }

    for (Index c : {0, 1}) {
      const auto i = static_cast<std::size_t>(c);
      const double error = new_value[i] + kinetic(c) - before[i];
      const double coin = portable::log(coins_.uniform());
      if (!(error < divergent_energy))
        throw std::runtime_error("the trajectory diverged (energy error above " +
                                 std::to_string(static_cast<int>(divergent_energy)) + ")");
      if (coin >= -error) continue;
      q_.col(c) = new_q_.col(c);
      gradient_.col(c) = new_gradient_.col(c);
      value_[i] = new_value[i];
      ++accepted_;
    }
  }

  const Pair& position() const { return q_; }
  double acceptance() const { return static_cast<double>(accepted_) / (2 * static_cast<double>(iteration_)); }

 private:
  double kinetic(Index chain) const { return p_.col(chain).squaredNorm() / (2 * setting_.mass); }

  const LogisticPotential& potential_;
  const HmcSetting setting_;
  std::uint64_t momentum_key_;
  Rng coins_;
  Pair q_, p_, gradient_, new_q_, new_gradient_;
  std::array<double, 2> value_{};
  std::uint64_t iteration_ = 0;
  std::int64_t accepted_ = 0;
};

}  // namespace

HmcChains run_hmc(const LogisticPotential& potential, const HmcSetting& setting, const HmcEffort& effort,
                  std::uint64_t key) {
  Sampler sampler(potential, setting, key);
  const Index d = potential.parameters();
  std::vector<double> path;  // both chains' positions, iteration after iteration
  const auto begin = Clock::now();
  const auto goes_on = [&](std::int64_t done) {
    if (effort.seconds > 0) return std::chrono::duration<double>(Clock::now() - begin).count() < effort.seconds;
    return done < effort.gradients / (2 * setting.steps);
  };
  std::int64_t iterations = 0;
  for (; goes_on(iterations); ++iterations) {
    sampler.iterate();
    path.insert(path.end(), sampler.position().data(), sampler.position().data() + 2 * d);
  }

  HmcChains chains;
  chains.iterations = iterations;
  chains.acceptance = sampler.acceptance();
  const auto burnt = static_cast<Index>(setting.burn_in * static_cast<double>(iterations));
  const Eigen::Map<const Matrix> all(path.data(), 2 * d, iterations);
  for (Index c : {0, 1})
    chains.draws[static_cast<std::size_t>(c)] = all.middleRows(c * d, d).rightCols(iterations - burnt).transpose();
  return chains;
}

}  // namespace zeroth
