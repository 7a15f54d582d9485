// SPDX-License-Identifier: MIT
#include <chrono>
#include <cmath>
#include <new>

#include "zeroth/core/iterate.hpp"
#include "zeroth/core/text.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/engine/limits.hpp"

namespace zeroth {

Answer evaluate_once(const Problem& problem, const Query& query) {
  Vector memory;
  settle({&query, 1});
  return evaluate_once(problem, query, memory);
}

Answer evaluate_once(const Problem& problem, const Query& query, Vector& memory) {
  const std::span<const double> x = point_of(query, memory);
  Answer answer;
  answer.values.assign(static_cast<std::size_t>(problem.spec.functions()), std::nan(""));
  Rng noise(query.noise);
  try {
    if (problem.partial) {
      const std::vector<std::uint8_t> all(query.wanted.empty() ? answer.values.size() : 0, 1);
      problem.partial(x, noise, query.wanted.empty() ? std::span(all) : query.wanted, answer.values);
    } else {
      problem.oracle(x, noise, answer.values);
    }
  } catch (const std::bad_alloc&) {  // this process's memory: the point is not to blame
    throw OutOfResources("too little memory for an evaluation");
  } catch (const std::exception& e) {
    return Answer::failed_because(*e.what() ? valid_utf8(e.what()) : "the oracle threw an exception without a message");
  }
  for (std::size_t i = 0; i < answer.values.size(); ++i)
    if (query.wants(static_cast<Index>(i)) && !std::isfinite(answer.values[i]))
      return Answer::failed_because("function " + std::to_string(i) + " is not a finite number");
  // What costs something and was not asked for is not known, whoever happens to know it.
  if (problem.spec.cost.size() > 0 && query.weights.empty())
    for (std::size_t i = 0; i < answer.values.size(); ++i)
      if (!query.wants(static_cast<Index>(i))) answer.values[i] = std::nan("");
  append_distance(query, x, answer);
  return answer;
}

void Engine::stream(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop,
                    const More& more) {
  std::vector<Query> now(batch.begin(), batch.end()), next;
  for (std::size_t before = 0; !now.empty(); before += now.size(), now.swap(next)) {
    next.clear();
    std::size_t answered = 0;
    evaluate(
        now,
        [&](std::size_t k, Answer answer, const Circumstances& how) {
          ++answered;
          on_answer(before + k, std::move(answer), how);
          const auto added = more();
          next.insert(next.end(), added.begin(), added.end());
        },
        stop);
    if (answered < now.size()) return;  // somebody said stop
  }
}

namespace {

class SerialEngine final : public Engine {
 public:
  explicit SerialEngine(Problem problem) : problem_(std::move(problem)) {}
  std::string name() const override { return "serial"; }
  int width() const override { return 1; }

  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) override {
    settle(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (stop && stop()) return;
      const auto begin = std::chrono::steady_clock::now();
      Answer answer = evaluate_once(problem_, batch[i], memory_);
      Circumstances how;
      how.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      on_answer(i, std::move(answer), how);
    }
  }

 private:
  Problem problem_;
  Vector memory_;
};

}  // namespace

std::unique_ptr<Engine> serial_engine(Problem problem) { return std::make_unique<SerialEngine>(std::move(problem)); }

}  // namespace zeroth
