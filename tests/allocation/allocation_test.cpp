// SPDX-License-Identifier: MIT
//
// conex takes all its memory in its first iterations: afterwards an iteration allocates nothing, whatever n, and what
// it holds grows linearly in n. The same of a network's training, whatever its size. A program of its own, since it
// counts every call of malloc in the process.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <functional>

#include "zeroth/apps/network/training.hpp"
#include "zeroth/core/iterate.hpp"
#include "zeroth/core/search.hpp"
#include "zeroth/solvers/adaptive_conex/adaptive_conex.hpp"
#include "zeroth/solvers/conex/conex.hpp"

extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t size);
extern "C" void __libc_free(void* memory);

namespace {
std::atomic<std::int64_t> allocations{0}, bytes{0}, held{0};

void* counted(void* memory, std::size_t size) {
  ++allocations;
  bytes += static_cast<std::int64_t>(size);
  held += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}
}  // namespace

extern "C" void* malloc(std::size_t size) { return counted(__libc_malloc(size), size); }
extern "C" void free(void* memory) {
  held -= static_cast<std::int64_t>(malloc_usable_size(memory));
  __libc_free(memory);
}
extern "C" int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  *out = counted(__libc_memalign(alignment, size), size);
  return *out ? 0 : 12;
}

namespace zeroth {
namespace {

Spec space(Index n, Index m) {
  Spec spec;
  spec.domain = Domain::box(n, -1, 1);
  spec.constraints = m;
  spec.defined_everywhere = true;
  spec.budget = 1000000;
  return spec;
}

class Allocation : public testing::TestWithParam<bool> {};

TEST_P(Allocation, IterationsAfterTheFirstAllocateNothing) {
  for (const Index m : {0, 1, 3}) {
    ConexOptions options;
    options.estimator.shared_directions = GetParam();
    Search search = conex(space(10000, m), options, 1);
    std::vector<Answer> answers(search.ask().size());
    for (Answer& a : answers) a.values.assign(static_cast<std::size_t>(m) + 1, 0.5);
    for (int warm_up = 0; warm_up < 3; ++warm_up) search.tell(answers);
    const std::int64_t before = allocations;
    for (int t = 0; t < 100; ++t) search.tell(answers);
    EXPECT_EQ(allocations - before, 0) << "m = " << m;
  }
}

TEST_P(Allocation, MemoryIsLinearInN) {
  ConexOptions options;
  options.estimator.shared_directions = GetParam();
  const auto taken = [&](Index n) {
    const Spec spec = space(n, 1);
    const std::int64_t before = bytes;
    const Search search = conex(spec, options, 1);
    return static_cast<double>(bytes - before);
  };
  const double per_variable = (taken(100000) - taken(10000)) / 90000 / sizeof(double);
  EXPECT_LE(per_variable, 40);  // vectors of length n, counting those that planning the iterations takes and returns
}

// With points that are described, vectors of length n that are held while a search runs, the point of one evaluation
// included and what the problem itself has (its bounds) not.
double vectors_held(Index n, const std::function<Search(Spec)>& start) {
  Spec spec = space(n, 1);
  spec.described_points = true;
  const std::int64_t before = held;
  Vector memory;
  Search search = start(spec);
  double most = 0;
  for (int t = 0; t < 4; ++t) {
    settle(search.ask());
    std::vector<Answer> answers;
    for (const Query& q : search.ask()) {
      const auto x = as_vector(point_of(q, memory));
      answers.push_back({{(x.array() - 0.5).square().mean(), x.mean() - 0.2}, ""});
      most = std::max(most, static_cast<double>(held - before));
    }
    search.tell(answers);
  }
  return most / sizeof(double) / static_cast<double>(n);
}

TEST(DescribedAllocation, HoldsFewVectors) {
  constexpr Index n = 400'000;  // blocks that stay in cache count for little beside it
  for (const bool single : {false, true})
    for (const char* schedule : {"fixed", "adaptive"}) {
      ConexOptions options;
      options.schedule = schedule;
      options.estimator.directions = "signs";
      options.estimator.batch = 16;
      options.estimator.shared_directions = true;
      options.precision = single ? "float" : "double";
      EXPECT_LE(vectors_held(n, [&](Spec spec) { return conex(std::move(spec), options, 1); }), single ? 4.1 : 5.1)
          << schedule << single;
    }
  for (const bool single : {false, true})
    for (const char* directions : {"orthonormal", "signs"}) {
      AdaptiveConexOptions options;
      options.directions = directions;
      options.precision = single ? "float" : "double";
      EXPECT_LE(vectors_held(n, [&](Spec spec) { return adaptive_conex(std::move(spec), options, 1); }),
                single ? 8 : 12)
          << directions << single;
    }
}

TEST(TrainingAllocation, IterationsAfterTheFirstAllocateNothing) {
  const ImageSet set = synthetic_images(400, 10, 1);
  const Split rows = split(400, 0.9, 1);
  for (const Index units : {24, 256, 500}) {
    NetworkSetting setting;
    setting.hidden = {units, units, units};
    Training training(set.train, rows.train, setting, 20, 1);
    training.step();
    const std::int64_t before = allocations;
    while (!training.done()) training.step();  // several epochs, so that reshuffling is among them
    EXPECT_EQ(allocations - before, 0) << units << " units";
    EXPECT_GT(before, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Directions, Allocation, testing::Bool(),
                         [](const auto& info) { return info.param ? "shared" : "independent"; });

}  // namespace
}  // namespace zeroth
