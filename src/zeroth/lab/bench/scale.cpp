// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/scale.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/core/iterate.hpp"
#include "zeroth/lab/followed_run.hpp"

namespace zeroth {
namespace {

constexpr Index first_wide = 10'000;  // below, adaptive-conex keeps second derivatives, and its cost is another story

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// Cheap, smooth, and told by sums over x alone; its time is not counted.
Answer answer_to(const Query& q, Vector& memory) {
  const auto x = as_vector(point_of(q, memory));
  const double n = static_cast<double>(x.size()), mean = x.mean();
  return {{(x.array() - 0.5).square().sum() / n, mean - 0.2}, ""};
}

struct IterationCost {
  double own = std::numeric_limits<double>::infinity(), move = own, point = own, vectors = 0;
};

IterationCost cost_of(const std::string& solver, const std::string& directions, const std::string& precision, Index n) {
  const int repeats = n >= 1'000'000 ? 3 : 15;
  const Spec spec = scale_spec(n);
  Settings settings = scale_settings(solver, directions, 1);
  settings["precision"] = {precision, "the bench"};
  const double before = resident_bytes();
  IterationCost cost;
  RunState run(spec, solver_named(solver).make(spec, settings, 1), unchecked());
  Vector memory;
  // The first steps find their feet; adaptive-conex may answer some batches with a cheaper kind of step.
  for (int k = 0; k < repeats + 3; ++k) {
    const double move = seconds_of([&] { settle(run.batch()); });
    const double point = seconds_of([&] { (void)point_of(run.batch().back(), memory); });
    receive_batch(run, [&](const Query& q) { return answer_to(q, memory); });
    const double own = seconds_of([&] { run.advance(); });
    if (k < 3) continue;
    cost.own = std::min(cost.own, own);
    cost.move = std::min(cost.move, move);
    cost.point = std::min(cost.point, point);
  }
  cost.vectors = (resident_bytes() - before) / 8 / static_cast<double>(n);
  return cost;
}

}  // namespace

Spec scale_spec(Index n) {
  Spec spec;
  spec.domain = Domain::box(n, -1, 1);
  spec.constraints = 1;
  spec.common_noise = true;
  spec.defined_everywhere = true;
  spec.described_points = true;
  spec.budget = 1'000'000;
  return spec;
}

Settings scale_settings(const std::string& solver, const std::string& directions, std::int64_t batch) {
  Settings settings{{"directions", {directions, "the bench"}}};
  if (solver != "conex") return settings;
  settings["shared_directions"] = {true, "the bench"};
  settings["batch"] = {batch, "the bench"};
  return settings;
}

void print_iterations(Index most) {
  fmt::print(
      "One iteration, one constraint, shared directions, on one core. pass: y += a x over vectors of that length; "
      "own:\n"
      "the solver between answers and the next questions; move: x and its average, while others evaluate; point: "
      "making\n"
      "one point, by who evaluates (all in passes); vectors: what the solver and one evaluator hold, of length n.\n\n"
      "  {:<15} {:<12} {:<7} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8}\n",
      "solver", "directions", "kept", "n", "pass, ms", "own", "move", "point", "vectors");
  for (const auto& [solver, laws] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"conex", {"gaussian", "signs"}}, {"adaptive-conex", {"orthonormal", "signs"}}})
    for (const std::string& law : laws)
      for (const char* precision : {"double", "float"})
        for (Index n = first_wide; n <= most; n *= 10) {
          if (n != most && n != 1'000'000 && std::string_view(precision) == "float") continue;
          double pass = 0;
          {
            Vector x = Vector::Ones(n), y = Vector::Zero(n);
            pass = least_seconds(5, [&] { y += 0.5 * x; });
          }
          const IterationCost cost = cost_of(solver, law, precision, n);
          fmt::print("  {:<15} {:<12} {:<7} {:>9} {:>9.3f} {:>9.4f} {:>8.1f} {:>8.1f} {:>8}\n", solver, law, precision,
                     n, 1e3 * pass, cost.own / pass, cost.move / pass, cost.point / pass,
                     n >= 1'000'000 ? fmt::format("{:.1f}", cost.vectors) : "-");
        }
}

// The same search with x in double and in single precision: f_0 and f_1 of the recommendation, without noise.
void print_precisions(bool reduced) {
  const Index n = reduced ? 3000 : 100'000;
  const int batches = reduced ? 20 : 400;
  fmt::print(
      "\nSingle precision, n = {}, {} batches, no noise: values of the recommendation, and how far the two are "
      "apart.\n\n  {:<15} {:<12} {:>14} {:>14} {:>14} {:>12}\n",
      n, batches, "solver", "directions", "f_0, double", "f_0, float", "f_1, float", "|x - x'|/|x|");
  for (const auto& [solver, law] : std::vector<std::pair<std::string, std::string>>{
           {"conex", "signs"}, {"adaptive-conex", "orthonormal"}, {"adaptive-conex", "signs"}}) {
    std::vector<Vector> found;
    for (const char* precision : {"double", "float"}) {
      Settings settings = scale_settings(solver, law, 8);
      settings["precision"] = {std::string(precision), "the bench"};
      if (solver == "conex") settings["schedule"] = {std::string("adaptive"), "the bench"};
      const Spec spec = scale_spec(n);
      RunState run(spec, solver_named(solver).make(spec, settings, 1), unchecked());
      Vector memory;
      for (int k = 0; k < batches; ++k) {
        settle(run.batch());
        answer_batch(run, [&](const Query& q) { return answer_to(q, memory); });
      }
      found.push_back(run.recommended());
    }
    const auto values = [](const Vector& x) { return std::pair((x.array() - 0.5).square().mean(), x.mean() - 0.2); };
    fmt::print("  {:<15} {:<12} {:>14.8f} {:>14.8f} {:>14.2e} {:>12.1e}\n", solver, law, values(found[0]).first,
               values(found[1]).first, values(found[1]).second, (found[0] - found[1]).norm() / found[0].norm());
  }
}

void bench_scale(const BenchOptions& options) {
  print_iterations(options.reduced ? 10'000 : 10'000'000);
  print_precisions(options.reduced);
  print_replicas(options.reduced);
  print_workers(options.reduced);
  print_busy_shares(options.reduced);
}

}  // namespace zeroth
