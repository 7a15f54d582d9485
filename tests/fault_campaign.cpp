// SPDX-License-Identifier: MIT
//
// The fault campaign: kills the running tool (and, every third time, its evaluators) with SIGKILL at random moments,
// resumes, and counts what is lost. Usage: zeroth_fault_campaign [KILLS] [SEED]
//
// Every campaign round is one run of the tool that is killed again and again until it gets to its end. Then
// - its result must equal the uninterrupted one, bit for bit;
// - every answer that the store acknowledged before a kill must be there after it, unchanged;
// - no question may have been asked more often than the kills while it was under way explain.
#include <chrono>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "scratch.hpp"
#include "zeroth/store/store.hpp"

namespace {

using namespace zeroth;
using namespace zeroth::testing_support;

constexpr int jobs = 2;
constexpr int budget = 150;

struct Tally {
  int kills = 0, evaluator_kills = 0, runs = 0, different = 0, unsound = 0;
  std::int64_t acknowledged = 0, lost = 0, evaluations = 0, repeated = 0, repeated_beyond_flight = 0;
};

using Acknowledged = std::map<std::int64_t, std::vector<double>>;

Acknowledged answers_in(const Scratch& scratch, const std::string& name) {
  Acknowledged found;
  if (!std::filesystem::exists(scratch.path(name))) return found;
  Store store(scratch.path(name), Store::Access::create);
  for (const RunRow& run : store.runs())
    store.each_answer(run.id, [&](const StoredAnswer& a) { found[a.number] = a.answer.values; });
  return found;
}

std::string problem(const Scratch& scratch) {
  return problem_text("\"ok\", \"--sleep\", \"0.004\", \"--log\", \"" + scratch.path("log") + "\"", "retries = 20",
                      budget, "width = 6\n");
}

std::size_t lines_in(const Scratch& scratch) {
  const std::string log = scratch.read("log");
  return static_cast<std::size_t>(std::count(log.begin(), log.end(), '\n'));
}

// One run to its end, through as many kills as fit; returns its result.
Ran run_through_kills(const Scratch& scratch, std::mt19937_64& random, int kills_left, Tally& tally) {
  int allowed_repeats = 0;
  for (;;) {
    const Acknowledged before = answers_in(scratch, "cut.db");
    const Process process(scratch, {tool, "solve", "p.toml", "--store", "cut.db", "--json", "-q", "--resume", "-j",
                                    std::to_string(jobs)});
    bool killed = false;
    if (kills_left > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 250'000));
      if (tally.kills % 3 == 2)
        for (const int child : children_of(process.pid()))
          if (::kill(child, SIGKILL) == 0) {
            ++tally.evaluator_kills;
            ++allowed_repeats;
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
          }
      process.signal(SIGKILL);
      killed = true;
    }
    const Ran ran = process.wait();
    const Acknowledged after = answers_in(scratch, "cut.db");
    for (const auto& [number, values] : before) {
      ++tally.acknowledged;
      const auto found = after.find(number);
      tally.lost += found == after.end() || found->second != values;
    }
    if (killed && ran.code == 128 + SIGKILL) {
      ++tally.kills;
      --kills_left;
      allowed_repeats += jobs;
      continue;
    }
    const auto asked = static_cast<std::int64_t>(lines_in(scratch));
    tally.evaluations += asked;
    const std::int64_t repeats = std::max<std::int64_t>(0, asked - budget);
    tally.repeated += repeats;
    tally.repeated_beyond_flight += std::max<std::int64_t>(0, repeats - allowed_repeats);
    return ran;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? std::atoi(argv[1]) : 200;
  std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  Tally tally;
  std::string whole;
  while (tally.kills < wanted) {
    const Scratch scratch;
    scratch.write("p.toml", problem(scratch));
    if (whole.empty()) {
      whole =
          bits_of(zeroth::testing_support::zeroth(scratch, {"solve", "p.toml", "--store", "whole.db", "--json", "-q"}));
      std::filesystem::remove(scratch.path("log"));
    }
    const Ran ran = run_through_kills(scratch, random, std::min(12, wanted - tally.kills), tally);
    ++tally.runs;
    if (bits_of(ran) != whole) {
      ++tally.different;
      std::printf("a resumed run differs:\n%s\n%s\n", bits_of(ran).c_str(), whole.c_str());
    }
    const Ran verified = zeroth::testing_support::zeroth(scratch, {"verify", "cut.db"});
    tally.unsound += verified.code != 0;
  }
  std::printf("kills -9 of the tool            %d, in %d runs of %d evaluations\n", tally.kills, tally.runs, budget);
  std::printf("kills -9 of evaluators          %d\n", tally.evaluator_kills);
  std::printf("resumed runs that differ        %d\n", tally.different);
  std::printf("stores that verify finds wrong  %d\n", tally.unsound);
  std::printf("acknowledged answers lost       %lld of %lld seen before a kill\n", static_cast<long long>(tally.lost),
              static_cast<long long>(tally.acknowledged));
  std::printf("evaluations                     %lld, of which %lld repeated because they were in flight\n",
              static_cast<long long>(tally.evaluations),
              static_cast<long long>(tally.repeated - tally.repeated_beyond_flight));
  std::printf("evaluated twice beyond those    %lld\n", static_cast<long long>(tally.repeated_beyond_flight));
  const bool good = tally.different == 0 && tally.unsound == 0 && tally.lost == 0 && tally.repeated_beyond_flight == 0;
  std::printf("%s\n", good ? "PASSED" : "FAILED");
  return good ? 0 : 1;
}
