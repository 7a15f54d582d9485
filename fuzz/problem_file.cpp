// SPDX-License-Identifier: MIT
//
// Any text as a problem file, its last line as a --set: it is understood, or refused with an Error, never anything
// else.
#include "zeroth/problem_file/problem_file.hpp"

#include <cstdint>
#include <string_view>

#include "zeroth/core/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace zeroth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Document document = parse_document(text, "p.toml");
    const auto last = text.rfind('\n');
    if (last != std::string_view::npos && text.substr(last + 1).starts_with("#set "))
      override_entry(document, std::string(text.substr(last + 6)));
    // A million variables are fine for people, but slow for a fuzzer.
    for (Section& s : document.sections)
      for (const char* key : {"count", "constraints", "equalities"})
        if (const auto found = s.entries.find(key); found != s.entries.end())
          if (auto* n = std::get_if<std::int64_t>(&found->second.value); n && *n > 50) *n %= 50;
    const ResolvedProblem problem = resolve(document, false);
    if (problem.evaluator) {
      std::string json;
      const Vector x = Vector::Constant(problem.spec.dimension(), 1e6);
      problem.evaluator->write_x(as_span(x), json);
      problem.evaluator->write_x(as_span(problem.spec.first_point()), json);
    }
    if (!identity_changes(problem.identity, problem.identity).empty()) __builtin_trap();
  } catch (const Error&) {
  }
  return 0;
}
