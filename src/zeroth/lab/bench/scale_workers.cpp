// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/catalog/replicas.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/engine/replicas.hpp"
#include "zeroth/lab/bench/scale.hpp"
#include "zeroth/lab/followed_run.hpp"

namespace zeroth {
namespace {

constexpr std::int64_t directions_per_batch = 16;
constexpr double message_seconds = 20e-6;  // of one question or answer on an ordinary network, beside its bytes

struct WorkerCosts {
  double evaluations = 0;               // of one iteration
  double own = 0, step = 0, point = 0;  // seconds: between answers and questions; of a copy's step; of a point
  double bytes = 0;                     // to the workers, per evaluation
};

// Sixteen copies of x are one copy here, told sixteen times: what is measured are the bytes and the times of each part.
WorkerCosts worker_costs(const std::string& law, Index n, int workers, int iterations) {
  const Spec spec = scale_spec(n);
  RunState run(spec, solver_named("conex").make(spec, scale_settings("conex", law, directions_per_batch), 1),
               unchecked());
  ReplicaFeed feed, others;
  Replica replica(replicas_of(spec));
  WorkerCosts costs;
  costs.evaluations = static_cast<double>(run.batch().size());
  costs.own = costs.step = costs.point = std::numeric_limits<double>::infinity();
  Vector memory;
  double bytes = 0;
  for (int t = 0; t <= iterations; ++t) {
    std::size_t place = 0;
    DescribedPoint point;
    for (const Query& q : run.batch()) {
      Packer packer;
      pack_query(place, q, packer);
      feed.put(static_cast<int>(place++ % static_cast<std::size_t>(workers)), *q.described, packer);
      const Answer answer{{0, 0}, ""};
      if (t > 0) bytes += static_cast<double>(packer.bytes().size() + pack_answer(place, answer, {}).size());
    }
    Packer packer;
    others.put(0, *run.batch().front().described, packer);
    const std::vector<char> message = packer.take();
    Unpacker unpacker(message);
    const double step = seconds_of([&] { (void)replica.read(unpacker, point); });
    Query query = run.batch().back();
    const DescribedPoint there{replica.iterate(), query.described->words};
    query.described = &there;
    const double made = seconds_of([&] { (void)point_of(query, memory); });
    settle(run.batch());
    receive_batch(run, [&](const Query& q) -> Answer {
      const double v = static_cast<double>(q.noise % 1000) / 1000;
      return {{v, v - 0.5}, ""};
    });
    const double own = seconds_of([&] { run.advance(); });
    if (t == 0) continue;
    costs.own = std::min(costs.own, own / costs.evaluations);
    costs.step = std::min(costs.step, step);
    costs.point = std::min(costs.point, made);
  }
  costs.bytes = bytes / static_cast<double>(iterations) / costs.evaluations;
  return costs;
}

// Of W workers: what evaluations take of all time. Copies step at the same time, points are made by who evaluates.
double modelled_efficiency(const WorkerCosts& c, int workers, double seconds, double messages) {
  const double rounds = std::ceil(c.evaluations / workers);
  const double elapsed = c.step + rounds * (seconds + c.point) + c.evaluations * (c.own + messages);
  return c.evaluations * seconds / (workers * elapsed);
}

std::vector<Index> sizes_of_bench(bool reduced) {
  return reduced ? std::vector<Index>{2000} : std::vector<Index>{10'000, 100'000, 1'000'000};
}

// Gaussian directions are described from 100,000 variables on.
std::vector<std::string> laws_of_bench(Index n) {
  return n >= 100'000 ? std::vector<std::string>{"gaussian", "signs"} : std::vector<std::string>{"signs"};
}

}  // namespace

void print_replicas(bool reduced) {
  fmt::print(
      "\nCopies of x: conex, {} directions a batch; bytes per evaluation, 16 workers, both ways; milliseconds of the "
      "solver's "
      "own\n"
      "time per evaluation, of a copy's step, and of a point; and the share of time that 16 workers would be busy by "
      "the\n"
      "model, {:.0f} us a message.\n\n  {:<10} {:>9} {:>7} {:>9} {:>8} {:>8} {:>12} {:>12} {:>12}\n",
      directions_per_batch, 1e6 * message_seconds, "directions", "n", "bytes", "own, ms", "step", "point", "20 ms",
      "200 ms", "1 s");
  for (const Index n : sizes_of_bench(reduced))
    for (const std::string& law : laws_of_bench(n)) {
      const WorkerCosts c = worker_costs(law, n, 16, reduced ? 2 : 5);
      const auto share = [&](double seconds) {
        return fmt::format("{:.0f} %", 100 * modelled_efficiency(c, 16, seconds, 2 * message_seconds));
      };
      fmt::print("  {:<10} {:>9} {:>7.0f} {:>9.4f} {:>8.2f} {:>8.2f} {:>12} {:>12} {:>12}\n", law, n, c.bytes,
                 1e3 * c.own, 1e3 * c.step, 1e3 * c.point, share(0.02), share(0.2), share(1));
    }
}

void print_workers(bool reduced) {
  const double sleep = reduced ? 0.005 : 0.02;
  const int iterations = reduced ? 2 : 4;
  fmt::print(
      "\nThreads: the same with an oracle that sleeps {:.0f} ms, measured; in brackets the model, with the times of "
      "the\n"
      "table above. Beyond the machine's cores points are made one after the other, which the model does not know.\n\n"
      "  {:<10} {:>9}",
      1e3 * sleep, "directions", "n");
  const std::vector<int> workers{1, 2, 4, 16};
  for (const int w : workers) fmt::print(" {:>12} w", w);
  fmt::print("\n");
  for (const Index n : sizes_of_bench(reduced))
    for (const std::string& law : laws_of_bench(n)) {
      WorkerCosts costs = worker_costs(law, n, 1, 2);
      fmt::print("  {:<10} {:>9}", law, n);
      for (const int w : workers) {
        Problem p;
        p.spec = scale_spec(n);
        p.oracle = [sleep](std::span<const double> x, Rng&, std::span<double> values) {
          std::this_thread::sleep_for(std::chrono::duration<double>(sleep));
          values[0] = x[0];
          values[1] = x[1];
        };
        const auto engine = threads_engine(p, w);
        RunState run(p.spec, solver_named("conex").make(p.spec, scale_settings("conex", law, directions_per_batch), 1),
                     unchecked());
        double evaluated = 0, moving = 0;
        const int most = w == 1 ? 1 : iterations;
        const double elapsed = seconds_of([&] {
          for (int k = 0; k < most; ++k) {
            const std::int64_t first = run.evaluations();
            moving += seconds_of([&] { settle(run.batch()); });
            engine->evaluate(run.batch(),
                             [&](std::size_t i, Answer a, const Circumstances&) {
                               run.receive(first + static_cast<std::int64_t>(i), std::move(a));
                             },
                             {});
            evaluated += static_cast<double>(run.batch().size());
            run.advance();
          }
        });
        costs.step = moving / most;  // here x moves before anybody makes points
        fmt::print(" {:>5.1f} ({:>4.1f}) %", 100 * evaluated * sleep / (w * elapsed),
                   100 * modelled_efficiency(costs, w, sleep, 0));
      }
      fmt::print("\n");
    }
}

}  // namespace zeroth
