// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <deque>
#include <unordered_map>

#include "zeroth/adapters/space.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/store/store.hpp"

namespace zeroth {

// What was asked, but for the noise: as it is kept beside an answer.
std::uint64_t hash_of_question(const Query& query);

// The answers of one run in a store: replayed from there, and kept there before the solver is told.
//
// Three promises (docs/store.md argues them):
// - what a solver was told survives kill -9: it was written to the log before;
// - an answer that took `short_evaluation` or longer is in the log before its worker gets another question, and short
// ones
//   wait in memory only until they are worth as much together;
// - what a loss of power can take arrived within `flush_patience` times as long as a flush of the disk takes
// (hundredths
//   of a second): flushing then takes a tenth of the time at most, and after a longer evaluation the answer is on the
//   disk before the solver is told.
class StoreJournal final : public Journal {
 public:
  static constexpr double flush_patience = 10;

  StoreJournal(Store& store, const RunRow& run, Space space);

  const Answer* recall(std::int64_t number, const Query& query) override;
  std::optional<bool> belongs(std::int64_t number, const Query& query) override;
  void keep(StoredAnswer answer) { pending_.push_back(std::move(answer)); }  // of an import, in the user's units
  void record(std::int64_t number, const Query& query, const Answer& answer, const Circumstances& how) override;
  void idle() override;
  void commit() override;
  void trace(std::int64_t evaluations, const Incumbent& incumbent) override;

  std::int64_t carried() const { return carried_; }

 private:
  void write();         // what is pending, to the log
  void flush_if_due();  // the log, to the disk
  void load_pool(std::int64_t run);
  const Answer* recall_carried(std::int64_t number, const Query& query, std::uint64_t hash);
  std::vector<double> user_point(std::span<const double> x) const;
  void insert(const StoredAnswer& a);
  void turn_sign(Answer& answer) const;

  Store& store_;
  RunRow run_;
  Space space_;
  sqlite::Statement find_, insert_, insert_trace_, begin_, commit_;
  Answer recalled_;
  bool may_recall_ = false;  // the store may hold more answers of this run
  std::vector<StoredAnswer> pending_;
  std::vector<StoredTrace> pending_trace_;
  double pending_seconds_ = 0, flush_cost_ = 0;
  bool unflushed_ = false;
  std::chrono::steady_clock::time_point last_flush_;
  std::int64_t carried_ = 0, last_trace_ = -1;
  struct Key {
    std::uint64_t noise, hash;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& k) const { return k.noise * 0x9e3779b97f4a7c15ULL ^ k.hash; }
  };
  std::unordered_map<Key, std::deque<std::int64_t>, KeyHash> pool_;  // numbers in the run that this one continues
};

}  // namespace zeroth
