// SPDX-License-Identifier: MIT
//
// Any bytes as an evaluator's reply: a failed answer with words, or as many finite numbers as were asked for.
#include <cmath>
#include <cstdint>

#include "zeroth/engine/evaluator.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace zeroth;
  Evaluator evaluator;
  evaluator.constraints = 2;
  evaluator.equalities = 1;
  evaluator.maximize = size % 2 == 1;
  const Reply reply = parse_reply({reinterpret_cast<const char*>(data), size}, 17, evaluator);
  if (reply.answer.failed()) {
    if (!reply.answer.values.empty()) __builtin_trap();
  } else {
    if (reply.answer.values.size() != 4) __builtin_trap();
    for (const double value : reply.answer.values)
      if (!std::isfinite(value)) __builtin_trap();
  }
  return 0;
}
