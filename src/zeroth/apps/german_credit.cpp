// SPDX-License-Identifier: MIT
#include "zeroth/apps/german_credit.hpp"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "zeroth/core/random.hpp"

namespace zeroth {
namespace {
constexpr std::uint64_t shuffle_label = 1;
}

Matrix german_credit_design(Index rows, std::uint64_t subsample) {
  const Index columns = german_credit_features + 1;
  using RowMajor = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Matrix table =
      Eigen::Map<const RowMajor>(german_credit_numbers().data(), german_credit_rows, columns).cast<double>();
  Matrix all(german_credit_rows, columns);
  all.col(0).setOnes();
  for (Index j = 0; j < german_credit_features; ++j) {
    const Vector centred = table.col(j).array() - table.col(j).mean();
    all.col(j + 1) = centred / std::sqrt(centred.squaredNorm() / static_cast<double>(german_credit_rows));
  }

  std::vector<Index> order(static_cast<std::size_t>(german_credit_rows));
  std::iota(order.begin(), order.end(), Index{0});
  Rng rng(derive_key(subsample, shuffle_label));
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);

  Matrix design(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    const Index row = order[static_cast<std::size_t>(i)];
    design.row(i) = (table(row, columns - 1) == 1 ? 1.0 : -1.0) * all.row(row);
  }
  return design;
}

}  // namespace zeroth
