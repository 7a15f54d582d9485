// SPDX-License-Identifier: MIT
//
// One search with each solver whose points may be described (core/iterate.hpp), alone or under mpirun, and a
// fingerprint of where it ended: the same line for the same bits. With "time" as second argument, what it took.
//   copies_of_x N [time]
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "zeroth/catalog/replicas.hpp"
#include "zeroth/engine/mpi.hpp"
#include "zeroth/solvers/adaptive_conex/adaptive_conex.hpp"
#include "zeroth/solvers/conex/proximal_conex.hpp"

namespace {

using namespace zeroth;
using Clock = std::chrono::steady_clock;

Problem problem_of(Index n) {
  Problem p;
  p.spec.domain = Domain::box(n, -1, 1);
  p.spec.constraints = 1;
  p.spec.defined_everywhere = true;
  p.spec.described_points = true;
  p.spec.budget = 1'000'000;
  p.oracle = [](std::span<const double> point, Rng& noise, std::span<double> values) {
    const auto x = as_vector(point);
    values[0] = (x.array() - 0.5).square().mean() + 0.01 * noise.normal();
    values[1] = x.mean() - 0.2;
  };
  return p;
}

Search start(int which, const Spec& spec) {
  ProximalConexOptions proximal;
  ConexOptions& o = proximal.inner;
  o.estimator.directions = "signs";
  o.estimator.shared_directions = true;
  o.estimator.batch = 16;
  o.eta = o.tau = {20, 0.5};
  if (which == 0) return conex(spec, o, 3);
  o.iterations = 3;
  proximal.K = 3;
  if (which == 1) return proximal_conex(spec, proximal, 3);
  AdaptiveConexOptions adaptive;
  if (which == 2) adaptive.directions = "signs";
  return wide_adaptive_conex(spec, adaptive, 3);
}

void search(int which, const Problem& problem, Engine& engine, bool timed) {
  static const char* const names[] = {"conex", "proximal-conex", "adaptive-conex, signs", "adaptive-conex"};
  Search s = start(which, problem.spec);
  double own = 0, evaluations = 0;
  const auto begin = Clock::now();
  for (int t = 0; t < 20 && !s.done(); ++t) {
    const auto batch = s.ask();
    std::vector<Answer> answers(batch.size());
    engine.evaluate(batch, [&](std::size_t k, Answer a, const Circumstances&) { answers[k] = std::move(a); }, {});
    evaluations += static_cast<double>(batch.size());
    const auto told = Clock::now();
    s.tell(answers);
    own += std::chrono::duration<double>(Clock::now() - told).count();
  }
  const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  if (s.recommend().refresh) s.recommend().refresh();
  std::uint64_t hash = 1;
  for (const double v : s.recommend().x)
    hash = (hash ^ std::bit_cast<std::uint64_t>(v)) * 0x9e3779b97f4a7c15u + (hash >> 29);
  std::printf("%s: %016llx", names[which], static_cast<unsigned long long>(hash));
  if (timed)
    std::printf(", own %.4f ms, elapsed %.2f ms per evaluation", 1e3 * own / evaluations, 1e3 * elapsed / evaluations);
  std::printf("\n");
}

void search_all(const Problem& problem, Engine& engine, bool timed) {
  for (int which = 0; which < 4; ++which) search(which, problem, engine, timed);
}

}  // namespace

int main(int count, char** arguments) {
  const Problem problem = problem_of(count > 1 ? std::atol(arguments[1]) : 5000);
  const bool timed = count > 2 && std::string_view(arguments[2]) == "time";
  if (!launched_by_mpi()) {
    search_all(problem, *serial_engine(problem), timed);
    return 0;
  }
  MpiWorld world;
  if (world.rank() > 0) world.serve(*serial_engine(problem), replicas_of(problem.spec));
  else search_all(problem, *world.engine(), timed);
}
