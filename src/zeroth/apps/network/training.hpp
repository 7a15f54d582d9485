// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/apps/network/images.hpp"
#include "zeroth/apps/network/network.hpp"

namespace zeroth {

// The eleven hyperparameters of Section 4.2 of the paper.
struct NetworkSetting {
  double learning_rate = 0.03, decay = 1e-3;            // at iteration t: learning_rate / (1 + decay t)
  double momentum_initial = 0.5, momentum_final = 0.9;  // linear in between
  double dropout_input = 0.2, dropout_hidden = 0.2;
  double weight_decay = 1e-5;  // L2, of weights, not of biases
  double max_norm = 3;         // of the weights that one unit hears
  std::array<Index, 3> hidden{64, 64, 64};
};

// Stochastic gradient descent with momentum (Sutskever et al. 2013): v <- mu v - rate (gradient + decay w), w <- w + v,
// then the weights of a unit are shortened to the largest norm allowed (Srivastava et al. 2014). Batches are cut from a
// shuffled order of the training images, shuffled anew when it is used up. Initial weights, order and dropout come from
// the key, so training is a pure function of its arguments; a step allocates nothing.
class Training {
 public:
  Training(const Images& images, std::span<const std::uint32_t> rows, const NetworkSetting& setting,
           std::int64_t iterations, std::uint64_t key, Index batch = prediction_batch);

  bool done() const { return t_ >= iterations_ || diverged_; }
  void step();
  double loss() const { return loss_; }        // of the last batch, dropout included
  bool diverged() const { return diverged_; }  // the loss is no longer a number
  std::int64_t iteration() const { return t_; }
  Network<float>& network() { return network_; }

 private:
  void shuffle();
  void gather();
  void update(double rate, double momentum);

  const Images& images_;
  NetworkSetting setting_;
  std::int64_t iterations_, t_ = 0;
  std::uint64_t key_;
  Network<float> network_;
  std::array<Dense<float>, 4> velocity_;
  std::array<Eigen::VectorXf, 4> bias_velocity_;
  std::vector<std::uint32_t> order_;
  std::size_t next_ = 0;
  std::uint64_t epoch_ = 0;
  std::vector<std::uint8_t> labels_;
  double loss_ = 0;
  bool diverged_ = false;
};

// The images of `rows` (empty: all) that the network puts into a wrong class, in percent.
double error_percent(Network<float>& network, const Images& images, std::span<const std::uint32_t> rows);

// What ten equally frequent classes give by guessing; the value of a network whose training diverged.
inline constexpr double guessing_error = 90;

}  // namespace zeroth
