// SPDX-License-Identifier: MIT
#include "zeroth/run/loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "zeroth/run/check.hpp"

namespace zeroth {
namespace {

class Loop {
 public:
  Loop(const Spec& spec, Engine& engine, const RunRequest& request)
      : engine_(engine),
        request_(request),
        rule_(spec),
        calls_(static_cast<std::size_t>(request.meaning ? request.meaning->measured() : spec.functions()), 0) {}

  // Drives a search until it finishes, its next batch would pass `limit` evaluations in all, or somebody says stop.
  enum class End { finished, budget, stopped };
  End drive(Search& search, std::int64_t limit, bool checking) {
    (void)search.ask();  // throws what ended the search before it began
    while (!search.done()) {
      const auto batch = search.ask();
      if (done_ + static_cast<std::int64_t>(batch.size()) > limit) return End::budget;
      if (!answer(batch)) return End::stopped;
      for (std::size_t k = 0; k < batch.size(); ++k) {
        if (answers_[k].failed()) note_failure(answers_[k].failure);
        // A sum tells nothing of single values, even where they are known: the run is the same where they are not.
        if (!checking && batch[k].weights.empty()) rule_.see(batch[k], answers_[k]);
        for (std::size_t i = 0; i < calls_.size(); ++i) calls_[i] += batch[k].wants(static_cast<Index>(i));
      }
      done_ += static_cast<std::int64_t>(batch.size());
      if (failed_ == done_ && done_ >= failures_to_give_up) give_up();
      const std::span<const Answer> told(answers_.data(), batch.size());
      search.tell(told);
      const Incumbent& incumbent = search.recommend();
      if (request_.journal && !checking) request_.journal->trace(done_, incumbent);
      if (request_.observe)
        request_.observe({done_, request_.budget, failed_, replayed_, seconds(), &incumbent, told, checking});
    }
    return End::finished;
  }

  [[noreturn]] void give_up() const {
    std::string message = "every one of the first " + std::to_string(done_) +
                          " evaluations failed, so the run was stopped. The last one: " + last_failure_;
    if (!last_words_.empty()) message += "\nThe evaluator's last words on stderr:\n" + last_words_;
    throw EverythingFailed(message);
  }
  bool nothing_succeeded() const { return done_ > 0 && failed_ == done_; }

  const EqualityRule& rule() const { return rule_; }

  void report(Result& result) const {
    result.evaluations = done_;
    result.failed = failed_;
    result.failures = failures_;
    result.function_calls = calls_;
    result.seconds = seconds();
  }

 private:
  // Fills answers_ from the journal where it can and from the engine where it must.
  bool answer(std::span<const Query> batch) {
    if (answers_.size() < batch.size()) answers_.resize(batch.size());
    if (!request_.journal) {
      std::size_t received = 0;
      engine_.evaluate(
          batch,
          [&](std::size_t k, Answer a, const Circumstances& how) {
            if (a.failed()) last_words_ = how.error_output;
            answers_[k] = std::move(a);
            ++received;
          },
          request_.stop);
      return received == batch.size();
    }
    fresh_.clear();
    positions_.clear();
    for (std::size_t k = 0; k < batch.size(); ++k) {
      if (const Answer* known = request_.journal->recall(done_ + static_cast<std::int64_t>(k), batch[k])) {
        answers_[k] = *known;
        ++replayed_;
      } else {
        fresh_.push_back(batch[k]);
        positions_.push_back(k);
      }
    }
    if (fresh_.empty()) {
      request_.journal->commit();
      return true;
    }
    std::size_t received = 0;
    engine_.evaluate(
        fresh_,
        [&](std::size_t j, Answer a, const Circumstances& how) {
          const std::size_t k = positions_[j];
          request_.journal->record(done_ + static_cast<std::int64_t>(k), batch[k], a, how);
          if (a.failed()) last_words_ = how.error_output;
          answers_[k] = std::move(a);
          ++received;
        },
        [this] {
          request_.journal->idle();
          return request_.stop && request_.stop();
        });
    request_.journal->commit();
    return received == fresh_.size();
  }

  // Reasons can carry numbers and differ every time; the ledger stays readable.
  void note_failure(const std::string& reason) {
    constexpr std::size_t most_reasons = 50;
    ++failed_;
    last_failure_ = reason;
    ++failures_[failures_.size() < most_reasons || failures_.contains(reason) ? reason : "other reasons"];
  }

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

  Engine& engine_;
  const RunRequest& request_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::int64_t done_ = 0, failed_ = 0, replayed_ = 0;
  std::map<std::string, std::int64_t> failures_;
  std::string last_failure_, last_words_;
  EqualityRule rule_;
  std::vector<std::int64_t> calls_;
  std::vector<Answer> answers_;
  std::vector<Query> fresh_;
  std::vector<std::size_t> positions_;
};

}  // namespace

std::int64_t search_budget(std::int64_t budget, double check_share) {
  const auto check = static_cast<std::int64_t>(std::ceil(check_share * static_cast<double>(budget)));
  return budget - std::clamp<std::int64_t>(check, std::min<std::int64_t>(budget, check_share > 0 ? 2 : 0), budget);
}

Result run(const Spec& spec, Search search, Engine& engine, const RunRequest& request) {
  Loop loop(spec, engine, request);
  const auto end = loop.drive(search, search_budget(request.budget, request.check_share), false);

  Result result;
  result.solver = request.solver;
  result.seed = request.seed;
  Incumbent incumbent = believable(spec, search.recommend());
  result.x = incumbent.x;
  result.note = incumbent.note;
  result.trace = incumbent.trace;

  if (end != Loop::End::stopped && loop.nothing_succeeded()) loop.give_up();

  CheckedAnswer checked(spec.functions(), request.meaning);
  checked.x = incumbent.x;
  bool stopped = end == Loop::End::stopped;
  if (!stopped && request.check_share > 0) {
    const std::int64_t looks = request.budget - search_budget(request.budget, request.check_share);
    Search check = check_answer(spec, loop.rule(), incumbent.x, incumbent.cautious, looks, request.confidence,
                                request.seed, &checked);
    stopped = loop.drive(check, request.budget, true) == Loop::End::stopped;
  }
  result.x = checked.x;
  // The residual of the point that the check settled on: on the way to the fallback it changes at most linearly.
  if (const auto fallback = incumbent.trace.find("kkt_fallback"); fallback != incumbent.trace.end())
    incumbent.kkt_residual += checked.retreat * (fallback->second - incumbent.kkt_residual);
  summarize(spec, loop.rule(), checked.point, incumbent, request.names, result);
  const std::string status = honest_status(incumbent, probability_all_feasible(result), request.confidence,
                                           relative_price_of_caution(result), result.note);
  result.status = stopped ? "interrupted" : status;
  loop.report(result);
  return result;
}

}  // namespace zeroth
