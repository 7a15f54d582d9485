// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "zeroth/store/store.hpp"

namespace zeroth {

using Print = std::function<void(const std::string&)>;

// One line per answer: number, x, objective, constraints, equalities, failure and how it came about.
void export_csv(Store& store, const RunRow& run, const Print& print);
// One object: the run, its result, its answers, its trace.
void export_json(Store& store, const RunRow& run, const Print& print);

}  // namespace zeroth
