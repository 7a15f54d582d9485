// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>

namespace zeroth {

template <class Real>
using Dense = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

enum class Form { plain, left_transposed, right_transposed };  // a b, a' b, a b'

// Products of dense matrices on one thread by Eigen's kernels, with two things fixed that Eigen leaves open: the
// memory into which blocks are packed is ours and kept, so that a product allocates nothing; and the blocks have the
// same sizes on every machine, where Eigen asks for the sizes of the caches, so that sums are added up in the same
// order and results are the same bits everywhere. (OpenBLAS 0.3.21 was the alternative: it chooses its code by a list
// of processors, is 1.3 times as fast on those it knows and 2.5 times as slow on those made after it.)
template <class Real>
class MatrixProduct {
 public:
  // c, of the right size already, is overwritten.
  void operator()(Form form, const Dense<Real>& a, const Dense<Real>& b, Dense<Real>& c);

 private:
  Eigen::Matrix<Real, Eigen::Dynamic, 1> left_, right_;
};

extern template class MatrixProduct<float>;
extern template class MatrixProduct<double>;

}  // namespace zeroth
