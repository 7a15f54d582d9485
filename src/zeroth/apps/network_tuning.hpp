// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/apps/network/training.hpp"
#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"

namespace zeroth {

// Tuning a network under a limit on the time of a prediction (Section 4.2 of the paper; Hernandez-Lobato et al. 2015,
// Ariafar et al. 2019): least error on images that it was not trained on, over eleven hyperparameters.

struct NetworkOptions {
  std::string data = "mnist";
  std::string setting = "reduced";
  std::int64_t iterations = 0;
  double limit = 0;
  bool timing = false;
  double size_limit = 0;
  std::string objective = "log";
  std::int64_t subsample = 1;
  std::string cache;
};

inline OptionList options_of(NetworkOptions& o) {
  return {
      {"data", o.data, "images: as 'zeroth data get' fetched them, or a small set made from a seed",
       Choices{{"mnist", "cifar10", "synthetic"}}},
      {"setting", o.setting,
       "reduced: 1000 iterations, layers of 24 to 256 units, CIFAR-10 averaged over 2 x 2 pixels; full: the paper's "
       "5000 "
       "iterations, layers of 50 to 500",
       Choices{{"reduced", "full"}}},
      {"iterations", o.iterations, "of training; 0: as the setting says", nonnegative},
      {"limit", o.limit,
       "million operations (multiplications and additions) of predicting 128 images; 0: 20 reduced, 71 full",
       nonnegative},
      {"timing", o.timing,
       "measure the prediction instead: least time of 1000 over that of a 100-100-100 network in the same run, limited "
       "by the ratio of their operations at the limit; answers then depend on the machine"},
      {"size_limit", o.size_limit, "if positive, a second constraint: bytes of weights and biases", nonnegative},
      {"objective", o.objective,
       "validation error in percent, or its logarithm, in which noise and differences are alike everywhere",
       Choices{{"log", "percent"}}},
      {"subsample", o.subsample, "seed that draws 90 % of the training images; the others validate", nonnegative},
      {"cache", o.cache, "directory of the data; empty: where 'zeroth data get' puts it by default"}};
}

// learning_rate, decay, momentum_initial, momentum_final, dropout_input, dropout_hidden, weight_decay, max_norm,
// hidden_1, hidden_2, hidden_3: rates, decays, norm and sizes on a log scale.
std::vector<Unit> network_units(bool full);
// Sizes are rounded to the nearest integer (halves up, where the paper tosses a coin).
NetworkSetting network_setting(std::span<const double> x, bool full);
Vector network_point(const NetworkSetting& setting, bool full);

// Everything that an evaluation needs; what the study uses to judge on test images too.
class NetworkTask {
 public:
  explicit NetworkTask(const NetworkOptions& options);

  struct Errors {
    double validation, test;  // percent
  };
  Errors train(const NetworkSetting& setting, std::uint64_t key, bool with_test = false) const;
  NetworkShape shape(const NetworkSetting& setting) const;
  bool full() const { return full_; }
  double limit() const { return limit_; }
  std::int64_t iterations() const { return iterations_; }
  const ImageSet& images() const { return *images_; }
  const Split& rows() const { return split_; }

 private:
  bool full_;
  double limit_;
  std::int64_t iterations_;
  std::shared_ptr<const ImageSet> images_;
  Split split_;
};

// Least time of `repeats` predictions of 128 images, in seconds. The least, because the mean of a shared machine is
// three times as long and unstable, and the least is the same to 2 %.
double prediction_seconds(const NetworkShape& shape, int repeats = 1000);

// f_0 = validation error in percent or its logarithm (a diverged training: that of guessing), f_1 = million operations
// of the real-valued sizes - limit, or the measured ratio - its limit, f_2 = kilobytes - limit if asked for.
Problem network(const NetworkOptions& options);
double error_from_objective(const NetworkOptions& options, double value);  // percent

}  // namespace zeroth
