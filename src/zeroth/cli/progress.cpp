// SPDX-License-Identifier: MIT
#include "zeroth/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "zeroth/cli/output.hpp"

namespace zeroth::cli {
namespace {

constexpr std::size_t recent_answers = 100;

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto s = static_cast<long long>(seconds);
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
}

bool set_and_not_empty(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

}  // namespace

ProgressLine::ProgressLine(bool quiet, const ResolvedProblem& problem)
    : quiet_(quiet),
      terminal_(::isatty(2) == 1 && std::string_view(std::getenv("TERM") ? std::getenv("TERM") : "") != "dumb"),
      colour_(terminal_ && !set_and_not_empty("NO_COLOR")),
      maximize_(problem.maximize),
      constraints_(problem.spec.constraints),
      meaning_(problem.meaning ? &*problem.meaning : nullptr),
      best_(std::numeric_limits<double>::infinity()),
      last_(Clock::now()) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (drawn_) write_note("\r\033[K");
  drawn_ = false;
}

void ProgressLine::say(const std::string& line) {
  if (quiet_) return;
  clear();
  note("{}\n", line);
}

void ProgressLine::evaluation_at(const Answer& answer) {
  if (answer.failed()) return;
  bool feasible = true;
  const std::vector<double> values = meaning_ ? meaning_->of(answer.values) : answer.values;
  for (Index i = 1; i <= constraints_; ++i) feasible = feasible && !(values[static_cast<std::size_t>(i)] > 0);
  if (std::ranges::any_of(values, [](double v) { return std::isnan(v); })) return;  // a part of an evaluation
  if (feasible) best_ = std::min(best_, answer.values[0]);
  recent_.push_back(feasible);
  feasible_recently_ += feasible;
  if (recent_.size() > recent_answers) {
    feasible_recently_ -= recent_.front();
    recent_.pop_front();
  }
}

std::string ProgressLine::text(const Progress& p, double rate) const {
  const auto budget = static_cast<double>(std::max<std::int64_t>(1, p.budget));
  // Where functions have their costs, questions go on at their rate, and each costs what one has cost so far.
  const double each = p.evaluations > 0 ? p.spent / static_cast<double>(p.evaluations) : 1;
  const double left = (static_cast<double>(p.budget) - p.spent) / (each * rate);
  std::string line = fmt::format("{:.10g}/{} ({:.0f}%)  {:.3g}/s  ETA {}", p.spent, p.budget,
                                 std::floor(100 * p.spent / budget), rate, duration(left));
  if (p.checking) line += "  checking the recommended point";
  else if (std::isfinite(best_)) line += fmt::format("  best feasible evaluation {:.6g}", maximize_ ? -best_ : best_);
  if (!recent_.empty() && constraints_ > 0)
    line += fmt::format("  feasible {}%", 100 * feasible_recently_ / recent_.size());
  if (p.failed > 0) {
    const std::string failures = fmt::format("  failed {}", p.failed);
    line += colour_ ? "\033[33m" + failures + "\033[0m" : failures;
  }
  return line;
}

void ProgressLine::observe(const Progress& p) {
  if (quiet_) return;
  largest_batch_ = std::max(largest_batch_, p.answers.size());
  if (!p.checking)
    for (const Answer& answer : p.answers) evaluation_at(answer);
  if (p.replayed < p.evaluations && first_live_ < 0) {
    first_live_ = p.replayed;
    first_live_seconds_ = p.seconds;
  }
  const auto now = Clock::now();
  const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
  if (now - last_ < pause) return;
  last_ = now;
  const double rate = static_cast<double>(p.evaluations - std::max<std::int64_t>(0, first_live_)) /
                      std::max(1e-9, p.seconds - (first_live_ > 0 ? first_live_seconds_ : 0));
  const std::string line = text(p, rate);
  if (!terminal_) {
    note("{}\n", line);
    return;
  }
  write_note("\r\033[K" + line);  // all of it is ours
  drawn_ = true;
}

}  // namespace zeroth::cli
