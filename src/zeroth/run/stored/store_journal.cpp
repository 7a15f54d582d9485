// SPDX-License-Identifier: MIT
#include "zeroth/run/stored/store_journal.hpp"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <nlohmann/json.hpp>

#include "zeroth/core/iterate.hpp"

namespace zeroth {
namespace {

constexpr std::int64_t trace_points = 1000;  // of one run

std::string find_sql() { return fmt::format("SELECT {} FROM answers WHERE run = ? AND number = ?", answer_columns); }

// Instead of a point of very many variables: what it is made of. The steps that led to x follow from the answers.
std::uint64_t hash_of_description(const DescribedPoint& point) {
  std::uint64_t hash = point.iterate->version();
  for (const Word word : point.words) hash = derive_key(hash, word);
  return hash;
}

// A sum over functions, or the distance of a described point, follows the values of those that were known here.
bool has_the_values_of(const Answer& answer, const Query& query, std::int64_t functions) {
  const auto count = static_cast<std::int64_t>(answer.values.size());
  return answer.failed() || count == functions ||
         (count == functions + 1 && (!query.weights.empty() || query.described != nullptr));
}

constexpr const char* insert_sql =
    "INSERT INTO answers(run, number, x, x_hash, noise, \"values\", failure, seconds, worker, attempts, exit_code, "
    "signal, "
    "error_output, carried, se, count) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

}  // namespace

std::uint64_t hash_of_question(const Query& query) {
  std::uint64_t hash = query.described ? hash_of_description(*query.described) : hash_of(query.x);
  if (!query.weights.empty()) hash = derive_key(hash, hash_of(query.weights));
  for (std::size_t i = 0; i < query.wanted.size(); ++i)  // parts of one evaluation are different questions
    if (query.wanted[i] != 0) hash = derive_key(hash, i);
  return hash;
}

StoreJournal::StoreJournal(Store& store, const RunRow& run, Space space)
    : store_(store),
      run_(run),
      space_(std::move(space)),
      find_(store.connection(), find_sql()),
      insert_(store.connection(), insert_sql),
      insert_trace_(store.connection(),
                    "INSERT OR IGNORE INTO trace(run, evaluations, x, multipliers, figures) VALUES(?,?,?,?,?)"),
      begin_(store.connection(), "BEGIN IMMEDIATE"),
      commit_(store.connection(), "COMMIT") {
  may_recall_ = store.answers(run.id) > 0;
  if (run.continues > 0) load_pool(run.continues);
}

void StoreJournal::load_pool(std::int64_t run) {
  store_.each_answer(run, [&](const StoredAnswer& a) { pool_[{a.noise, a.x_hash}].push_back(a.number); });
}

void StoreJournal::turn_sign(Answer& answer) const {
  if (run_.maximize && !answer.values.empty()) answer.values[0] = -answer.values[0];
}

std::vector<double> StoreJournal::user_point(std::span<const double> x) const {
  if (static_cast<Index>(x.size()) > Store::x_limit) return {};
  std::vector<double> user(x.size());
  space_.to_user(x, user);
  return user;
}

const Answer* StoreJournal::recall(std::int64_t number, const Query& query) {
  if (!may_recall_ && pool_.empty()) return nullptr;
  const std::uint64_t hash = hash_of_question(query);
  if (may_recall_) {
    find_.bind(0, run_.id).bind(1, number);
    if (find_.step()) {
      StoredAnswer stored = read_answer(find_);
      find_.reset();
      if (stored.noise != query.noise || stored.x_hash != hash)
        throw ReplayDiverged(
            fmt::format("evaluation {} of run {} was asked at another point or with other noise than this program asks "
                        "now; the run "
                        "was recorded by zeroth {}, so continue it with that version, on that kind of machine",
                        number, run_.id, run_.version));
      if (!has_the_values_of(stored.answer, query, run_.functions))
        throw sqlite::Failure(fmt::format("store '{}': answer {} of run {} has {} values instead of {}", store_.path(),
                                          number, run_.id, stored.answer.values.size(), run_.functions));
      recalled_ = std::move(stored.answer);
      turn_sign(recalled_);
      return &recalled_;
    }
    find_.reset();
  }
  return recall_carried(number, query, hash);
}

std::optional<bool> StoreJournal::belongs(std::int64_t number, const Query& query) {
  if (!may_recall_) return {};
  find_.bind(0, run_.id).bind(1, number);
  std::optional<bool> same;
  if (find_.step()) {
    const StoredAnswer stored = read_answer(find_);
    same = stored.noise == query.noise && stored.x_hash == hash_of_question(query);
  }
  find_.reset();
  return same;
}

// An answer is a function of (x, noise key): whatever was measured under the smaller budget at this very point with
// this very key is used again, the first one first if there are several.
const Answer* StoreJournal::recall_carried(std::int64_t number, const Query& query, std::uint64_t hash) {
  const auto found = pool_.find({query.noise, hash});
  if (found == pool_.end() || found->second.empty()) return nullptr;
  find_.bind(0, run_.continues).bind(1, found->second.front());
  found->second.pop_front();
  if (!find_.step()) {
    find_.reset();
    return nullptr;
  }
  StoredAnswer stored = read_answer(find_);
  find_.reset();
  if (!has_the_values_of(stored.answer, query, run_.functions)) return nullptr;
  recalled_ = stored.answer;
  turn_sign(recalled_);
  stored.number = number;
  stored.carried = true;
  pending_.push_back(std::move(stored));
  ++carried_;
  return &recalled_;
}

void StoreJournal::record(std::int64_t number, const Query& query, const Answer& answer, const Circumstances& how) {
  StoredAnswer& a = pending_.emplace_back();
  a.number = number;
  a.x = user_point(query.x);
  a.x_hash = hash_of_question(query);
  a.noise = query.noise;
  a.answer = answer;
  turn_sign(a.answer);
  a.how = how;
  pending_seconds_ += how.seconds;
  if (pending_seconds_ >= short_evaluation) write();
}

void StoreJournal::idle() { flush_if_due(); }

void StoreJournal::commit() {
  write();
  flush_if_due();
}

void StoreJournal::insert(const StoredAnswer& a) {
  insert_.bind(0, run_.id).bind(1, a.number);
  if (!a.x.empty()) insert_.bind(2, std::span<const double>(a.x));
  insert_.bind(3, std::bit_cast<std::int64_t>(a.x_hash)).bind(4, std::bit_cast<std::int64_t>(a.noise));
  if (!a.answer.failed()) insert_.bind(5, std::span<const double>(a.answer.values));
  else insert_.bind(6, a.answer.failure);
  insert_.bind(7, a.how.seconds).bind(8, a.how.worker).bind(9, a.how.attempts);
  if (a.answer.failed()) {
    insert_.bind(10, a.how.exit_code).bind(11, a.how.signal);
    if (!a.how.error_output.empty()) insert_.bind(12, a.how.error_output);
  }
  insert_.bind(13, static_cast<int>(a.carried));
  if (!a.answer.se.empty()) insert_.bind(14, std::span<const double>(a.answer.se));
  insert_.bind(15, a.count);
  insert_.execute();
}

void StoreJournal::write() {
  if (pending_.empty() && pending_trace_.empty()) return;
  begin_.execute();
  try {
    for (const StoredAnswer& a : pending_) insert(a);
    for (const StoredTrace& t : pending_trace_) {
      insert_trace_.bind(0, run_.id).bind(1, t.evaluations).bind(2, std::span<const double>(t.x));
      insert_trace_.bind(3, std::span<const double>(t.multipliers)).bind(4, t.figures).execute();
    }
    commit_.execute();
  } catch (...) {
    if (store_.connection().in_transaction()) store_.connection().run("ROLLBACK");
    throw;
  }
  unflushed_ = true;
  pending_seconds_ = 0;
  pending_.clear();
  pending_trace_.clear();
}

void StoreJournal::flush_if_due() {
  const auto now = std::chrono::steady_clock::now();
  const auto since = std::chrono::duration<double>(now - last_flush_).count();
  if (!unflushed_ || since < flush_patience * flush_cost_) return;
  store_.check_in_place();
  store_.sync();
  last_flush_ = std::chrono::steady_clock::now();
  const double cost = std::chrono::duration<double>(last_flush_ - now).count();
  flush_cost_ = flush_cost_ == 0 ? cost : 0.8 * flush_cost_ + 0.2 * cost;
  unflushed_ = false;
}

void StoreJournal::trace(std::int64_t evaluations, const Incumbent& incumbent) {
  const std::int64_t place = evaluations * trace_points / std::max<std::int64_t>(1, run_.budget);
  if (place == last_trace_) return;
  last_trace_ = place;
  StoredTrace& t = pending_trace_.emplace_back();
  t.evaluations = evaluations;
  t.x = user_point(as_span(incumbent.x));
  const auto multipliers = as_span(incumbent.multipliers);
  t.multipliers.assign(multipliers.begin(), multipliers.end());
  nlohmann::json figures = nlohmann::json::object();
  for (const auto& [name, value] : incumbent.trace) figures[name] = value;
  if (!incumbent.chosen.empty()) figures["leader"] = incumbent.chosen;  // of a solver that chooses among others
  t.figures = figures.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace zeroth
