// SPDX-License-Identifier: MIT
#include "zeroth/catalog/replicas.hpp"

#include <stdexcept>

#include "zeroth/core/prox_iterate.hpp"
#include "zeroth/solvers/adaptive_conex/large_scale_memory.hpp"

namespace zeroth {

MakeReplica replicas_of(const Spec& spec) {
  return [spec](std::span<const Word> origin) -> std::unique_ptr<Iterate> {
    if (!origin.empty() && origin[0] == ProxIterate::kind) return ProxIterate::replica(spec, origin);
    if (!origin.empty() && origin[0] == adaptive::WideMemory::kind) return adaptive::WideMemory::replica(spec, origin);
    throw std::logic_error("a copy of x is asked for by a solver of another version");
  };
}

}  // namespace zeroth
