// SPDX-License-Identifier: MIT
#include "zeroth/core/moderation.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/core/portable_math.hpp"

namespace zeroth {

double drawn_in(double value) {
  const double size = std::abs(value);
  if (!(size > moderate)) return value;
  return std::copysign(moderate * (1 + portable::log(size / moderate)), value);
}

std::span<const Answer> Moderation::of(std::span<const Answer> answers) {
  const auto large = [](double v) { return std::abs(v) > moderate; };
  if (std::ranges::none_of(answers, [&](const Answer& a) { return std::ranges::any_of(a.values, large); }))
    return answers;
  drawn_in_.assign(answers.begin(), answers.end());
  for (Answer& answer : drawn_in_)
    for (double& value : answer.values) value = drawn_in(value);
  return drawn_in_;
}

}  // namespace zeroth
