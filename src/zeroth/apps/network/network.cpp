// SPDX-License-Identifier: MIT
#include "zeroth/apps/network/network.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zeroth/core/random.hpp"

namespace zeroth {
namespace {

struct NetworkLabel {
  enum : std::uint64_t { weight = 1, dropout };
};

// Sixteen bits decide on one activation: probabilities are met to 1/65536, and a word of the stream serves four.
constexpr double coin_sides = 65536;

double rounded_probability(double p) { return std::round(p * coin_sides) / coin_sides; }

template <class Real>
void drop(Dense<Real>& activation, double probability, std::uint64_t key) {
  const auto threshold = static_cast<std::uint32_t>(std::lround(probability * coin_sides));
  if (threshold == 0) return;
  const Real scale = static_cast<Real>(1 / (1 - rounded_probability(probability)));
  Rng rng(key);
  constexpr Index block = 1024;
  std::array<std::uint16_t, block> coins;
  for (Index begin = 0; begin < activation.size(); begin += block) {
    const Index count = std::min(block, activation.size() - begin);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); i += 4) {
      const std::uint64_t word = rng.bits();
      for (unsigned k = 0; k < 4; ++k) coins[i + k] = static_cast<std::uint16_t>(word >> (16 * k));
    }
    Real* const a = activation.data() + begin;
    for (Index i = 0; i < count; ++i) a[i] *= coins[static_cast<std::size_t>(i)] >= threshold ? scale : Real(0);
  }
}

}  // namespace

Index NetworkShape::weights() const {
  const auto w = widths();
  Index total = 0;
  for (std::size_t l = 0; l < 4; ++l) total += w[l] * w[l + 1];
  return total;
}

Index NetworkShape::bytes() const {
  return static_cast<Index>(sizeof(float)) * (weights() + hidden[0] + hidden[1] + hidden[2] + classes);
}

template <class Real>
Network<Real>::Network(const NetworkShape& shape, Index batch) : shape_(shape) {
  const auto widths = shape.widths();
  activation_[0].setZero(widths[0], batch);
  for (std::size_t l = 0; l < 4; ++l) {
    layers_[l].weights.setZero(widths[l], widths[l + 1]);
    layers_[l].weight_gradient.setZero(widths[l], widths[l + 1]);
    layers_[l].bias.setZero(widths[l + 1]);
    layers_[l].bias_gradient.setZero(widths[l + 1]);
    activation_[l + 1].setZero(widths[l + 1], batch);
    delta_[l + 1].setZero(widths[l + 1], batch);
  }
}

template <class Real>
void Network<Real>::initialize(std::uint64_t key) {
  std::vector<double> normals;
  for (std::size_t l = 0; l < 4; ++l) {
    Dense<Real>& w = layers_[l].weights;
    normals.resize(static_cast<std::size_t>(w.size()));
    fill_normal(derive_key(key, NetworkLabel::weight, l), normals);
    const double size = std::sqrt(2 / static_cast<double>(w.rows()));
    w = (size * Eigen::Map<const Matrix>(normals.data(), w.rows(), w.cols())).template cast<Real>();
    layers_[l].bias.setZero();
  }
}

template <class Real>
void Network<Real>::forward(std::size_t layer) {
  multiply_(Form::left_transposed, layers_[layer].weights, activation_[layer], activation_[layer + 1]);
  const auto heard = activation_[layer + 1].colwise() + layers_[layer].bias;
  if (layer < 3) activation_[layer + 1] = heard.cwiseMax(Real(0));
  else activation_[layer + 1] = heard;
}

template <class Real>
void Network<Real>::predict() {
  for (std::size_t l = 0; l < 4; ++l) forward(l);
}

template <class Real>
double Network<Real>::loss(std::span<const std::uint8_t> labels, const Dropout& dropout) {
  assert(static_cast<Index>(labels.size()) == batch());
  hidden_scale_ = static_cast<Real>(1 / (1 - rounded_probability(dropout.hidden)));
  drop(activation_[0], dropout.input, derive_key(dropout.key, NetworkLabel::dropout, 0));
  for (std::size_t l = 0; l < 4; ++l) {
    forward(l);
    if (l < 3) drop(activation_[l + 1], dropout.hidden, derive_key(dropout.key, NetworkLabel::dropout, l + 1));
  }
  const Real share = Real(1) / static_cast<Real>(batch());
  double total = 0;
  for (Index i = 0; i < batch(); ++i) {
    const auto score = activation_[4].col(i);
    auto p = delta_[4].col(i);
    const Real most = score.maxCoeff();
    for (Index k = 0; k < p.size(); ++k) p[k] = std::exp(score[k] - most);
    const Real sum = p.sum();
    const Index label = labels[static_cast<std::size_t>(i)];
    total += static_cast<double>(most - score[label] + std::log(sum));
    p *= share / sum;
    p[label] -= share;
  }
  return total / static_cast<double>(batch());
}

template <class Real>
void Network<Real>::backward() {
  for (std::size_t l = 4; l-- > 0;) {
    Layer& layer = layers_[l];
    multiply_(Form::right_transposed, activation_[l], delta_[l + 1], layer.weight_gradient);
    layer.bias_gradient = delta_[l + 1].rowwise().sum();
    if (l == 0) break;
    multiply_(Form::plain, layer.weights, delta_[l + 1], delta_[l]);
    // A unit that was dropped or below zero left a zero, so the activation itself is the mask.
    const Real* const a = activation_[l].data();
    Real* const d = delta_[l].data();
    const Real scale = hidden_scale_;
    for (Index i = 0, size = delta_[l].size(); i < size; ++i) d[i] *= a[i] > Real(0) ? scale : Real(0);
  }
}

template class Network<float>;
template class Network<double>;

}  // namespace zeroth
