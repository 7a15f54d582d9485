// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "zeroth/core/problem.hpp"
#include "zeroth/engine/evaluator.hpp"

namespace zeroth {

// How an answer came to be; kept beside it in the store.
struct Circumstances {
  double seconds = 0;
  int worker = 0;
  int attempts = 1;
  int exit_code = 0;         // of a process that ended
  int signal = 0;            // that ended it
  std::string error_output;  // the last lines of stderr, on failure
};

// An evaluation shorter than this many seconds may be lost and done again without anybody minding: a worker then gets
// its next question before its answer is passed on, so that it works while we store. After a longer one the answer is
// passed on first, so that a kill never costs more than the one question that each worker has under way.
inline constexpr double short_evaluation = 1e-3;

// Where evaluations happen. One seam: a batch goes in, answers come out in any order.
class Engine {
 public:
  using OnAnswer = std::function<void(std::size_t position, Answer answer, const Circumstances& how)>;

  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  virtual int width() const = 0;  // evaluations that can run at the same time

  // Calls `on_answer` once per query, on the calling thread, as answers arrive. Whatever goes wrong with an evaluation
  // is a failed answer. `stop` is asked before evaluations begin and before every wait (so a journal can use the
  // moment); once it says true no new evaluation begins, those under way are finished and reported, and the rest of the
  // batch is left unanswered.
  virtual void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) = 0;

  // As evaluate, but after every answer `more` is asked for further queries: their positions follow those before, and
  // workers take them up while others are still at work. It ends when all are answered and no more come. An engine that
  // does not know better finishes what it has before it takes up more.
  using More = std::function<std::span<const Query>()>;
  virtual void stream(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop,
                      const More& more);
};

// The oracle called once, here: exceptions, wrong lengths and numbers that are not finite become failed answers. A
// point that is described is made in `memory`; without, in memory of this call's own, and once its iterate is settled.
Answer evaluate_once(const Problem& problem, const Query& query, Vector& memory);
Answer evaluate_once(const Problem& problem, const Query& query);

std::unique_ptr<Engine> serial_engine(Problem problem);
std::unique_ptr<Engine> threads_engine(Problem problem, int jobs);
std::unique_ptr<Engine> processes_engine(Evaluator evaluator, int jobs);

}  // namespace zeroth
