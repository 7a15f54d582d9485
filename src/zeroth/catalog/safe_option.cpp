// SPDX-License-Identifier: MIT
#include "zeroth/catalog/safe_option.hpp"

#include <cstdlib>

#include "zeroth/catalog/catalog.hpp"

namespace zeroth {

double safe_probability(const std::string& solver, const Settings& settings) {
  const auto given = settings.find("safe");
  double found = 0;
  if (given != settings.end())
    solver_named(solver).describe([&](const OptionList& options) {
      for (const Option& o : options) {
        if (o.name() != "safe") continue;
        o.set(given->second);
        found = std::strtod(o.value().c_str(), nullptr);
      }
    });
  return found;
}

}  // namespace zeroth
