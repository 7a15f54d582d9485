// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/solvers/conex/conex.hpp"

namespace zeroth {

struct ProximalConexOptions {
  std::int64_t K = 50;
  std::vector<double> mu;
  std::string pick = "random";
  std::int64_t pick_looks = 8;
  ConexOptions inner;
};

inline OptionList options_of(ProximalConexOptions& o) {
  OptionList list{
      {"K", o.K, "outer iterations; the budget is shared equally among them", at_least_one},
      {"mu", o.mu, "mu_i, one for all functions or one each; empty: L_i/2 if the problem states its constants, else 1",
       positive},
      {"pick", o.pick,
       "which outer iterate is returned: a random one as in the paper, the last, or the best by evaluations",
       Choices{{"random", "last", "best"}}},
      {"pick_looks", o.pick_looks, "evaluations at each outer iterate when pick = best", at_least_one}};
  for (auto& option : options_of(o.inner)) list.push_back(std::move(option));
  return list;
}

// Algorithm 2: the proximal-point method around Algorithm 1, for nonconvex functions.
Search proximal_conex(Spec spec, ProximalConexOptions options, std::uint64_t seed);

}  // namespace zeroth
