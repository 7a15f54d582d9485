// SPDX-License-Identifier: MIT
//
// What adaptive-conex itself costs per evaluation: at n = 10^6 beside one pass of Gaussian generation plus three passes
// over vectors, measured in this run; at n = 500 in milliseconds, with its matrices.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "zeroth/engine/engine.hpp"
#include "zeroth/problems/qcqp.hpp"
#include "zeroth/solvers/adaptive_conex/adaptive_conex.hpp"

namespace {

using namespace zeroth;

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double seconds(const auto& work) {
  double best = 1e300;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, since(begin));
  }
  return best;
}

void in_very_many_dimensions() {
  const Index n = 1000000;
  std::vector<double> numbers(static_cast<std::size_t>(n));
  std::uint64_t key = 0;
  const double gaussian = seconds([&] { fill_normal(++key, numbers); });
  Vector a = Vector::Ones(n), b = Vector::Ones(n);
  const double pass = seconds([&] { a += 0.5 * b; });
  Spec spec;
  spec.domain = Domain::box(n, -1, 1);
  spec.constraints = 1;
  Search search = adaptive_conex(spec, {}, 1);
  std::vector<Answer> answers;
  const auto tell = [&] {
    answers.clear();
    for (const Query& q : search.ask()) {
      double sum = 0;
      for (std::size_t j = 0; j < q.x.size(); j += 1000) sum += (q.x[j] - 0.3) * (q.x[j] - 0.3);
      answers.push_back({{sum, 0.01 * sum - 1}, {}});
    }
  };
  for (int warm_up = 0; warm_up < 3; ++warm_up) {
    tell();
    search.tell(answers);
  }
  tell();
  const auto batch = static_cast<double>(answers.size());
  const double each = seconds([&] { search.tell(answers); }) / batch;
  fmt::print(
      "n = 10^6: {:.2f} ms per evaluation; a Gaussian pass {:.2f} ms and three vector passes {:.2f} ms: ratio {:.2f}\n",
      1e3 * each, 1e3 * gaussian, 3e3 * pass, each / (gaussian + 3 * pass));
}

void with_matrices(std::int64_t m, const char* noise_form) {
  QcqpOptions o;
  o.n = 500;
  o.m = m;
  o.noise_form = noise_form;
  const Problem problem = qcqp(o);
  Spec spec = problem.spec;
  spec.budget = 4000;
  Search search = adaptive_conex(spec, {}, 1);
  std::vector<Answer> answers;
  double own = 0, done = 0;
  while (done < 4000) {
    answers.clear();
    for (const Query& q : search.ask()) answers.push_back(evaluate_once(problem, q));
    done += static_cast<double>(answers.size());
    const auto begin = std::chrono::steady_clock::now();
    search.tell(answers);
    own += since(begin);
  }
  fmt::print("n = 500, m = {}, noise {}: {:.3f} ms per evaluation over {:.0f}\n", m, noise_form, 1e3 * own / done,
             done);
}

}  // namespace

int main() {
  in_very_many_dimensions();
  for (const std::int64_t m : {1, 10})
    for (const char* form : {"additive", "independent"}) with_matrices(m, form);
}
