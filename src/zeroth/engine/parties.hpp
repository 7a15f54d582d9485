// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/engine/engine.hpp"
#include "zeroth/engine/mpi.hpp"

namespace zeroth {

// Functions that live apart: each of f_0 .. f_m, and each equality, belongs to a party, which alone can evaluate it.
struct Party {
  std::string name;
  std::vector<Index> owns;  // functions, in the order in which its evaluator lists their values
  Evaluator evaluator;      // answers {"id":..,"values":[..]}
};

// All parties on this machine: every query goes to the parties whose functions it wants, and their values are joined.
std::unique_ptr<Engine> joint_engine(std::vector<Party> parties, int jobs);

// One party per rank. Every rank runs the solver itself, from the same seed and the same answers, so that every rank
// has every point without being sent one: what travels are fingerprints of queries (8 bytes each) and single values
// (8 bytes each, and only those that are wanted), whatever the number of variables.
//
// Rank 0 leads: it keeps the store, may replay answers from it, and decides when to stop. For each batch it says which
// queries need answers, collects the others' values, and after the solver has been told says what that was.
class LeadingParty : public Engine {
 public:
  virtual void told(std::span<const Answer> answers) = 0;  // after every batch
  virtual std::string traffic() const = 0;                 // what has travelled so far, in words
};
std::unique_ptr<LeadingParty> leading_party(MpiWorld& world, std::vector<Party> parties, int jobs);

// The other ranks' engine. Its answers are rank 0's; it leaves a batch unanswered when rank 0 has ended.
std::unique_ptr<Engine> following_party(MpiWorld& world, std::vector<Party> parties, int jobs);

}  // namespace zeroth
