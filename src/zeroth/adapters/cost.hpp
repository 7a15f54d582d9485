// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/adapters/statement.hpp"

namespace zeroth {

// The costs of what was declared, by those of what is measured.
Vector cost_of_stated(const Vector& measured, const std::optional<Meaning>& meaning);

// What one question costs, by the costs of what is measured; 1 if they are empty.
double cost_of(const Vector& cost, const Query& query);

// Evaluations of all functions that so many units pay for.
std::int64_t affordable_evaluations(double units, const Vector& cost);

}  // namespace zeroth
