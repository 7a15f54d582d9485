// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// A long vector as it is kept: in double precision, in single precision, or in doubles that were rounded to single
// precision, which has the same numbers. Whoever computes sees doubles, a block at a time.
class StoredVector {
 public:
  enum class Precision { full, single, rounded };

  explicit StoredVector(const Vector& v, Precision precision = Precision::full) : precision_(precision) {
    if (precision == Precision::single) single_.resize(v.size());
    else full_.resize(v.size());
    store(0, v);
  }

  Index size() const { return full_.size() + single_.size(); }
  Precision precision() const { return precision_; }
  const Vector& whole() const { return full_; }  // empty in single precision

  void load(Index begin, Eigen::Ref<Vector> out) const {
    if (precision_ == Precision::single) out = single_.segment(begin, out.size()).cast<double>();
    else out = full_.segment(begin, out.size());
  }
  void store(Index begin, const Eigen::Ref<const Vector>& v) {
    if (precision_ == Precision::single) single_.segment(begin, v.size()) = v.cast<float>();
    else if (precision_ == Precision::rounded) full_.segment(begin, v.size()) = v.cast<float>().cast<double>();
    else full_.segment(begin, v.size()) = v;
  }
  std::span<std::byte> bytes() {
    return precision_ == Precision::single
               ? std::as_writable_bytes(std::span(single_.data(), static_cast<std::size_t>(single_.size())))
               : std::as_writable_bytes(std::span(full_.data(), static_cast<std::size_t>(full_.size())));
  }

 private:
  Precision precision_;
  Vector full_;
  Eigen::VectorXf single_;
};

}  // namespace zeroth
