// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include "zeroth/core/iterate.hpp"
#include "zeroth/engine/mpi_message.hpp"

namespace zeroth {

// Points that are described (core/iterate.hpp) between processes: each worker holds a copy of x, and a question carries
// the steps that it has not taken yet. A copy is sent as a whole when there is none, when it is far behind, and when
// its fingerprint, compared every few steps, is not that of the original.

// Where x lives: what each worker has.
class ReplicaFeed {
 public:
  void put(int worker, const DescribedPoint& point, Packer& message);
  void forget(int worker) { known_.erase(worker); }  // its copy is not to be trusted

 private:
  struct Known {
    std::uint64_t iterate = 0, version = 0;
  };
  std::map<int, Known> known_;
};

// On a worker.
class Replica {
 public:
  explicit Replica(MakeReplica make) : make_(std::move(make)) {}
  // Takes what `put` wrote, and the point that it is about. False: this copy differs from the original.
  bool read(Unpacker& message, DescribedPoint& point);
  Iterate* iterate() { return iterate_.get(); }  // null: there was no question yet

 private:
  void read_state(Unpacker& message);

  MakeReplica make_;
  std::unique_ptr<Iterate> iterate_;
};

}  // namespace zeroth
