// SPDX-License-Identifier: MIT
//
// Any text as a known limit, as a condition or as the template of an input file: it is understood, or refused with an
// Error. What is linear computes like its coefficients; a template puts every value where its name stands.
#include "zeroth/adapters/expression.hpp"

#include <cmath>
#include <cstdint>

#include "zeroth/adapters/condition.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/engine/file_exchange.hpp"

namespace {

void fill_template(const std::string& text) {
  const std::vector<std::string> names{"x1", "a"};
  try {
    const zeroth::InputTemplate input(text, names, "input.template");
    // Values that no template has, so that they can be counted.
    const std::vector<std::string> values{"\x01", "\x02"};
    if (text.find_first_of("\x01\x02\x03") != std::string::npos) return;
    const std::string filled = input.filled(values, 7, "\x03");
    for (const std::string& value : values)
      if (filled.find(value) == std::string::npos) __builtin_trap();  // a variable that is never used is refused
    if (filled != input.filled(values, 7, "\x03")) __builtin_trap();
    // What does not apply leaves the words for that case, and nothing else of the others changes.
    const std::string without = input.filled(std::vector<std::string>{"", "\x02"}, 7, "\x03");
    if (without.find('\x01') != std::string::npos || without.find('\x02') == std::string::npos) __builtin_trap();
    // Numbers of the seed aside, what is not in braces stays.
    if (text.find_first_of("{}") == std::string::npos) __builtin_trap();
  } catch (const zeroth::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace zeroth;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> names{"x1", "x2", "a", "learning-rate", "min"};
  const std::vector<double> x{0.5, -2, 3, 0.125, 7};
  for (const bool named : {true, false}) {
    try {
      for (const Relation& r : read_relations(text, named ? names : std::vector<std::string>{}, 5, "p.toml:1")) {
        const double value = r.excess(x);
        for (const Index i : r.excess.mentioned())
          if (i < 0 || i >= 5) __builtin_trap();
        const auto form = r.excess.affine(5);
        if (!form || !std::isfinite(value)) continue;
        const double again = form->constant + form->coefficients.dot(as_vector(x));
        const double scale = std::abs(form->constant) + form->coefficients.cwiseAbs().sum() * 7;
        // Terms may cancel in one order and overflow in another; ordinary numbers must agree.
        if (scale < 1e6 && text.size() < 40 && text.find_first_of("eE") == std::string::npos &&
            std::abs(again - value) > 1e-3 * (1 + scale) && std::abs(value) < 1e6)
          __builtin_trap();
      }
    } catch (const Error&) {
    }
  }
  fill_template(text);
  const std::vector<std::vector<std::string>> values{{"rbf", "poly", "a 'b'"}, {}, {"16", "32"}, {}, {}};
  try {
    const Condition when = read_condition(text, {&names, &values, [](Index i) { return i != 0; }}, "p.toml:1");
    for (const Index i : when.mentioned())
      if (i < 0 || i >= 5) __builtin_trap();
    (void)when.holds(x);
    const std::vector<double> nothing(5, std::nan(""));
    (void)when.holds(nothing);
  } catch (const Error&) {
  }
  return 0;
}
