// SPDX-License-Identifier: MIT
#include "zeroth/engine/worker.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

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
  return 65536 + 64 * static_cast<std::size_t>(1 + e.constraints + e.equalities);
}

}  // namespace

void Worker::begin(std::size_t position, const Query& query, std::uint64_t id) {
  busy_ = true;
  position_ = position;
  id_ = id;
  request_ = request_line(evaluator_, query, id);
  attempts_ = 0;
  begun_ = Clock::now();
  attempt();
}

void Worker::attempt() {
  ++attempts_;
  attempt_begun_ = Clock::now();
  written_ = 0;
  output_.clear();
  errors_.clear();
  start_failure_.reset();
  // A process that ended while idle is not this question's fault.
  if (Exit exit; child_.running() && evaluator_.stream && attempts_ == 1) child_.reap(exit);
  if (!evaluator_.stream) child_.kill();
  if (!child_.running()) {
    std::string why;
    if (!child_.start(evaluator_.command, evaluator_.directory, why)) {
      start_failure_ = why;
      return;
    }
    output_open_ = errors_open_ = true;
  }
  write_some();
}

// Always four entries, so that advance() finds them; poll() ignores a negative descriptor.
void Worker::watch(std::vector<pollfd>& list) {
  watched_ = list.size();
  const bool alive = busy_ && child_.running();
  list.push_back({alive && output_open_ ? child_.out() : -1, POLLIN, 0});
  list.push_back({alive && errors_open_ ? child_.error() : -1, POLLIN, 0});
  list.push_back({alive && written_ < request_.size() ? child_.in() : -1, POLLOUT, 0});
  list.push_back({alive ? child_.ended() : -1, POLLIN, 0});
}

std::optional<Worker::Clock::time_point> Worker::deadline() const {
  if (!busy_) return {};
  if (start_failure_) return attempt_begun_;
  if (evaluator_.timeout <= 0) return {};
  return attempt_begun_ +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(evaluator_.timeout));
}

void Worker::write_some() {
  while (written_ < request_.size() && child_.in() >= 0) {
    const auto put = ::write(child_.in(), request_.data() + written_, request_.size() - written_);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      if (errno != EAGAIN) written_ = request_.size();  // it does not read: its reply, end or timeout will tell
      break;
    }
    written_ += static_cast<std::size_t>(put);
  }
  if (written_ == request_.size() && !evaluator_.stream) child_.close_in();
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
    output_.append(block, static_cast<std::size_t>(got));
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

std::optional<Worker::Done> Worker::advance(const std::vector<pollfd>& list) {
  if (!busy_) return {};
  if (start_failure_) return fail(*start_failure_);
  const auto ready = [&](std::size_t stream) { return list[watched_ + stream].revents != 0; };
  if (ready(2)) write_some();
  if (ready(1)) read_errors();
  if (ready(0)) {
    read_output();
    if (const auto end = output_.find('\n'); evaluator_.stream && end != std::string::npos) {
      Reply reply = parse_reply(std::string_view(output_).substr(0, end), id_, evaluator_);
      if (!reply.answer.failed() && !trimmed(std::string_view(output_).substr(end + 1)).empty())
        reply = {Answer::failed_because("more than one line in reply to one question"), false};
      return settle(std::move(reply));
    }
    if (output_.size() > reply_limit(evaluator_))
      return fail(fmt::format("more than {} bytes on stdout {}", reply_limit(evaluator_),
                              evaluator_.stream ? "without an end of line" : "in reply to one question"));
  }
  if (ready(3) || blind()) {
    read_output();  // its last words, while the pipes are still ours
    read_errors();
    if (Exit exit; child_.reap(exit)) return process_ended(exit);
  }
  if (evaluator_.stream && !output_open_) {  // it may still run, but can never answer
    read_errors();
    const Exit exit = child_.kill();
    return process_ended(exit);
  }
  if (const auto limit = deadline(); limit && Clock::now() >= *limit)
    return fail(fmt::format("no reply within {} seconds (timeout)", evaluator_.timeout));
  return {};
}

std::optional<Worker::Done> Worker::process_ended(const Exit& exit) {
  const std::string_view said = trimmed(output_);
  if (!evaluator_.stream && exit.signal == 0 && !said.empty()) {
    Reply reply = parse_reply(said, id_, evaluator_);
    if (exit.code != 0 && !reply.answer.failed())
      reply.answer = Answer::failed_because("the evaluator " + exit.text() + " after its reply");
    return settle(std::move(reply), exit);
  }
  if (evaluator_.stream && !said.empty()) {  // a last line without its newline, then the end
    Reply reply = parse_reply(said, id_, evaluator_);
    if (!reply.answer.failed()) return settle(std::move(reply), exit);
  }
  return settle({Answer::failed_because("the evaluator " + exit.text() + " without a reply"), false}, exit);
}

std::optional<Worker::Done> Worker::fail(std::string reason, bool process_is_lost) {
  return settle({Answer::failed_because(std::move(reason)), !process_is_lost});
}

std::optional<Worker::Done> Worker::settle(Reply reply, Exit exit) {
  Done done{position_, std::move(reply.answer), {}};
  if (done.answer.failed()) {
    read_errors();
    if (!reply.in_step && child_.running()) exit = child_.kill();
    if (attempts_ <= evaluator_.retries) {
      attempt();
      return {};
    }
    done.how.error_output = last_error_lines();
  }
  if (!evaluator_.stream) child_.kill();
  done.how.seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  done.how.worker = number_;
  done.how.attempts = attempts_;
  done.how.exit_code = exit.code;
  done.how.signal = exit.signal;
  busy_ = false;
  return done;
}

void Worker::finish() {
  constexpr int patience = 2000;  // milliseconds
  if (busy_) child_.kill();
  else child_.finish(patience);
}

}  // namespace zeroth
