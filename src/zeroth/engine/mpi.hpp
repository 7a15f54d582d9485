// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "zeroth/core/iterate.hpp"
#include "zeroth/engine/engine.hpp"

namespace zeroth {

// Whether there is an MPI to run under, and why not; whether this process was started by mpirun (as rank
// `mpi_rank_hint`).
bool mpi_available();
std::string why_no_mpi();
bool launched_by_mpi();
int mpi_rank_hint();

// The world of ranks: rank 0 proposes, the others evaluate. One per process.
class MpiWorld {
 public:
  MpiWorld();  // throws an Error when there is none
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // On rank 0 (with others there): deals each query to whichever rank is free. Its end sends the others home.
  std::unique_ptr<Engine> engine();
  // On the others: evaluates what comes, with an engine of this rank's own, until rank 0 sends us home. Points that are
  // described are made from a copy of x, which `make_replica` begins.
  void serve(Engine& local, MakeReplica make_replica);

  // One message between two ranks, for engines that share the work in another way (parties.hpp). Waiting naps.
  void send(const std::vector<char>& bytes, int to);
  std::vector<char> receive(int from);

 private:
  int rank_ = 0, size_ = 1;
  bool lost_some_ = false;  // ranks that died while the others went on
};

}  // namespace zeroth
