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
  // By its first byte: asked for everything, or for some functions only.
  const bool partial = size > 0 && data[0] % 2 == 0;
  const std::uint8_t flags[]{static_cast<std::uint8_t>(size / 2 % 2), 1, static_cast<std::uint8_t>(size / 4 % 2), 0};
  if (partial) evaluator.partial = {"objective", "c1", "c2", "h1"};
  const Reply reply = parse_reply({reinterpret_cast<const char*>(data), size}, 17, evaluator,
                                  partial ? std::span<const std::uint8_t>(flags) : std::span<const std::uint8_t>{});
  if (reply.answer.failed()) {
    if (!reply.answer.values.empty()) __builtin_trap();
  } else {
    if (reply.answer.values.size() != 4) __builtin_trap();
    // Standard errors: none, or one for each value, a number >= 0 or unknown.
    if (!reply.answer.se.empty() && reply.answer.se.size() != 4) __builtin_trap();
    for (const double se : reply.answer.se)
      if (std::isinf(se) || se < 0) __builtin_trap();
    const bool in_one_list = std::isfinite(reply.answer.values[3]) && partial;  // a party's reply holds all
    for (std::size_t i = 0; i < 4; ++i) {
      const bool wanted = !partial || in_one_list || flags[i] != 0;
      if (wanted ? !std::isfinite(reply.answer.values[i]) : !std::isnan(reply.answer.values[i])) __builtin_trap();
    }
  }
  return 0;
}
