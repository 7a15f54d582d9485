// SPDX-License-Identifier: MIT
#include "zeroth/apps/network/matrix_product.hpp"

#include <algorithm>
#include <cassert>

namespace zeroth {
namespace {

using Eigen::Index;

// Panels of `depth` columns of the packed left block and rows of the right one fit a level-1 cache of 32 kB, a whole
// left block a level-2 cache of 512 kB.
constexpr Index most_rows = 240, most_columns = 512, most_depth = 288;

template <class Real>
struct Blocking : Eigen::internal::level3_blocking<Real, Real> {
  Blocking(Index rows, Index columns, Index depth) {
    const Index parts = (depth + most_depth - 1) / most_depth;  // equal ones: no thin rest
    this->m_kc = (((depth + parts - 1) / parts + 7) / 8) * 8;
    this->m_mc = std::min(rows, most_rows);
    this->m_nc = std::min(columns, most_columns);
  }
  void use(Eigen::Matrix<Real, Eigen::Dynamic, 1>& left, Eigen::Matrix<Real, Eigen::Dynamic, 1>& right) {
    if (left.size() < this->m_mc * this->m_kc) left.resize(this->m_mc * this->m_kc);
    if (right.size() < this->m_nc * this->m_kc) right.resize(this->m_nc * this->m_kc);
    this->m_blockA = left.data();
    this->m_blockB = right.data();
  }
};

template <int LeftOrder, int RightOrder, class Real>
void run(Index depth, const Dense<Real>& a, const Dense<Real>& b, Dense<Real>& c, Blocking<Real>& blocking) {
  Eigen::internal::general_matrix_matrix_product<Index, Real, LeftOrder, false, Real, RightOrder, false,
                                                 Eigen::ColMajor, 1>::run(c.rows(), c.cols(), depth, a.data(), a.rows(),
                                                                          b.data(), b.rows(), c.data(), 1, c.rows(),
                                                                          Real(1), blocking);
}

}  // namespace

template <class Real>
void MatrixProduct<Real>::operator()(Form form, const Dense<Real>& a, const Dense<Real>& b, Dense<Real>& c) {
  constexpr int columns = Eigen::ColMajor, rows = Eigen::RowMajor;  // a transposed matrix is one stored by rows
  const Index depth = form == Form::left_transposed ? a.rows() : a.cols();
  assert(depth == (form == Form::right_transposed ? b.cols() : b.rows()));
  assert(c.rows() == (form == Form::left_transposed ? a.cols() : a.rows()));
  assert(c.cols() == (form == Form::right_transposed ? b.rows() : b.cols()));
  Blocking<Real> blocking(c.rows(), c.cols(), depth);
  blocking.use(left_, right_);
  c.setZero();
  if (form == Form::plain) run<columns, columns>(depth, a, b, c, blocking);
  if (form == Form::left_transposed) run<rows, columns>(depth, a, b, c, blocking);
  if (form == Form::right_transposed) run<columns, rows>(depth, a, b, c, blocking);
}

template class MatrixProduct<float>;
template class MatrixProduct<double>;

}  // namespace zeroth
