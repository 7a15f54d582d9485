// SPDX-License-Identifier: MIT
#pragma once

#include <poll.h>

#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "zeroth/engine/child.hpp"
#include "zeroth/engine/engine.hpp"

namespace zeroth {

// One evaluator process (stream) or a sequence of them (once). Never blocks: it is driven by what poll() says about its
// streams. One question is under way at a time; only a stream that answers in microseconds gets a few questions ahead,
// because waking two processes for each of them would cost more than everything else.
class Worker {
 public:
  using Clock = std::chrono::steady_clock;
  struct Done {
    std::size_t position;
    Answer answer;
    Circumstances how;
  };

  Worker(const Evaluator& evaluator, int number) : evaluator_(evaluator), number_(number) {}

  bool busy() const { return !asked_.empty(); }
  bool has_process() const { return child_.running(); }
  bool wants_more() const { return asked_.size() < (quick_ ? questions_ahead : 1); }
  void ask(std::size_t position, const Query& query, std::uint64_t id);
  void send();                                                                     // what was asked, to the process
  void watch(std::vector<pollfd>& list);                                           // adds the streams to wait for
  bool blind() const { return busy() && child_.running() && child_.ended() < 0; }  // no stream announces its end
  std::optional<Clock::time_point> deadline() const;
  // After poll: reads, writes, ends what has ended. Appends what is done.
  void advance(const std::vector<pollfd>& list, std::vector<Done>& done);
  // No process could be started, for want of something of ours: then its questions are for somebody else.
  const std::optional<std::string>& lack() const { return lack_; }
  std::vector<std::size_t> give_back();
  void close() { child_.close_in(); }  // end of input: the process may end by itself
  void finish();                       // and is ended if it does not

 private:
  struct Question {
    std::size_t position = 0;
    std::uint64_t id = 0;
    std::string request;
    std::vector<std::uint8_t> wanted;  // of an evaluator that can be asked for some functions only
    int failed_attempts = 0;
    double seconds = 0;  // of all attempts
  };
  static constexpr std::size_t questions_ahead = 16;

  void start_if_needed();
  void read_replies(std::vector<Done>& done);
  void settle(Reply reply, double seconds, std::vector<Done>& done, Exit exit = {});  // the first question's attempt
  void fail(std::string reason, std::vector<Done>& done);                             // and its process is lost
  void process_ended(const Exit& exit, std::vector<Done>& done);
  double seconds_of_attempt() const;
  void read_output();
  void read_errors();
  std::string last_error_lines() const;
  Child::Start start_child(std::string& why);
  void leave_directory(bool keep, std::string& words);  // of an evaluator that reads and writes files

  const Evaluator& evaluator_;
  int number_;
  Child child_;
  std::deque<Question> asked_;  // in the order of asking, which is the order of the replies
  bool quick_ = false;          // the last replies came so soon that questions may be sent ahead
  bool orderly_ = true;         // it has never answered out of step
  std::string requests_;        // on their way to the process
  std::size_t written_ = 0;
  std::string output_, errors_;
  std::string heard_;  // what the first question's reply is read from, for a witness
  bool output_open_ = false, errors_open_ = false;
  enum Stream { from_output, from_errors, to_input, at_end, streams };
  std::array<std::size_t, streams> watched_{};  // where in the list they are
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::optional<std::string> start_failure_, lack_;
  ExchangeDirectory directory_;
  int kept_ = 0;                     // directories of failed evaluations
  Clock::time_point attempt_begun_;  // of the first question
};

}  // namespace zeroth
