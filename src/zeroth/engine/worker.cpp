// SPDX-License-Identifier: MIT
#include "zeroth/engine/worker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "zeroth/core/text.hpp"
#include "zeroth/engine/witness.hpp"

namespace zeroth {
namespace {

constexpr std::size_t error_tail = 4096;  // bytes of stderr kept
constexpr int error_lines = 20;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// A reply needs some 25 bytes per number; what goes far beyond is not a reply.
std::size_t reply_limit(const Evaluator& e) {
  if (e.files) return 64 << 20;
  return 65536 + 64 * static_cast<std::size_t>(1 + e.constraints + e.equalities);
}

}  // namespace

void Worker::ask(std::size_t position, const Query& query, std::uint64_t id) {
  // A process that ended while idle is not this question's fault.
  if (Exit exit; !busy() && child_.running()) child_.reap(exit);
  if (!busy()) {
    attempt_begun_ = Clock::now();
    output_.clear();
    errors_.clear();
  }
  Question question{position, id, {}, {}, 0, 0};
  if (!evaluator_.partial.empty()) question.wanted.assign(query.wanted.begin(), query.wanted.end());
  if (evaluator_.files)
    question.request = evaluator_.files->request(query, evaluator_.seed_bits,
                                                 fmt::format("{}", fmt::join(wanted_names(evaluator_, query), " ")));
  else question.request = request_line(evaluator_, query, id);
  asked_.push_back(std::move(question));
  if (child_.running()) requests_ += asked_.back().request;
}

Child::Start Worker::start_child(std::string& why) {
  if (!evaluator_.files) return child_.start(evaluator_.command, evaluator_.directory, why);
  why = directory_.make(*evaluator_.files, asked_.front().request);
  if (!why.empty()) return Child::Start::impossible;
  return child_.start(evaluator_.command, directory_.path(), why);
}

void Worker::leave_directory(bool keep, std::string& words) {
  constexpr int most_kept = 10;
  if (directory_.path().empty()) return;
  if (!keep || kept_ >= most_kept) return directory_.remove();
  ++kept_;
  words += fmt::format("{}(its files are kept in {})", words.empty() ? "" : "\n", directory_.path());
  directory_.keep();
}

void Worker::start_if_needed() {
  if (!busy() || child_.running()) return;
  start_failure_.reset();
  lack_.reset();
  attempt_begun_ = Clock::now();
  output_.clear();
  errors_.clear();
  requests_.clear();
  written_ = 0;
  std::string why;
  const auto started = start_child(why);
  if (started == Child::Start::lacking) lack_ = why;
  if (started == Child::Start::impossible) start_failure_ = why;
  if (started != Child::Start::done) return;
  output_open_ = errors_open_ = true;
  if (evaluator_.files) return;  // the question lies in its directory
  for (const Question& question : asked_) requests_ += question.request;
}

void Worker::send() {
  start_if_needed();
  while (written_ < requests_.size() && child_.in() >= 0) {
    const auto put = ::write(child_.in(), requests_.data() + written_, requests_.size() - written_);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      if (errno != EAGAIN) written_ = requests_.size();  // it does not read: its reply, end or timeout will tell
      break;
    }
    written_ += static_cast<std::size_t>(put);
  }
  if (written_ < requests_.size()) return;
  requests_.clear();
  written_ = 0;
  if (busy() && !evaluator_.stream) child_.close_in();
}

std::vector<std::size_t> Worker::give_back() {
  std::vector<std::size_t> positions;
  for (const Question& question : asked_) positions.push_back(question.position);
  asked_.clear();
  lack_.reset();
  return positions;
}

// Only what is open: poll() refuses a list that is longer than the number of descriptors allowed.
void Worker::watch(std::vector<pollfd>& list) {
  const bool alive = busy() && child_.running();
  const auto add = [&](Stream stream, bool wanted, int descriptor, short events) {
    watched_[stream] = nowhere;
    if (!alive || !wanted || descriptor < 0) return;
    watched_[stream] = list.size();
    list.push_back({descriptor, events, 0});
  };
  add(from_output, output_open_, child_.out(), POLLIN);
  add(from_errors, errors_open_, child_.error(), POLLIN);
  add(to_input, written_ < requests_.size(), child_.in(), POLLOUT);
  add(at_end, true, child_.ended(), POLLIN);
}

std::optional<Worker::Clock::time_point> Worker::deadline() const {
  if (!busy()) return {};
  if (start_failure_) return attempt_begun_;
  if (evaluator_.timeout <= 0) return {};
  return attempt_begun_ +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(evaluator_.timeout));
}

void Worker::read_output() {
  char block[16384];
  while (output_open_ && output_.size() <= reply_limit(evaluator_)) {
    const auto got = ::read(child_.out(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      output_open_ = false;
      return;
    }
    if (!evaluator_.files || evaluator_.files->reads_stdout()) output_.append(block, static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < sizeof block) return;
  }
}

void Worker::read_errors() {
  char block[4096];
  for (int rounds = 0; rounds < 64 && errors_open_ && child_.running(); ++rounds) {
    const auto got = ::read(child_.error(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      errors_open_ = false;
      return;
    }
    errors_.append(block, static_cast<std::size_t>(got));
    if (errors_.size() > 2 * error_tail) errors_.erase(0, errors_.size() - error_tail);
  }
}

std::string Worker::last_error_lines() const {
  std::string_view text = trimmed(errors_);
  if (text.size() > error_tail) text.remove_prefix(text.size() - error_tail);
  std::size_t from = text.size();
  for (int lines = 0; lines < error_lines && from != std::string_view::npos && from > 0; ++lines)
    from = text.rfind('\n', from - 1);
  if (from != std::string_view::npos && from > 0 && from < text.size()) text.remove_prefix(from + 1);
  return std::string(text);
}

double Worker::seconds_of_attempt() const {
  return std::chrono::duration<double>(Clock::now() - attempt_begun_).count();
}

// All complete lines that have arrived. Those that arrived together share the time since the last ones.
void Worker::read_replies(std::vector<Done>& done) {
  const auto lines = static_cast<std::size_t>(std::count(output_.begin(), output_.end(), '\n'));
  if (lines == 0) return;
  const double seconds = seconds_of_attempt() / static_cast<double>(std::min(lines, asked_.size()));
  attempt_begun_ = Clock::now();
  const std::string received = std::exchange(output_, {});
  std::string_view left = received;
  while (busy()) {
    const auto end = left.find('\n');
    if (end == std::string_view::npos) break;
    Reply reply = parse_reply(left.substr(0, end), asked_.front().id, evaluator_, asked_.front().wanted);
    if (witness()) heard_ = left.substr(0, end);
    left.remove_prefix(end + 1);
    if (!reply.answer.failed() && asked_.size() == 1 && !trimmed(left).empty())
      reply = {Answer::failed_because("more than one line in reply to one question"), false};
    const bool lost = !reply.in_step;
    settle(std::move(reply), seconds, done);
    if (lost) return;  // what else it wrote went with it
  }
  if (busy()) output_ = left;
  quick_ = evaluator_.stream && orderly_ && seconds * questions_ahead < short_evaluation;
}

void Worker::advance(const std::vector<pollfd>& list, std::vector<Done>& done) {
  if (!busy()) return;
  if (start_failure_) return fail(*start_failure_, done);
  const auto ready = [&](Stream stream) { return watched_[stream] != nowhere && list[watched_[stream]].revents != 0; };
  if (ready(to_input)) send();
  if (ready(from_errors)) read_errors();
  if (ready(from_output)) {
    read_output();
    if (const auto before = done.size(); evaluator_.stream) {
      read_replies(done);
      if (done.size() > before || !busy() || !child_.running()) return;
    }
    if (output_.size() > reply_limit(evaluator_))
      return fail(fmt::format("more than {} bytes on stdout {}", reply_limit(evaluator_),
                              evaluator_.stream ? "without an end of line" : "in reply to one question"),
                  done);
  }
  if (ready(at_end) || blind()) {
    read_output();  // its last words, while the pipes are still ours
    read_errors();
    if (Exit exit; child_.reap(exit)) return process_ended(exit, done);
  }
  if (evaluator_.stream && !output_open_) {  // it may still run, but can never answer
    read_errors();
    const Exit exit = child_.kill();
    return process_ended(exit, done);
  }
  if (const auto limit = deadline(); limit && Clock::now() >= *limit)
    fail(fmt::format("no reply within {} seconds (timeout)", evaluator_.timeout), done);
}

void Worker::process_ended(const Exit& exit, std::vector<Done>& done) {
  if (evaluator_.stream) {
    read_replies(done);
    if (!busy()) return;
  }
  if (evaluator_.files) {
    Reply reply{exit.code == 0 && exit.signal == 0 ? read_outputs(*evaluator_.files, directory_.path(), output_,
                                                                  evaluator_.maximize, asked_.front().wanted)
                                                   : Answer::failed_because("the evaluator " + exit.text()),
                true};
    if (witness()) heard_ = output_excerpt(*evaluator_.files, directory_.path(), output_);
    return settle(std::move(reply), seconds_of_attempt(), done, exit);
  }
  const std::string_view said = trimmed(output_);
  if (witness()) heard_ = said;
  if (!evaluator_.stream && exit.signal == 0 && !said.empty()) {
    Reply reply = parse_reply(said, asked_.front().id, evaluator_, asked_.front().wanted);
    if (exit.code != 0 && !reply.answer.failed())
      reply.answer = Answer::failed_because("the evaluator " + exit.text() + " after its reply");
    return settle(std::move(reply), seconds_of_attempt(), done, exit);
  }
  if (evaluator_.stream && !said.empty()) {  // a last line without its newline, then the end
    Reply reply = parse_reply(said, asked_.front().id, evaluator_, asked_.front().wanted);
    if (!reply.answer.failed()) return settle(std::move(reply), seconds_of_attempt(), done, exit);
  }
  settle({Answer::failed_because("the evaluator " + exit.text() + " without a reply"), false}, seconds_of_attempt(),
         done, exit);
}

void Worker::fail(std::string reason, std::vector<Done>& done) {
  if (witness()) heard_ = output_;
  settle({Answer::failed_because(std::move(reason)), false}, seconds_of_attempt(), done);
}

void Worker::settle(Reply reply, double seconds, std::vector<Done>& done, Exit exit) {
  Question question = std::move(asked_.front());
  asked_.pop_front();
  question.seconds += seconds;
  const bool failed = reply.answer.failed();
  if (witness()) witness()(question.request, std::exchange(heard_, {}));
  std::string words;
  if (failed) {
    ++question.failed_attempts;
    reply.answer.failure = valid_utf8(reply.answer.failure);  // an excerpt may have cut a character, too
    read_errors();
    words = valid_utf8(last_error_lines());
    if (!reply.in_step) orderly_ = quick_ = false;
    if (!reply.in_step && child_.running()) exit = child_.kill();
  }
  if (!evaluator_.stream) child_.kill();
  leave_directory(failed && question.failed_attempts > evaluator_.retries, words);
  if (failed && question.failed_attempts <= evaluator_.retries) {
    if (child_.running()) requests_ += question.request;  // in step: its next reply will be to this
    asked_.push_back(std::move(question));
    return send();
  }
  Circumstances how;
  how.seconds = question.seconds;
  how.worker = number_;
  how.attempts = question.failed_attempts + (failed ? 0 : 1);
  how.exit_code = exit.code;
  how.signal = exit.signal;
  if (failed) how.error_output = std::move(words);
  done.push_back({question.position, std::move(reply.answer), std::move(how)});
  send();  // to a new process, if this one is gone and more was asked
}

void Worker::finish() {
  constexpr int patience = 2000;  // milliseconds
  if (busy()) child_.kill();
  else child_.finish(patience);
}

}  // namespace zeroth
