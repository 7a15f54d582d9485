// SPDX-License-Identifier: MIT
#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "zeroth/engine/child.hpp"
#include "zeroth/engine/engine.hpp"

namespace zeroth {

// One evaluator process (stream) or a sequence of them (once), with at most one question under way. Never blocks: it is
// driven by what poll() says about its streams.
class Worker {
 public:
  using Clock = std::chrono::steady_clock;
  struct Done {
    std::size_t position;
    Answer answer;
    Circumstances how;
  };

  Worker(const Evaluator& evaluator, int number) : evaluator_(evaluator), number_(number) {}

  bool busy() const { return busy_; }
  void begin(std::size_t position, const Query& query, std::uint64_t id);
  void watch(std::vector<pollfd>& list);                                          // adds the streams to wait for
  bool blind() const { return busy_ && child_.running() && child_.ended() < 0; }  // no stream announces its end
  std::optional<Clock::time_point> deadline() const;
  std::optional<Done> advance(const std::vector<pollfd>& list);  // after poll: reads, writes, ends what has ended
  void close() { child_.close_in(); }                            // end of input: the process may end by itself
  void finish();                                                 // and is ended if it does not

 private:
  void attempt();
  std::optional<Done> settle(Reply reply, Exit exit = {});  // an attempt has ended: another one, or done
  std::optional<Done> fail(std::string reason, bool process_is_lost = true);
  std::optional<Done> process_ended(const Exit& exit);
  void write_some();
  void read_output();
  void read_errors();
  std::string last_error_lines() const;

  const Evaluator& evaluator_;
  int number_;
  Child child_;
  bool busy_ = false;
  std::size_t position_ = 0;
  std::uint64_t id_ = 0;
  std::string request_;
  std::size_t written_ = 0;
  std::string output_, errors_;
  bool output_open_ = false, errors_open_ = false;
  std::size_t watched_ = 0;  // where in the list our streams begin
  std::optional<std::string> start_failure_;
  int attempts_ = 0;
  Clock::time_point begun_, attempt_begun_;
};

}  // namespace zeroth
