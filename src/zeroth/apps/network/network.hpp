// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "zeroth/apps/network/matrix_product.hpp"
#include "zeroth/core/vector.hpp"

namespace zeroth {

inline constexpr Index prediction_batch = 128;  // of which the paper times predictions

struct NetworkShape {
  Index inputs = 784;
  std::array<Index, 3> hidden{100, 100, 100};
  Index classes = 10;

  std::array<Index, 5> widths() const { return {inputs, hidden[0], hidden[1], hidden[2], classes}; }
  Index weights() const;
  Index bytes() const;  // of all weights and biases in single precision
  // Of predicting a batch: a multiplication and an addition for each weight and image.
  static double megaflops(double weights) { return 2e-6 * static_cast<double>(prediction_batch) * weights; }
  double megaflops() const { return megaflops(static_cast<double>(weights())); }
};

// Inverted dropout: an activation is dropped with a probability, the others are scaled up so that the mean stays. Which
// ones is a pure function of the key.
struct Dropout {
  double input = 0, hidden = 0;
  std::uint64_t key = 0;
};

// Three hidden layers of rectified linear units and a softmax on top, for batches of a fixed size:
//   a_0 = x,   a_l = max(W_l' a_{l-1} + b_l, 0),   loss = mean over the batch of -log softmax(W_4' a_3 + b_4)[label].
// A column of W_l holds what one unit hears, a column of a_l is one image. All memory is taken by the constructor.
template <class Real>
class Network {
 public:
  struct Layer {
    Dense<Real> weights, weight_gradient;  // heard x units
    Eigen::Matrix<Real, Eigen::Dynamic, 1> bias, bias_gradient;
  };

  Network(const NetworkShape& shape, Index batch);

  // Weights N(0, 2/heard) (He et al. 2015), which keeps the size of activations through rectified layers; biases 0.
  void initialize(std::uint64_t key);

  const NetworkShape& shape() const { return shape_; }
  Index batch() const { return activation_[0].cols(); }
  std::array<Layer, 4>& layers() { return layers_; }

  Dense<Real>& input() { return activation_[0]; }  // inputs x batch; dropout changes it in place
  const Dense<Real>& scores() const { return activation_[4]; }

  void predict();                                                             // scores of the input
  double loss(std::span<const std::uint8_t> labels, const Dropout& dropout);  // mean cross-entropy, and what follows
  void backward();                                                            // gradients of the loss just computed

 private:
  void forward(std::size_t layer);

  NetworkShape shape_;
  MatrixProduct<Real> multiply_;
  std::array<Layer, 4> layers_;
  std::array<Dense<Real>, 5> activation_;
  std::array<Dense<Real>, 5> delta_;  // derivative of the loss by what enters a layer's nonlinearity; 0 is not used
  Real hidden_scale_ = 1;             // 1/(1 - dropout of hidden layers)
};

extern template class Network<float>;
extern template class Network<double>;

}  // namespace zeroth
