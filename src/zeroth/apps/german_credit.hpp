// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// Statlog (German Credit Data), H. Hofmann 1994, UCI Machine Learning Repository, doi 10.24432/C5NC77, CC BY 4.0: 1000
// loans, 24 numeric features, and whether the loan went well. Part of the library (data/german).
inline constexpr Index german_credit_rows = 1000, german_credit_features = 24;

std::span<const std::uint8_t> german_credit_numbers();  // row by row: 24 features, then the class, 1 good or 2 bad

// The rows y_i (1, x_i) of a logistic regression on `rows` of the loans, drawn by `subsample`: features are
// standardised over all 1000 loans, an intercept comes first, y_i is +1 for a good loan and -1 for a bad one.
Matrix german_credit_design(Index rows, std::uint64_t subsample);

}  // namespace zeroth
