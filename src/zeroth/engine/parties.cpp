// SPDX-License-Identifier: MIT
#include "zeroth/engine/parties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "zeroth/engine/mpi_message.hpp"

namespace zeroth {
namespace {

std::size_t functions_of(const std::vector<Party>& parties) {
  std::size_t count = 0;
  for (const Party& p : parties) count += p.owns.size();
  return count;
}

bool asks_sum(const Query& query) { return !query.weights.empty(); }

bool concerns(const Query& query, const Party& party) {
  return std::ranges::any_of(party.owns, [&](Index i) { return query.wants(i); });
}

// What one party says to one query.
struct Part {
  Answer answer;  // values in the order of `owns`; none where nothing of this party was wanted
  Circumstances how;
  bool there = false;
};

// Asks a party's own evaluators what concerns it of the batch. A part that is not `there` was not begun.
std::vector<Part> parts_of(const Party& party, Engine& engine, std::span<const Query> batch,
                           const std::function<bool()>& stop) {
  std::vector<Part> parts(batch.size());
  std::vector<Query> asked;
  std::vector<std::size_t> positions;
  for (std::size_t k = 0; k < batch.size(); ++k) {
    parts[k].there = !concerns(batch[k], party);
    if (parts[k].there) continue;
    asked.push_back({batch[k].x, batch[k].noise, {}});
    positions.push_back(k);
  }
  engine.evaluate(
      asked,
      [&](std::size_t j, Answer a, const Circumstances& how) {
        if (a.failed()) a.failure = party.name + ": " + a.failure;
        parts[positions[j]] = {std::move(a), how, true};
      },
      stop);
  return parts;
}

// A party's share of what a query with weights asks for.
double share_of_sum(const Party& party, const Query& query, const Answer& answer) {
  double sum = 0;
  for (std::size_t j = 0; j < answer.values.size(); ++j)
    if (query.wants(party.owns[j])) sum += query.weights[static_cast<std::size_t>(party.owns[j])] * answer.values[j];
  return sum;
}

// Adds a part to the joint answer, and its share to the sum if that is what was asked; the first failure stays.
void join(const Party& party, const Query& query, const Part& part, Answer& whole, Circumstances& how) {
  how.seconds = std::max(how.seconds, part.how.seconds);
  how.attempts = std::max(how.attempts, part.how.attempts);
  if (whole.failed()) return;
  if (part.answer.failed()) {
    whole = Answer::failed_because(part.answer.failure);
    how.exit_code = part.how.exit_code;
    how.signal = part.how.signal;
    how.error_output = part.how.error_output;
    return;
  }
  for (std::size_t j = 0; j < part.answer.values.size(); ++j)
    whole.values[static_cast<std::size_t>(party.owns[j])] = part.answer.values[j];
  if (asks_sum(query)) whole.values.back() += share_of_sum(party, query, part.answer);
}

Answer nothing_yet(const std::vector<Party>& parties, const Query& query) {
  Answer nothing{std::vector<double>(functions_of(parties), std::numeric_limits<double>::quiet_NaN()), {}};
  if (asks_sum(query)) nothing.values.push_back(0);
  return nothing;
}

// Whatever is not wanted is not told, wherever it was known, so that the run is the same wherever it happens.
void forget_unwanted(const std::vector<Party>& parties, const Query& query, Answer& answer) {
  if (answer.failed()) return;
  for (std::size_t i = 0; i < functions_of(parties); ++i)
    if (!query.wants(static_cast<Index>(i))) answer.values[i] = std::numeric_limits<double>::quiet_NaN();
}

class JointEngine final : public Engine {
 public:
  JointEngine(std::vector<Party> parties, int jobs) : parties_(std::move(parties)), jobs_(jobs) {
    for (const Party& p : parties_) engines_.push_back(processes_engine(p.evaluator, jobs));
  }
  std::string name() const override { return "parties"; }
  int width() const override { return jobs_; }

  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) override {
    std::vector<std::vector<Part>> parts;
    for (std::size_t p = 0; p < parties_.size(); ++p) parts.push_back(parts_of(parties_[p], *engines_[p], batch, stop));
    for (std::size_t k = 0; k < batch.size(); ++k) {
      if (!std::ranges::all_of(parts, [k](const auto& of_party) { return of_party[k].there; })) continue;
      Answer whole = nothing_yet(parties_, batch[k]);
      Circumstances how;
      for (std::size_t p = 0; p < parties_.size(); ++p) join(parties_[p], batch[k], parts[p][k], whole, how);
      forget_unwanted(parties_, batch[k], whole);
      on_answer(k, std::move(whole), how);
    }
  }

 private:
  std::vector<Party> parties_;
  int jobs_;
  std::vector<std::unique_ptr<Engine>> engines_;
};

// --- between ranks ---------------------------------------------------------------------------------------------------

enum class PartyWord : std::uint8_t { ask, told, end };

std::uint64_t name_of_query(const Query& query) {
  std::uint64_t key = query.noise;
  for (const double v : query.x) key = derive_key(key, std::bit_cast<std::uint64_t>(v));
  for (const std::uint8_t flag : query.wanted)
    key = derive_key(key, flag);  // one point may be asked for one and another
  for (const double w : query.weights) key = derive_key(key, std::bit_cast<std::uint64_t>(w));
  return key;
}

// Values that a message carries for one query: those wanted, of one party or of all.
std::vector<Index> wanted_of(const Query& query, const Party& party) {
  std::vector<Index> wanted;  // places in `owns`
  for (std::size_t j = 0; j < party.owns.size(); ++j)
    if (query.wants(party.owns[j])) wanted.push_back(static_cast<Index>(j));
  return wanted;
}

class Leading final : public LeadingParty {
 public:
  Leading(MpiWorld& world, std::vector<Party> parties, int jobs)
      : world_(world), parties_(std::move(parties)), jobs_(jobs), own_(processes_engine(parties_[0].evaluator, jobs)) {}
  Leading(const Leading&) = delete;
  Leading& operator=(const Leading&) = delete;
  ~Leading() override { to_all(Packer().put(PartyWord::end).bytes()); }

  std::string name() const override { return "parties"; }
  int width() const override { return jobs_; }

  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) override {
    if (stop && stop()) return;
    Packer ask;
    std::vector<std::uint64_t> keys;
    for (const Query& q : batch) keys.push_back(name_of_query(q));
    to_all(ask.put(PartyWord::ask).put_list(keys.data(), keys.size()).bytes());
    const auto own = parts_of(parties_[0], *own_, batch, {});
    std::vector<Answer> whole;
    std::vector<Circumstances> how(batch.size());
    for (std::size_t k = 0; k < batch.size(); ++k) {
      whole.push_back(nothing_yet(parties_, batch[k]));
      join(parties_[0], batch[k], own[k], whole[k], how[k]);
    }
    for (std::size_t p = 1; p < parties_.size(); ++p) {
      const auto bytes = world_.receive(static_cast<int>(p));
      received_ += bytes.size();
      Unpacker u(bytes);
      for (std::size_t k = 0; k < batch.size(); ++k) join_from(u, parties_[p], batch[k], whole[k], how[k]);
    }
    for (std::size_t k = 0; k < batch.size(); ++k) {
      forget_unwanted(parties_, batch[k], whole[k]);
      on_answer(k, std::move(whole[k]), how[k]);
    }
  }

  // Followers know what was wanted: a sum, or some values; the others are NaN and need not travel.
  void told(std::span<const Answer> answers) override {
    Packer message;
    message.put(PartyWord::told);
    for (const Answer& a : answers) {
      message.put(static_cast<std::uint8_t>(a.failed()));
      if (a.failed()) continue;
      if (a.values.size() > functions_of(parties_)) {
        message.put(a.values.back());
        continue;
      }
      for (const double v : a.values)
        if (!std::isnan(v)) message.put(v);
    }
    to_all(message.bytes());
    ++batches_;
    evaluations_ += answers.size();
  }

  std::string traffic() const override {
    const double batches = static_cast<double>(std::max<std::size_t>(1, batches_));
    return fmt::format("{} bytes sent, {} received in {} batches of {} evaluations: {:.1f} and {:.1f} per batch", sent_,
                       received_, batches_, evaluations_, static_cast<double>(sent_) / batches,
                       static_cast<double>(received_) / batches);
  }

 private:
  void to_all(const std::vector<char>& bytes) {
    for (std::size_t p = 1; p < parties_.size(); ++p) {
      world_.send(bytes, static_cast<int>(p));
      sent_ += bytes.size();
    }
  }

  static void join_from(Unpacker& u, const Party& party, const Query& query, Answer& whole, Circumstances& how) {
    if (!concerns(query, party)) return;
    Part part;
    part.there = true;
    if (u.take<std::uint8_t>() != 0) {
      part.answer = Answer::failed_because(u.take_list<std::string>());
    } else if (asks_sum(query)) {
      const double share = u.take<double>();  // the values stay where they are
      if (!whole.failed()) whole.values.back() += share;
      return;
    } else {
      part.answer.values.assign(party.owns.size(), std::numeric_limits<double>::quiet_NaN());
      for (const Index j : wanted_of(query, party)) part.answer.values[static_cast<std::size_t>(j)] = u.take<double>();
    }
    join(party, query, part, whole, how);
  }

  MpiWorld& world_;
  std::vector<Party> parties_;
  int jobs_;
  std::unique_ptr<Engine> own_;
  std::size_t sent_ = 0, received_ = 0, batches_ = 0, evaluations_ = 0;
};

class Following final : public Engine {
 public:
  Following(MpiWorld& world, std::vector<Party> parties, int jobs)
      : world_(world),
        parties_(std::move(parties)),
        me_(parties_[static_cast<std::size_t>(world.rank())]),
        jobs_(jobs),
        own_(processes_engine(me_.evaluator, jobs)) {}
  std::string name() const override { return "parties"; }
  int width() const override { return jobs_; }

  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>&) override {
    for (;;) {
      const auto bytes = world_.receive(0);
      Unpacker u(bytes);
      switch (u.take<PartyWord>()) {
        case PartyWord::end:
          return;
        case PartyWord::ask:
          answer(u.take_list<std::vector<std::uint64_t>>(), batch);
          break;
        case PartyWord::told:
          for (std::size_t k = 0; k < batch.size(); ++k) on_answer(k, told(u, batch[k]), {});
          return;
      }
    }
  }

 private:
  // Queries are named by fingerprints: the points are here already, and a run that went another way would be noticed.
  void answer(const std::vector<std::uint64_t>& keys, std::span<const Query> batch) {
    std::unordered_map<std::uint64_t, std::size_t> place;
    for (std::size_t k = 0; k < batch.size(); ++k) place.emplace(name_of_query(batch[k]), k);
    std::vector<Query> asked;
    for (const std::uint64_t key : keys) {
      const auto found = place.find(key);
      if (found == place.end())
        throw std::logic_error("party '" + me_.name +
                               "' is at another point than rank 0: the problem files of the parties must be the same");
      asked.push_back(batch[found->second]);
    }
    Packer reply;
    const auto parts = parts_of(me_, *own_, asked, {});
    for (std::size_t k = 0; k < asked.size(); ++k) {
      if (!concerns(asked[k], me_)) continue;
      const Answer& a = parts[k].answer;
      reply.put(static_cast<std::uint8_t>(a.failed()));
      if (a.failed()) reply.put_list(a.failure.data(), a.failure.size());
      else if (asks_sum(asked[k])) reply.put(share_of_sum(me_, asked[k], a));
      else
        for (const Index j : wanted_of(asked[k], me_)) reply.put(a.values[static_cast<std::size_t>(j)]);
    }
    world_.send(reply.bytes(), 0);
  }

  Answer told(Unpacker& u, const Query& query) const {
    if (u.take<std::uint8_t>() != 0) return Answer::failed_because("failed, as rank 0 says");
    Answer a = nothing_yet(parties_, query);
    if (asks_sum(query)) {
      a.values.back() = u.take<double>();
      return a;
    }
    for (std::size_t i = 0; i < a.values.size(); ++i)
      if (query.wants(static_cast<Index>(i))) a.values[i] = u.take<double>();
    return a;
  }

  MpiWorld& world_;
  std::vector<Party> parties_;
  const Party& me_;
  int jobs_;
  std::unique_ptr<Engine> own_;
};

}  // namespace

std::unique_ptr<Engine> joint_engine(std::vector<Party> parties, int jobs) {
  return std::make_unique<JointEngine>(std::move(parties), jobs);
}

std::unique_ptr<LeadingParty> leading_party(MpiWorld& world, std::vector<Party> parties, int jobs) {
  return std::make_unique<Leading>(world, std::move(parties), jobs);
}

std::unique_ptr<Engine> following_party(MpiWorld& world, std::vector<Party> parties, int jobs) {
  return std::make_unique<Following>(world, std::move(parties), jobs);
}

}  // namespace zeroth
