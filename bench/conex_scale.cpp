// SPDX-License-Identifier: MIT
//
// What an iteration of conex costs beside its random numbers, n = 10^6 and a trivial oracle; and our normals beside the
// standard library's. Prints ratios measured in this run, which do not depend on the machine as times do.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "zeroth/solvers/conex/conex.hpp"

namespace {

using namespace zeroth;

double seconds(const auto& work) {
  double best = 1e300;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

}  // namespace

int main() {
  const Index n = 1000000;
  std::vector<double> numbers(static_cast<std::size_t>(n));
  std::uint64_t key = 0;
  const double ours = seconds([&] { fill_normal(++key, numbers); });
  std::mt19937_64 twister(1);
  std::normal_distribution<double> normal;
  const double theirs = seconds([&] {
    for (double& v : numbers) v = normal(twister);
  });
  fmt::print("normals: {:.2f} ns each, std::normal_distribution over std::mt19937_64 {:.2f} ns: ratio {:.2f}\n",
             1e9 * ours / static_cast<double>(n), 1e9 * theirs / static_cast<double>(n), theirs / ours);

  for (const bool shared : {true, false}) {
    Spec spec;
    spec.domain = Domain::box(n, -1, 1);
    spec.constraints = 1;
    spec.defined_everywhere = true;
    spec.budget = 1000000;
    ConexOptions options;
    options.estimator.shared_directions = shared;
    Search search = conex(spec, options, 1);
    std::vector<Answer> answers(search.ask().size());
    for (Answer& a : answers) a.values = {0.5, 0.25};
    for (int warm_up = 0; warm_up < 2; ++warm_up) search.tell(answers);
    const double iteration = seconds([&] { search.tell(answers); });
    const double directions = shared ? 2 : 3;  // u and u-bar; u_0, u_1 and u-bar_1
    fmt::print(
        "conex, n = 10^6, {} directions: iteration {:.1f} ms, its {:.0f} Gaussian vectors {:.1f} ms: ratio {:.2f}\n",
        shared ? "shared" : "independent", 1e3 * iteration, directions, 1e3 * directions * ours,
        iteration / (directions * ours));
  }
}
