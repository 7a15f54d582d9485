// SPDX-License-Identifier: MIT
#include "zeroth/lab/studies/reproduce.hpp"

namespace zeroth {

const std::vector<Reproduction>& reproductions() {
  static const std::vector<Reproduction> entries{
      {"hmc", "Table 1: Hamiltonian Monte Carlo tuned by every solver", reproduce_hmc},
      {"qcqp-convex", "Figure 1: all systems on the convex QCQP, and one change at a time", reproduce_qcqp_convex},
      {"qcqp-nonconvex", "Figure 2: the same with indefinite matrices", reproduce_qcqp_nonconvex},
      {"nn-mnist", "Table 2: a network for MNIST under a limit on prediction time, tuned by every solver",
       reproduce_nn_mnist},
      {"nn-cifar10", "Table 2: the same for CIFAR-10", reproduce_nn_cifar10},
      {"rates", "Theorem 3.1 at work: error against T, and calls to an accuracy against n and m", reproduce_rates},
  };
  return entries;
}

}  // namespace zeroth
