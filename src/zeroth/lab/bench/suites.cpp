// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/adaptation.hpp"
#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/lab/bench/conditional_gradient.hpp"
#include "zeroth/lab/bench/constrained_bo.hpp"
#include "zeroth/lab/bench/equalities.hpp"
#include "zeroth/lab/bench/hock_schittkowski.hpp"
#include "zeroth/lab/bench/integer_variables.hpp"
#include "zeroth/lab/bench/qcqp.hpp"
#include "zeroth/lab/bench/scale.hpp"
#include "zeroth/lab/bench/smooth.hpp"
#include "zeroth/lab/studies/sensitivity.hpp"

namespace zeroth {

const std::vector<BenchSuite>& bench_suites() {
  static const std::vector<BenchSuite> suites{
      {"qcqp", "random quadratics under five kinds of noise: evaluations to 1 % of |f*|", bench_qcqp},
      {"smooth", "five non-quadratic families, noise that grows, multiplies or tilts", bench_smooth},
      {"hock-schittkowski", "24 constrained problems of the collection under noise, with checked answers",
       bench_hock_schittkowski},
      {"chance", "a probability that must hold, under three kinds of noise, stated and by hand", bench_chance},
      {"scale", "cost and memory of an iteration at n = 10^4 .. 10^7, copies of x, efficiency of 1 to 16 workers",
       bench_scale},
      {"adaptation", "a trained network meets moved images: forward passes under a limit beside backpropagation",
       bench_adaptation},
      {"integer", "integer variables: knapsacks with noisy weights, staffing of a simulated queue",
       bench_integer_variables},
      {"constrained-bo", "the constrained Bayesian literature's problems, small budgets", bench_constrained_bo},
      {"noisy-qcqp", "the paper's four systems beside their originals on two small noisy quadratics", bench_noisy_qcqp},
      {"equalities", "equality constraints: Hock-Schittkowski under noise, Picheny's two for the Bayesian solvers",
       bench_equalities},
      {"conditional-gradient", "conex-cg on four sets: error against T beside prox steps, and what a step costs",
       bench_conditional_gradient},
      {"schedules", "conex with the theorem's, tuned, default and adaptive steps on random quadratics",
       bench_schedules},
      {"costs", "constraints that cost 1 and an objective that costs 100: what it takes with and without asking apart",
       bench_costs},
      {"lag", "what asking ahead costs in evaluations: qcqp n = 50 with a lag of 16, small problems with 4 pending",
       bench_lag},
      {"sensitivity", "every constant of adaptive-conex halved and doubled: what becomes of the medians",
       bench_sensitivity},
      {"laws", "the promises of the answer: never worse with more evaluations, claims that hold, no units", bench_laws},
  };
  return suites;
}

}  // namespace zeroth
