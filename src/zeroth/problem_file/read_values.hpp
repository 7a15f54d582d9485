// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "zeroth/adapters/space.hpp"
#include "zeroth/problem_file/document.hpp"

namespace zeroth {

bool has_values(VariableType type);  // categorical or ordinal

// The texts of categorical or ordinal variable i, whose name is the last one read; inside it is an integer from 0
// on.
void read_values(const Section& section, Index i, Variables& variables);

// "when" of every variable, once all names are known.
void read_conditions(const std::vector<const Section*>& sections, Variables& variables);

// Throws an Error unless all that are mentioned are numbers that always apply. `what` is about them.
void refuse_about(const std::vector<Index>& mentioned, const Variables& variables, const std::string& what,
                  const std::string& where);

}  // namespace zeroth
