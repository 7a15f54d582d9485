// SPDX-License-Identifier: MIT
//
// Projections onto polyhedra: bounds and dense rows around a point inside, from points outside. Cold, and from the
// working set of a neighbour.
#include <benchmark/benchmark.h>

#include "zeroth/core/domain.hpp"

namespace {

using namespace zeroth;

struct Setting {
  Domain domain;
  std::vector<Vector> outside;
};

Setting make(Index n, Index m) {
  Rng rng(7);
  Matrix rows(m, n);
  for (double& entry : rows.reshaped()) entry = rng.normal();
  const Vector middle = Vector::Constant(n, 0.5);
  const Vector upper = (rows * middle).array() + 0.1;
  Setting s{Domain::polyhedron(Vector::Zero(n), Vector::Ones(n), rows, Vector::Constant(m, -infinity), upper), {}};
  for (int k = 0; k < 64; ++k) {
    Vector x(n);
    for (double& entry : x) entry = 0.5 + rng.normal();
    s.outside.push_back(x);
  }
  return s;
}

void project(benchmark::State& state) {
  const Setting s = make(state.range(0), state.range(1));
  std::size_t k = 0;
  for (auto _ : state) {
    Vector x = s.outside[k++ % s.outside.size()];
    s.domain.project(x);
    benchmark::DoNotOptimize(x.data());
  }
}

// What a first-order step does: a short way from a point that the set holds already.
void prox(benchmark::State& state) {
  const Setting s = make(state.range(0), state.range(1));
  Vector from = s.outside[0], out;
  s.domain.project(from);
  Rng rng(8);
  Vector v(from.size());
  for (double& entry : v) entry = rng.normal();
  for (auto _ : state) {
    s.domain.prox(v, from, 100, out);
    benchmark::DoNotOptimize(out.data());
  }
}

BENCHMARK(project)
    ->Args({10, 5})
    ->Args({100, 50})
    ->Args({1000, 100})
    ->Args({1000, 1000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(prox)->Args({10, 5})->Args({100, 50})->Args({1000, 100})->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
